// Places that branches store to.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets a place be stored to once, behind a conditional all of whose ways store to it, some of them several times: an
/// element that cases assign to, and that further conditions may change. Threads of a warp that have taken different
/// ways then store together, and the memory gets whole sectors.
struct StoredOnce : llvm::PassInfoMixin<StoredOnce> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
