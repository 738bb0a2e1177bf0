// Device code of a whole program in the form that the emulated device runs.
#pragma once

#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace cufort::codegen {

/// One kernel of the emulated device, as generated: what CufortEmuKernel is filled with.
struct EmulatedKernel {
  std::string name;
  llvm::Function *thread = nullptr; ///< runs one thread
  llvm::Function *blocks = nullptr; ///< runs whole blocks; null if the kernel waits in ways that loops cannot
  llvm::Function *resume = nullptr; ///< runs the rest of one thread; null if the kernel has no phases
  unsigned instructions = 0;        ///< of a thread, as they are before the optimisation
  uint64_t phaseBytes = 0;
  std::vector<uint32_t> parameterSizes;
  uint32_t staticSharedBytes = 0;
  uint32_t maxThreads = 0;
  uint32_t flags = 0;
  uint32_t clusterDim[3] = {0, 0, 0}; ///< blocks of a cluster, if there is cluster_dims
};

/// Rewrites the linked device code in `module` (x86-64, not yet optimised) for the emulated device and returns its
/// kernels. Identities of threads become parameters of kernels where possible, and loads through cufortEmuThread
/// elsewhere; shared variables become offsets into the block's shared memory.
std::vector<EmulatedKernel> prepareEmulatedModule(llvm::Module &module);

} // namespace cufort::codegen
