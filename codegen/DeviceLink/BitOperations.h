// Tests and counts of bits in the forms that cost a GPU least.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Bits are tested with one mask, counted from the left without a branch for zero, and from the right by counting those
/// below the lowest: each of two halves of 64 bits would be counted, so there it is the left of those below. LLVM shifts,
/// branches and tests twice instead. Runs last: other passes know the usual forms.
struct BitOperations : llvm::PassInfoMixin<BitOperations> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
