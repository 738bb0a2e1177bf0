// Copies of the host's array descriptors on the device.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::cufx {

/// Of a device variable that is the copy of an array descriptor that the host changes without telling the runtime: each
/// launch brings the copy up to date.
inline constexpr llvm::StringLiteral followsHostAttribute = "cufx.follows_host";

} // namespace cufort::cufx
