// Whether a file is worth parsing.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::frontend {

/// True unless the first bytes of the file `path` are those of an object,
/// an archive or other binary data. A file that
/// cannot be read counts as text; whoever opens it reports why.
bool isTextFile(llvm::StringRef path);

} // namespace cufort::frontend
