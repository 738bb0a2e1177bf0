// Loops over threads that run those threads only which have something to do.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes conditions of all that a loop over threads does, which compare a number that grows by one from
/// thread to thread with one that is the same for all, bounds of the loop: `if (i <= n)` around the work of a kernel is
/// checked once per row of threads. Vector instructions need no mask then, which x86-64 has only in later versions.
/// Runs before the vectoriser.
struct BoundLoopsOfThreads : llvm::PassInfoMixin<BoundLoopsOfThreads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Splits innermost loops over threads where such a condition is of a part of the work only: one loop is for the
/// threads for which it holds, another one for those before and behind them. Runs behind BoundLoopsOfThreads.
struct SplitLoopsOfThreads : llvm::PassInfoMixin<SplitLoopsOfThreads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
