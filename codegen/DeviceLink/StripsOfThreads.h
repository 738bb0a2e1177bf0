// Threads of the emulated device that go round loops of their own side by side.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Turns loops over threads inside out whose threads have loops of their own that all of them go round equally often:
/// strips of neighbouring threads do each round together, in innermost loops over the threads of the strip, which the
/// vectoriser takes. What a thread keeps from round to round is in an array, or in registers where a strip is whole.
/// Runs before the vectoriser.
struct StripsOfThreads : llvm::PassInfoMixin<StripsOfThreads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
