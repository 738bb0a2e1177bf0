// Variables of loops that count down.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Gives a variable of 32 bits that a DO loop counts down, and that is part of subscripts, 64 bits. LLVM does this for
/// loops that count up. The number of rounds, which goes down beside it in 64 bits, would become the variable's other
/// name, without LLVM's knowing that it never overflows. Runs first, when variables have been promoted.
struct WideVariables : llvm::PassInfoMixin<WideVariables> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
