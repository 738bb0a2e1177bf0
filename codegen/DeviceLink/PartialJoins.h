// Blocks where some of the ways through a conditional meet before all of them do.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets each way have its own copy of a small block that stores what differs between them, if others lead past it. LLVM
/// joins such stores to have less code. Then ways neither nest nor follow each other, so that ptxas brings threads together
/// by more instructions, and once again before each barrier.
struct PartialJoins : llvm::PassInfoMixin<PartialJoins> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
