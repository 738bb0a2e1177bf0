// Loops over what is near an element, where the array ends.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Replaces loops over a window that is cut at the ends of an array, as in
///
///   do k = max(i - 1, 1), min(i + 1, n)
///
/// by as many copies of a round as the whole window has, each of which may be the last: addresses become constant
/// offsets from one, and no counter is left. LLVM does not see that there are three rounds at most. Others are left
/// alone: a loop that merges parts of two lists became slower. Runs on loops that are rotated, in LCSSA form.
struct WindowLoops : llvm::PassInfoMixin<WindowLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
