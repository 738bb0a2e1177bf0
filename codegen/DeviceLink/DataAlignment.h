// Where data of GPU code begin.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Lets arrays of threads and of modules begin where the widest accesses are possible, and large arrays of modules where
/// cudaMalloc lets them begin. Notes that descriptors are aligned, which Flang leaves out where it copies them: a GPU loads
/// byte by byte what may begin anywhere. In GPU code before it is optimised.
void alignData(llvm::Module &module);

} // namespace cufort::codegen
