// Sums of a loop's variable and what stays the same, as subscripts.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Adds the parts of such a subscript in 64 bits, where LLVM has found that 32 do as well: the part that stays the same
/// then belongs to the address that the loop begins with. For loops in simple form, before addresses move along.
struct WideSums : llvm::PassInfoMixin<WideSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
