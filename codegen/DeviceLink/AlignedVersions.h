// Versions of kernels for arrays that begin at multiples of 16 bytes.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include <vector>

namespace cufort::codegen {

/// Returns versions of `kernel`, which may be a version itself, if it loads or stores neighbours in memory, such as the
/// parts of complex numbers or the components of a derived type: there these are loaded and stored together. They are
/// for arrays that begin where that is possible, as whole arrays do; the first of two, for such whose rows do, too. In
/// optimised GPU code, after noteKnownAlignments().
std::vector<KernelVersion> createAlignedVersions(llvm::Function &kernel);

} // namespace cufort::codegen
