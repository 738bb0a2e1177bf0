// Comparisons of sums that have been computed in 64 bits.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Compares two numbers of 32 bits instead of their difference in 64 bits with a constant, as Fortran says for whether
/// a loop has a round: last - first + 1 > 0. A GPU compares in one instruction then, instead of seven. Loops inside of
/// others begin so often that it counts. Runs last, when LLVM needs to know nothing more about the numbers of rounds.
struct NarrowComparisons : llvm::PassInfoMixin<NarrowComparisons> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
