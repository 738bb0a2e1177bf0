// Kernels of the emulated device for processors with wide vectors, beside those for any x86-64.
#pragma once

#include "codegen/DeviceLink/EmulatedModule.h"
#include "codegen/Support/CodegenOptions.h"

namespace cufort::codegen {

/// Compiles the blocks of `kernels`, which are not optimised yet, a second time, for processors of the level x86-64-v3;
/// what the runtime calls asks it which processor this is. Both versions compute the same, to the last bit, but for the
/// order of sums: the wide one rounds products that are added, too. Does nothing if `options` ask for another
/// processor, or for code that is not vectorised.
void addWideVersions(llvm::Module &module, std::vector<EmulatedKernel> &kernels, const CodegenOptions &options);

} // namespace cufort::codegen
