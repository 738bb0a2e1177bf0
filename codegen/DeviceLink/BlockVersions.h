// Versions of kernels for the shape of the blocks that a program launches them with.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace cufort::codegen {

/// Copies the kernels whose loops depend on the shape of their blocks, if it is known how they are launched, and
/// simplifies the copies for that shape. The copies are kernels beside the others.
class BlockVersions : public llvm::PassInfoMixin<BlockVersions> {
public:
  BlockVersions(llvm::PassBuilder &builder, llvm::OptimizationLevel level) : builder(builder), level(level) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  llvm::PassBuilder &builder;
  llvm::OptimizationLevel level;
};

/// Returns these copies, by the names of their kernels.
llvm::StringMap<KernelVersion> blockVersions(llvm::Module &module);

} // namespace cufort::codegen
