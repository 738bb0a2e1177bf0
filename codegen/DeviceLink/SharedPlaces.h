// Subscripts and addresses that several ways through a kernel compute alike.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Computes before the ways what at least three of them compute alike, as the address of a row of which three elements
/// are each loaded within a condition. LLVM moves computations to a common place if all ways do them; here some do, and
/// what is computed in vain is integers. For optimised code.
struct SharedPlaces : llvm::PassInfoMixin<SharedPlaces> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
