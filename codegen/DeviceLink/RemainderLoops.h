// What is left over of a loop that has been unrolled.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// LLVM unrolls a loop of a number of rounds that is not known eight times, say, and a loop of single rounds does what is
/// left over. There each load waits for the one before, and a loop whose stride is a block has often fewer than eight
/// rounds, or few more. Four of them are done at a time here, before single rounds. Runs after LLVM has unrolled.
struct RemainderLoops : llvm::PassInfoMixin<RemainderLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
