// Which iterations of a CUF kernel's loops the threads of the emulated device do.
#pragma once

#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// True if `kernel` has loops whose iterations threads share, and needs to know who a thread is for nothing else: then
/// one call can do what a whole box of neighbouring threads would, in loops over iterations that follow each other.
bool onlySharesLoops(llvm::Function &kernel);

/// Replaces what stands for a thread's share in `body`, whose identity begins with parameter number `firstIdentity`. If
/// `inStrides`, it is that of a GPU's thread.
void computeShares(llvm::Function &body, unsigned firstIdentity, bool inStrides);

/// Lets LLVM compute the sums and products that `body` hands to the grid in any order, as CUF kernels allow.
void allowReductionsInAnyOrder(llvm::Function &body);

} // namespace cufort::codegen
