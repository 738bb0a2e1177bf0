// Numbers of threads in the grid, on the emulated device.
#pragma once

#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// Lets LLVM know that blockIdx * blockDim + threadIdx, with constants added, does not overflow in `body`, whose
/// identity begins with parameter number `firstIdentity`: no Fortran program may let it; and that numbers of threads in
/// their block do not. So neighbouring threads have
/// neighbouring subscripts without a check when the program runs. (For GPUs: ThreadPlaces.h.)
void markExactPlaces(llvm::Function &body, unsigned firstIdentity);

/// True if `body` asks about x for nothing but blockIdx * blockDim + threadIdx, with constants added, and does nothing
/// that tells blocks from each other: then neighbouring blocks can run as one block with many threads in x.
bool onlyKnowsPlaceInRow(llvm::Function &body, unsigned firstIdentity);

} // namespace cufort::codegen
