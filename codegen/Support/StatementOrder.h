// The order of accesses within a round of a loop whose rounds are independent.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Keeps LLVM's vectoriser from moving accesses of a loop that is annotated as parallel past others of the same round
/// that may be of the same memory. Runs just before it.
struct StatementOrder : llvm::PassInfoMixin<StatementOrder> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
