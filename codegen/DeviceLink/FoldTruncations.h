// Numbers that are made narrower and wider again.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Folds sext(trunc nsw x) and zext(trunc nuw x) to x. LLVM does so too late: it moves truncations into sums, where
/// their flags are lost. Runs first, when variables have been promoted.
struct FoldTruncations : llvm::PassInfoMixin<FoldTruncations> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
