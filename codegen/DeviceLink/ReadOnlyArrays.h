// Arrays that kernels only read.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Lets loads from arrays that nothing changes while a kernel runs go through the read-only cache (ld.global.nc), where
/// the array is known by a descriptor: LLVM itself knows it of `noalias` parameters only. In optimised GPU code.
void markReadOnlyLoads(llvm::Module &module);

} // namespace cufort::codegen
