// Loads on one way through a conditional, of what lies beside what has been loaded before it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets such a load join those before the condition if all lie in one piece that one instruction loads, as the last
/// component of a position whose first three decide whether it is needed. The instruction that loads the others then
/// loads it, too; alone it would be waited for again. Runs when alignments are known.
struct NeighbourLoads : llvm::PassInfoMixin<NeighbourLoads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
