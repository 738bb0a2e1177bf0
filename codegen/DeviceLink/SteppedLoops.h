// Loops by steps that are known when the program runs.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Ends loops with a variable step, such as those with the stride of a block or a grid, where less than a step is left,
/// instead of after a number of rounds that takes a division. Unrolls the short ones among them if `unroll` is set:
/// LLVM could not do that without the division. For loops in LCSSA form; leaves others than simple ones behind.
class SteppedLoops : public llvm::PassInfoMixin<SteppedLoops> {
public:
  explicit SteppedLoops(bool unroll) : unroll(unroll) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  bool unroll;
};

} // namespace cufort::codegen
