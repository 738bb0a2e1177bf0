// Elements that a branch loads and the code behind it loads, too.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Loads such an element once, before the branch. For code that LLVM has optimised.
struct CommonLoads : llvm::PassInfoMixin<CommonLoads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
