// Conversions to integers, and roundings.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes one instruction of a conversion of a number to an integer of 32 or 64 bits, with the FLOOR or CEILING that it
/// may follow, and three of ANINT and of NINT. LLVM takes up to ten, to have zero for what is not a number, where Fortran asks for
/// nothing (2018, 16.9.100) and nvcc has the lowest integer for real(8). Runs last: LLVM knows more of its own forms.
struct Roundings : llvm::PassInfoMixin<Roundings> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
