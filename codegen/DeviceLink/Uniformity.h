// Which values are the same in all threads of a block.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include <vector>

namespace cufort::codegen {

/// Looks at one function that every thread of a block executes. What it cannot tell counts as different.
class Uniformity {
public:
  /// What is known of a value beforehand.
  enum Origin { Same, Different, AsOperands };

  /// `originOf` says how a value comes about: the same in all threads, or different, whatever it is computed from, or
  /// as that. It is asked about arguments, values of several paths, loads, calls and other accesses to memory.
  Uniformity(llvm::Function &function, llvm::function_ref<Origin(const llvm::Value &)> originOf);

  /// True if all threads that compute `value` get the same.
  bool isUniform(const llvm::Value *value) const { return !divergent.contains(value); }
  /// True if all threads that come to the end of `block` go the same way.
  bool branchesTogether(const llvm::BasicBlock &block) const;

  /// A branch where threads go different ways, and the blocks on these ways, up to the place where all of them meet.
  struct Parting {
    const llvm::BasicBlock *branch;
    llvm::DenseSet<const llvm::BasicBlock *> ways;
  };
  llvm::ArrayRef<Parting> partings() const { return partingList; }

private:
  bool spreadThroughOperands(llvm::Function &function);
  bool spreadThroughBranches(llvm::Function &function);
  void separateFrom(llvm::BasicBlock &branch, llvm::BasicBlock *meeting);

  llvm::DenseSet<const llvm::Value *> divergent;
  llvm::DenseSet<const llvm::Value *> same;           ///< whatever they are computed from
  llvm::DenseSet<const llvm::BasicBlock *> separated; ///< threads may come here from several sides
  llvm::DenseSet<const llvm::BasicBlock *> branches;  ///< whose threads go different ways
  std::vector<Parting> partingList;
};

} // namespace cufort::codegen
