// Stores of neighbouring elements that LLVM has severed.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Gives each of the branches that meet in a block a store at its beginning, if it continues what they have stored, as
/// the imaginary part of a complex number does. LLVM moves the last stores of branches behind these, where they do not
/// become one with those of the elements beside them.
struct SeveredStores : llvm::PassInfoMixin<SeveredStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
