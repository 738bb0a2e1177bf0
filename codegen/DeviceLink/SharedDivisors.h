// Divisions by the same number.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Divides by a number that does not change in a loop, as in x(i)/h, by a constant, and by one that another number is
/// divided by, as in x/r and y/r, with one reciprocal. Quotients are rounded as before. Runs last, since it takes blocks
/// apart.
struct SharedDivisors : llvm::PassInfoMixin<SharedDivisors> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
