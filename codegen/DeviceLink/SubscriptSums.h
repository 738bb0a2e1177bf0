// Sums that become subscripts are computed in 64 bits.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

struct SubscriptSums : llvm::PassInfoMixin<SubscriptSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
