// Ways of branches that do nothing but choose values.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Selects values where a branch by a comparison of real numbers has a short way and nothing on the other, as of
/// if (x > most) then; most = x; place = i. LLVM does so itself for other comparisons, and leaves these since
/// selections of real numbers are expensive on some CPUs. On a GPU they are one instruction, and ptxas makes
/// conditional instructions of the branches around them, which it does not of branches within branches: of eight
/// neighbours, each within a condition, it then loads one after the other.
struct ShortWays : llvm::PassInfoMixin<ShortWays> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
