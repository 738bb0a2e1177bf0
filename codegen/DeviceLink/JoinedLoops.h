// Loops over the same elements, as of several reductions of an array.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes one loop of two that follow each other, have as many rounds, write nothing, and read an element in common, which
/// is then loaded once. For innermost loops of one block in simplified form; leaves loops that are not in LCSSA form
/// behind.
struct JoinedLoops : llvm::PassInfoMixin<JoinedLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
