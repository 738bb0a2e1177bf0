// Nests of loops over small arrays that belong to a thread.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Unrolls loops around other loops completely if their rounds are few and their variables choose elements of arrays
/// that a thread's registers hold: only constant subscripts let an array live there. In a factorisation the bounds of
/// inner loops depend on outer variables, so the outermost loops come first; innermost loops are left to CountedLoops.
/// Runs when loops have been simplified and rotated.
struct LocalNests : llvm::PassInfoMixin<LocalNests> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
