// Conditions on one value that LLVM has joined into a choice between them.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets conditions that exclude each other follow one another, where LLVM has made a choice of them: threads at the
/// edges of a tile that read what lies beside it. ptxas executes short conditionals without branches, and then all they
/// read is on its way at once; in a choice each waits for what the one before it reads.
struct SeparateCases : llvm::PassInfoMixin<SeparateCases> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
