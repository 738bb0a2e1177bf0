// Addresses of neighbours in arrays.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Computes addresses of memory from others of the same array where the distance is a constant or a simple product,
/// such as a row or a plane, and lets loops carry those that they would multiply for. Runs last, on optimised GPU code,
/// because it hides from analyses where an address leads to.
struct AddressChains : llvm::PassInfoMixin<AddressChains> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
