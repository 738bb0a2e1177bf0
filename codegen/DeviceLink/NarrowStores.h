// Stores of a part of the bits of a real number.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Takes the low part of a real number's bits out of its register before it is stored. LLVM stores it from the register
/// of the whole number, as PTX allows (st: a source that is wider is cut off). ptxas 13.0 makes a conversion to an
/// integer of that, if a floating-point instruction has computed the number: the sum of a reduction, which goes through
/// memory in words, lost its low word. Runs last: simplification would undo it.
struct NarrowStores : llvm::PassInfoMixin<NarrowStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
