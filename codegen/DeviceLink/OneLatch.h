// Loops whose rounds end at one place.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Joins the ways back of each loop that has several: where a round ends at a condition, that of a branch around the
/// rest of the body, say. LLVM would take such a loop for two, one inside of the other, as soon as a sum is in a
/// register and one way leaves it as it was, and then knows of neither how often it runs. To be run before variables
/// are in registers.
struct OneLatch : llvm::PassInfoMixin<OneLatch> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
