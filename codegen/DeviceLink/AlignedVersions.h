// Versions of kernels for arrays that begin at multiples of 16 bytes.
#pragma once

#include "llvm/IR/BasicBlock.h"

namespace cufort::codegen {

/// Gives the kernel whose code begins with `first`, its entry or where a version of it begins, a second version of that
/// code if it loads or stores neighbours in memory, such as the parts of complex numbers or the components of a derived
/// type: there these are loaded and stored together. The kernel takes it if its arrays begin where that is possible, as
/// whole arrays do. In optimised GPU code, after noteKnownAlignments().
void createAlignedVersion(llvm::BasicBlock &first);

} // namespace cufort::codegen
