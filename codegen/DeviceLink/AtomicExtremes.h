// Greatest and least real numbers, found atomically.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets one atomic operation on integers do atomicMax and atomicMin of real(4) and real(8), which GPUs do not have for
/// real numbers; LLVM would make loops of compare-and-swap of them. Operands that are no numbers change nothing, and
/// nothing changes elements that are none.
struct AtomicExtremes : llvm::PassInfoMixin<AtomicExtremes> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
