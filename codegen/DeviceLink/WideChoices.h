// Numbers of 8 and 16 bits that conditions choose.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Chooses among constants and other numbers of 8 and 16 bits in 32 bits, if what is chosen is stored, or extended.
/// LLVM narrows what is cut off later. A register of a GPU has 32 bits, and ptxas keeps its upper half by an
/// instruction more for each choice. Runs last: simplification would undo it.
struct WideChoices : llvm::PassInfoMixin<WideChoices> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
