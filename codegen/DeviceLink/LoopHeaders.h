// Loops directly inside of others, until they have been unrolled.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Puts a mark at the head of each loop that does nothing before a loop inside of it begins, as an iteration over the
/// sides of a triangle does. Before LLVM unrolls loops it removes empty blocks: both would become one loop with two
/// ways back, whose rounds nobody can count. The mark is no code.
struct MarkLoopHeaders : llvm::PassInfoMixin<MarkLoopHeaders> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Removes the marks, of which each is needed only until then.
struct RemoveMarks : llvm::PassInfoMixin<RemoveMarks> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
