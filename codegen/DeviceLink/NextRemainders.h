// Neighbours in periodic arrays whose own place is a remainder.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Replaces the remainder of what is next to a remainder with the same divisor, as in mod(i + 1, n) of i = mod(at, n),
/// by a comparison. For code without local variables.
struct NextRemainders : llvm::PassInfoMixin<NextRemainders> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace cufort::codegen
