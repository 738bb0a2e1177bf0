// Stores into arrays of a thread at one of several known places.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Splits stores whose address depends on the way that a thread has come, where each way knows it: behind the unrolled
/// rounds of a search in a sorted list, say, which end at the place for a new element. Each way then has a store of its
/// own. LLVM holds arrays in registers if all their places are constant, which this is for; other arrays keep their
/// stores.
struct LocalStores : llvm::PassInfoMixin<LocalStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
