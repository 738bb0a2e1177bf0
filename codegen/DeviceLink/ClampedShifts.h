// Shifts by any number of bits.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Moves the zero that a shift by all bits or more gives, as Fortran has it, next to the shift. Instructions of GPUs
/// shift so by themselves, and LLVM's code generator knows that, but only where nothing is between the shift and the
/// choice, and the choice asks for the very number of bits. Runs last: other passes would move them apart again.
struct ClampedShifts : llvm::PassInfoMixin<ClampedShifts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
