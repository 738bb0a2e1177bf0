// Tables that LLVM makes of SELECT CASE.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Chooses among the numbers of small tables. Where cases differ in numbers only, LLVM makes a table of these, which a
/// GPU has to read from memory before it goes on; a choice among a few costs less than one of those reads.
struct SmallTables : llvm::PassInfoMixin<SmallTables> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
