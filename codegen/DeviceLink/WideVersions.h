// Kernels of the emulated device for what can be computed with vectors, beside those for everything else.
#pragma once

#include "codegen/DeviceLink/EmulatedModule.h"
#include "codegen/Support/CodegenOptions.h"

namespace cufort::codegen {

/// Marks functions that run only where there are no wide vectors, or with strides: they are not worth much time.
inline constexpr llvm::StringLiteral rarelyRunAttribute = "cufx-rarely-run";

/// Compiles the blocks of `kernels`, which are not optimised yet, a second time, for processors of the level x86-64-v3
/// and arrays of assumed shape whose elements are neighbours in memory; what the runtime calls looks at the processor
/// and the descriptors. Both versions compute the same, to the last bit, but for the order of sums: the wide one rounds
/// products that are added, too. If `options` ask for another processor, there is a version for such arrays only. Does
/// nothing if code is not to be vectorised.
void addWideVersions(llvm::Module &module, std::vector<EmulatedKernel> &kernels, const CodegenOptions &options);

} // namespace cufort::codegen
