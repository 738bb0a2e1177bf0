// Subscripts that come from memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Keeps subscripts of 32 bits that are loaded in 32 bits. For addresses that have become what they stay.
struct LoadedSubscripts : llvm::PassInfoMixin<LoadedSubscripts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
