// Branches that store to the same place.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets branches that end with a store to the same place, as the cases of a choice that an element is assigned in, go
/// to one store: threads of a warp that have taken different branches store together. LLVM does so only for two
/// branches with nothing behind the stores.
struct JoinedStores : llvm::PassInfoMixin<JoinedStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
