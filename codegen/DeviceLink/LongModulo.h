// MODULO of integers of 64 bits.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Computes MODULO of integer(8) by no division for a place that lies within the period, and by one of 32 bits if both
/// numbers have no more.
class LongModulo : public llvm::PassInfoMixin<LongModulo> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
