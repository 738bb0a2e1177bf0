// Which values are the same in all threads of a block.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// Looks at one function that every thread of a block executes. What it cannot tell counts as different.
class Uniformity {
public:
  /// `isSource` says whether a value is different where nothing that it is computed from is; it is asked about
  /// arguments, loads, calls and other accesses to memory.
  Uniformity(llvm::Function &function, llvm::function_ref<bool(const llvm::Value &)> isSource);

  /// True if all threads that compute `value` get the same.
  bool isUniform(const llvm::Value *value) const { return !divergent.contains(value); }
  /// True if all threads that come to the end of `block` go the same way.
  bool branchesTogether(const llvm::BasicBlock &block) const;

private:
  bool spreadThroughOperands(llvm::Function &function);
  bool spreadThroughBranches(llvm::Function &function);
  void separateFrom(llvm::BasicBlock &branch, llvm::BasicBlock *meeting);

  llvm::DenseSet<const llvm::Value *> divergent;
  llvm::DenseSet<const llvm::BasicBlock *> separated; ///< threads may come here from several sides
  llvm::DenseSet<const llvm::BasicBlock *> branches;  ///< whose threads go different ways
};

} // namespace cufort::codegen
