// Versions of kernels for the shape of the blocks that a program launches them with.
#pragma once

#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace cufort::codegen {

/// Copies the kernels whose loops depend on the shape of their blocks, if it is known how they are launched, and
/// simplifies the copies for that shape. The copies are kernels beside the others until joinBlockVersions.
class BlockVersions : public llvm::PassInfoMixin<BlockVersions> {
public:
  BlockVersions(llvm::PassBuilder &builder, llvm::OptimizationLevel level) : builder(builder), level(level) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  llvm::PassBuilder &builder;
  llvm::OptimizationLevel level;
};

/// Makes one kernel of each kernel and its copy: it looks at the shape of its blocks.
void joinBlockVersions(llvm::Module &module);

} // namespace cufort::codegen
