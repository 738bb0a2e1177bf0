// Versions of kernels for arrays among their arguments that have the same strides.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include <optional>

namespace cufort::codegen {

/// Of functions that such versions are.
inline constexpr llvm::StringLiteral sameStridesFunctionAttribute = "cufort-same-strides";

/// Returns a version of `contiguous`, a version for arrays with plain strides, for when several of them have the same
/// strides, as arrays of one shape do, if it finds elements of these in the same places.
std::optional<KernelVersion> createSameStridesVersion(const KernelVersion &contiguous);

} // namespace cufort::codegen
