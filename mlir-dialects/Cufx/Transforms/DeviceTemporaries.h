// Arrays in device memory that one statement of host code needs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::cufx {

/// The name of such an array in cuf.alloc.
inline constexpr llvm::StringLiteral deviceTemporaryName = ".aside";

} // namespace cufort::cufx
