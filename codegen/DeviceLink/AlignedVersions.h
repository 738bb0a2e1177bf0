// Kernels for arrays that begin at multiples of 16 bytes.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Gives kernels of `module` that load or store neighbours in memory, such as the parts of complex numbers or the
/// components of a derived type, a second version in which these are loaded and stored together. The kernel takes it if
/// its arrays begin where that is possible, as whole arrays do. In optimised GPU code, after noteKnownAlignments().
void createAlignedVersions(llvm::Module &module);

} // namespace cufort::codegen
