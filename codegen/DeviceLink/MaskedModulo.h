// MODULO by a power of two.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes one AND of MODULO with a constant power of two, as Flang's lowering computes it from a remainder. LLVM does so
/// for remainders of numbers that are not negative only. Runs before LLVM has changed the form of either.
struct MaskedModulo : llvm::PassInfoMixin<MaskedModulo> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
