// Elements that a round of a loop loads and the round before has had.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Keeps elements that a round stores or loads in a register for the next round if that would load them: a sweep along
/// a column reads what it has just written, and neighbours in the direction of a loop are read once. LLVM does so for
/// neighbouring addresses only. For innermost loops in LCSSA form.
struct CarriedElements : llvm::PassInfoMixin<CarriedElements> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Removes stores in loops to elements of a thread's own arrays that nothing loads any more: those of a sweep, say,
/// whose rounds hand on the element in a register. For innermost loops in LCSSA form.
struct UnreadElements : llvm::PassInfoMixin<UnreadElements> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
