// Loops that count, for GPUs.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Counts the rounds of loops in 32 bits where that is enough, and asks for small innermost loops to be unrolled.
/// Runs before LLVM unrolls loops for good, on loops that are rotated.
struct CountedLoops : llvm::PassInfoMixin<CountedLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
