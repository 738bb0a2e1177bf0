// Versions of kernels for arrays of modules that have the same strides.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"

namespace cufort::codegen {

/// Returns versions of `kernel` for when allocatable arrays of modules with elements of one size have the same, plain
/// strides, and for when they have plain ones, if it uses several.
std::vector<KernelVersion> createSameShapesVersions(llvm::Function &kernel);

} // namespace cufort::codegen
