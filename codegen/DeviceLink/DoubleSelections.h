// Selections between values in double precision that are computed for the selection alone.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// What is computed in double precision for one side of a selection only moves into a branch, as the source has it. LLVM
/// computes both sides and selects: on a GPU that takes two more instructions for each value of 64 bits, where ptxas
/// makes conditional instructions of a short branch. Runs last: LLVM would undo it.
struct DoubleSelections : llvm::PassInfoMixin<DoubleSelections> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
