// What a kernel computes before it is known that a thread has an element.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Moves what the first block of a kernel computes behind the condition at its end if only that way uses it: there the
/// extents of arrays are known not to be negative. LLVM's pass that sinks instructions moves all of them towards their
/// uses, also the polynomial of a sine over the branches of the next one: the coefficients that have been loaded for it
/// then wait in registers.
struct BehindGuards : llvm::PassInfoMixin<BehindGuards> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
