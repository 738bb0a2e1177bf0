// What kernels need of a multiprocessor, as ptxas tells it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace cufort::codegen {

/// What a kernel needs: registers and, in bytes, memory for each thread, and shared memory for each block.
struct KernelResources {
  std::string name; ///< as in the code
  unsigned registers = 0, shared = 0, stack = 0, spillStores = 0, spillLoads = 0;
};

/// Returns what `log`, the text of `ptxas -v`, tells of each kernel.
std::vector<KernelResources> readResources(llvm::StringRef log);

/// Writes a line about each of `kernels`, for -Minfo=accel. `target` is named in the line, as in "sm_90".
void reportResources(llvm::ArrayRef<KernelResources> kernels, llvm::StringRef target, llvm::raw_ostream &out);

} // namespace cufort::codegen
