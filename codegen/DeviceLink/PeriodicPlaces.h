// Remainders of places that lie at most a period outside.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Replaces divisions for neighbours in periodic arrays, as modulo(i - 1, n) with i from 0 to n - 1, by a comparison
/// and an addition.
class PeriodicPlaces : public llvm::PassInfoMixin<PeriodicPlaces> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
