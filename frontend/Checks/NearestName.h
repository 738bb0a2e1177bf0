// The name that a misspelt one may mean.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace cufort::frontend {

/// Returns the first of those `candidates` that have the fewest letters other than `name`, both in lower case: one, or
/// up to two in a name of ten letters or more. Empty if all have more; they are other names.
llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace cufort::frontend
