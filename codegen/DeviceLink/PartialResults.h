// Reductions of CUF kernels that run as compiled loops over blocks.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace cufort::codegen {

/// What the names of routines begin with that hand a value to the grid; kind and type follow.
inline constexpr llvm::StringLiteral reductionPrefix = "__cufx_grid_reduce_";

/// True if `function` is part of the reductions of the device library. It stays outside kernels until their compiled
/// loops exist.
bool isGridReduction(const llvm::Function &function);

/// The calls in `function` that hand a value to the grid.
llvm::SmallVector<llvm::CallInst *> reductionsIn(llvm::Function &function);

/// Lets the threads that one call of the emulated device runs combine their values among themselves, without a lock,
/// and then deliver once to the grid.
class PartialResults {
public:
  /// Changes the grid reductions of `body`, which is inlined later: they collect into memory whose address comes as
  /// one further parameter each. Returns the new body, or `body` itself if it has none. The old one is left as it is.
  llvm::Function *collectIn(llvm::Function &body);

  /// Emits memory for the partial results, empty. Returns the further arguments of the body.
  llvm::SmallVector<llvm::Value *> begin(llvm::IRBuilder<> &builder);
  /// Emits what delivers the partial results; `builder` stands behind it afterwards.
  void end(llvm::IRBuilder<> &builder);

private:
  llvm::SmallVector<llvm::Function *> reductions; ///< what each partial result is delivered to
  llvm::SmallVector<llvm::Value *> partials;
};

} // namespace cufort::codegen
