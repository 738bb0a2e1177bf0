// Loops whose rounds are long because of divisions and roots.
#pragma once

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class LPMUpdater;
}

namespace cufort::codegen {

/// Keeps LLVM from unrolling such loops fully when that makes too much code. For loops in their final form, before they
/// are unrolled.
struct LongRounds : llvm::PassInfoMixin<LongRounds> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &updater);
};

} // namespace cufort::codegen
