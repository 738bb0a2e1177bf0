// Stores that wait for those of the elements beside them.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Moves stores behind the conditionals that follow them, if what is stored there lies beside: components of an element
/// of which each is chosen by conditions. They then become one store, or at least follow each other, and the memory gets
/// whole sectors.
struct LateStores : llvm::PassInfoMixin<LateStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
