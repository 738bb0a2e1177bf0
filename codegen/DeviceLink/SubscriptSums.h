// Sums that become subscripts are computed in 64 bits.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

struct SubscriptSums : llvm::PassInfoMixin<SubscriptSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// For when procedures have been inlined: those of the sums that are subscripts of neighbours, because there are other
/// sums of the same number. What turns out to be the same element is loaded once.
struct NeighbourSums : llvm::PassInfoMixin<NeighbourSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// For when loops have been unrolled: those of the sums that lead to neighbours of what another round uses. They end at
/// one address with distances that are part of instructions.
struct UnrolledSums : llvm::PassInfoMixin<UnrolledSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
