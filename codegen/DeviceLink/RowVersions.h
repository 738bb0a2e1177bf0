// Versions of kernels for grids that have a thread for each place of a row.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Copies the kernels in which loops with the stride of the grid are in each other, without the inner one. The copies
/// are kernels beside the others. For what the front end has made: other passes take such loops apart.
struct RowVersions : llvm::PassInfoMixin<RowVersions> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

/// True if `kernel` has such a copy, or is one.
bool hasRowVersion(const llvm::Function &kernel);

/// Returns these copies, by the names of their kernels.
llvm::StringMap<KernelVersion> rowVersions(llvm::Module &module);

} // namespace cufort::codegen
