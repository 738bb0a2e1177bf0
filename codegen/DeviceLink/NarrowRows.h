// Places of rows before the one of a thread.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Lets subscripts that are known not to be negative keep 32 bits until they are multiplied by an extent. For addresses
/// that have become what they stay.
struct NarrowRows : llvm::PassInfoMixin<NarrowRows> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
