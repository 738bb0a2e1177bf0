// How many elements sections have.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Takes a section for as long as the array that it is all of. Runs behind InstCombine, each time.
struct SectionExtents : llvm::PassInfoMixin<SectionExtents> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
