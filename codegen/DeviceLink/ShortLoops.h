// Loops inside of others that may end after a few rounds, as over the particles of a cell.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes four copies of their rounds, each of which may be the last: addresses become constant offsets from one, and
/// threads with different numbers of rounds stay together, which they would not with a loop for what is left over. Runs
/// when CountedLoops has chosen those that it is worth to unroll otherwise.
struct ShortLoops : llvm::PassInfoMixin<ShortLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
