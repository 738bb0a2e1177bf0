// Loops that count, for GPUs.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Counts the rounds of loops in 32 bits where that is enough, and with `unroll` asks for loops to be unrolled where
/// that helps a GPU. Runs before LLVM unrolls loops for good, on loops that are rotated.
struct CountedLoops : llvm::PassInfoMixin<CountedLoops> {
  explicit CountedLoops(bool unroll) : unroll(unroll) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

  bool unroll;
};

/// Lets loops around barriers that compare a counter with a constant compare the next round's: then the present one's
/// register is free for it. Other loops ptxas would unroll then, beyond what LLVM has done. Runs last, because LLVM
/// prefers the other form.
struct CompareNextCount : llvm::PassInfoMixin<CompareNextCount> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
