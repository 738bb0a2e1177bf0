// Conversions of reals to short integers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Converts reals to integers of 8 and 16 bits by way of 32 bits, as GPUs do. Flang has them end at the least and the
/// greatest number of the type, with 0 for NaN, which takes five instructions; what is beyond a type has no value that
/// a program may use (Fortran 2018, 16.9.100).
struct ShortConversions : llvm::PassInfoMixin<ShortConversions> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
