// Places in arrays that are needed before loops and behind them.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Computes addresses that a thread needs before a loop and behind it, but not inside, again behind it. For loops in
/// simple form, when addresses have become what they stay.
struct RepeatedPlaces : llvm::PassInfoMixin<RepeatedPlaces> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
