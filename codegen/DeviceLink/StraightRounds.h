// Rounds of loops without branches.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// In loops that load elements, computes both sides of conditions that choose between a few numbers, as counts of
/// several kinds of elements, and selects.
class StraightRounds : public llvm::PassInfoMixin<StraightRounds> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
