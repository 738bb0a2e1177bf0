// The greatest and the least of real numbers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets one instruction of a GPU find MAX and MIN of real(4), and MAXVAL and MINVAL of real(4) and real(8). MAX of real(8)
/// stays a comparison and a selection, which are fewer instructions there. Runs first, when variables have been promoted.
struct Extremes : llvm::PassInfoMixin<Extremes> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
