// Versions of kernels for arrays among their arguments that have the same strides.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/ADT/SmallVector.h"

namespace cufort::codegen {

/// Of functions that such versions are.
inline constexpr llvm::StringLiteral sameStridesFunctionAttribute = "cufort-same-strides";

/// Returns versions of `contiguous`, a version for arrays with plain strides, for when several of them have the same
/// strides, as arrays of one shape do, if it finds elements of these in the same places. Those come first of which most
/// is known.
llvm::SmallVector<KernelVersion, 2> createSameStridesVersions(const KernelVersion &contiguous);

} // namespace cufort::codegen
