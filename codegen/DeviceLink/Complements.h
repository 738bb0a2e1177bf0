// Subscripts that go down while a loop's variable goes up.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes differences of complements in addresses: LLVM takes -1 - d for the complement of d, and that of a copy of a
/// round for an exclusive or, so that neighbours are not seen to be such. Runs when loops have been unrolled, before
/// addresses are compared.
struct Complements : llvm::PassInfoMixin<Complements> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
