// Numbers that are extended with a sign in one place and without in another.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Takes a number that is known not to be negative from where it has been extended already. For addresses that have
/// become what they stay.
struct SharedExtensions : llvm::PassInfoMixin<SharedExtensions> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
