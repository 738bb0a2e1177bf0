// Loops that use the parts of a buffer in turn.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Unrolls loops in which something comes back to where it was after a few rounds, as mod(k, 3) does, or two numbers that
/// are exchanged in each round: in each of so many copies it is a constant, and addresses that depend on it are offsets.
/// Such loops may have barriers, since each copy decides whether there is another round, as before. Runs when loops have
/// been simplified and rotated.
struct RotatingPlaces : llvm::PassInfoMixin<RotatingPlaces> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
