// How often loops go round.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Divides in 32 bits for the number of rounds of a DO loop whose variable has 32 bits (Fortran 2018, 11.1.7.4.1):
/// LLVM's division in 64 bits takes a hundred instructions of a GPU and needs a branch around it. Divides without a
/// sign if the step is positive, so that SteppedLoops can do without the division. Runs first, when variables have been
/// promoted.
struct RoundCounts : llvm::PassInfoMixin<RoundCounts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
