// Arrays in device memory that one statement of host code needs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::cufx {

/// The name of such an array in cuf.alloc.
inline constexpr llvm::StringLiteral deviceTemporaryName = ".aside";

/// Of a cuf.data_transfer to such an array: graphs get the value that the host's variable has when they are made.
inline constexpr llvm::StringLiteral asValueAttribute = "cufx.as_value";

} // namespace cufort::cufx
