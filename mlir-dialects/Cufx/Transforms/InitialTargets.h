// Functions that associate pointers before the program begins.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::cufx {

/// How the names of these functions begin; the name of the pointer follows.
inline constexpr llvm::StringLiteral associatePrefix = "cufort.associate.";

} // namespace cufort::cufx
