// Arrays of a thread whose subscripts are computed.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Keeps such arrays in memory where ptxas would put them into registers, and choose among these at each access. Runs
/// last, when all arrays are known that a thread has in memory.
struct IndexedArrays : llvm::PassInfoMixin<IndexedArrays> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
