// Loads that a program has placed before a barrier for what comes behind it, as the next plane of a grid or the next
// tile of a matrix.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Keeps such loads where they are: the loads of a kernel that the read-only cache may serve are marked as such, and
/// these are not. Runs last, when loads do not move any more.
struct EarlyLoads : llvm::PassInfoMixin<EarlyLoads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
