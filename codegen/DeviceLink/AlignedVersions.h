// Versions of kernels for arrays that begin at multiples of 16 bytes.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include <optional>

namespace cufort::codegen {

/// Returns a version of `kernel`, which may be a version itself, if it loads or stores neighbours in memory, such as
/// the parts of complex numbers or the components of a derived type: there these are loaded and stored together. It is
/// for arrays that begin where that is possible, as whole arrays do. In optimised GPU code, after
/// noteKnownAlignments().
std::optional<KernelVersion> createAlignedVersion(llvm::Function &kernel);

} // namespace cufort::codegen
