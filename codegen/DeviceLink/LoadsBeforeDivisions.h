// Loads that follow divisions, or conditions that make no difference to them.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Moves loads, with what computes their addresses, before the first instruction of a block that ptxas makes a
/// branch of: divisions and square roots that are rounded correctly, and divisions of 64-bit integers.
struct LoadsBeforeDivisions : llvm::PassInfoMixin<LoadsBeforeDivisions> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
