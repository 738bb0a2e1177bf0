// Elements that all threads of a kernel load.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Loads what all rounds of a CUF kernel need, and all threads, in each round anew, where keeping it would take many
/// registers. Such elements are in the cache nearest to the threads.
struct LoadsInRounds : llvm::PassInfoMixin<LoadsInRounds> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
