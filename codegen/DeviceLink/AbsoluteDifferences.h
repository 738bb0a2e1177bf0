// Absolute differences of integers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes one instruction of abs(a - b) in 32 bits, and of c + abs(a - b). LLVM would calculate with the 16 bits of
/// numbers that have no more, by a minimum and a maximum.
struct AbsoluteDifferences : llvm::PassInfoMixin<AbsoluteDifferences> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace cufort::codegen
