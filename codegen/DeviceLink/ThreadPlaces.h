// Subscripts that say which thread of the grid it is.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets LLVM know that a thread's place in the grid, blockIdx * blockDim + threadIdx, and that plus one, do not overflow
/// the integers that they are computed in: no Fortran program may let them, and LLVM only sees that they could. So
/// subscripts that begin with 1 are the places themselves, and products with them need one instruction. Runs first, when
/// variables have been promoted.
struct ThreadPlaces : llvm::PassInfoMixin<ThreadPlaces> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
