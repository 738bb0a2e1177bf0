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

/// Saves registers of counters: loops around barriers, and with more than one condition, that compare a counter with a
/// constant compare the next round's instead, so that the present one's register is free for it; a counter that only
/// goes from zero to the number of rounds goes from there to zero. Innermost loops that load compare the next round's
/// count, too: ptxas unrolls them then. Runs last, because LLVM prefers the other forms.
struct LeanCounters : llvm::PassInfoMixin<LeanCounters> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
