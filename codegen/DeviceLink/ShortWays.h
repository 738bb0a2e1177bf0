// Ways of branches that compute only a little.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Computes what a short way of a branch computes before the branch.
///
/// With nothing on the other way, a selection is left, as of if (x > most) then; most = x; place = i. LLVM does so
/// itself, but for comparisons of real numbers, since selections are expensive on some CPUs. On a GPU they are one
/// instruction, and ptxas makes conditional instructions of the branches around them, which it does not of branches
/// within branches: of eight neighbours, each within a condition, it then loads one after the other.
///
/// With something on the other way, one branch is left instead of two.
struct ShortWays : llvm::PassInfoMixin<ShortWays> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
