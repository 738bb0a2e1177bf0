// From symbols back to the names in the source.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cufort::codegen {

/// Returns the name that the user gave the procedure or variable with the symbol `symbol`.
std::string sourceName(llvm::StringRef symbol);

} // namespace cufort::codegen
