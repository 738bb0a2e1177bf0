// Second versions of kernels, for arguments of which more is known.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace cufort::codegen {

/// `first` and what follows it, in the order that the blocks have in the kernel.
llvm::SmallVector<llvm::BasicBlock *> blocksFrom(llvm::BasicBlock &first);

/// A copy of what a kernel does from a block on, beside the original.
class KernelVersion {
public:
  /// Copies what follows `first`, a block without phis that nothing jumps back to. The names of the copies end in
  /// `suffix`. A new block, which local variables are in if `first` was the entry, is to decide between both.
  KernelVersion(llvm::BasicBlock &first, const llvm::Twine &suffix);

  llvm::ArrayRef<llvm::BasicBlock *> blocks() const { return copies; }

  /// What the copy has for `value` of the original.
  llvm::Value *lookup(llvm::Value *value) const;

  /// Ends the deciding block: the copy runs if `builder`, whose place is there, has computed a `condition` that holds,
  /// which is likely. The condition must be the same in all threads of the grid. Returns the branch.
  llvm::BranchInst &useIf(llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &builder)> condition);

private:
  llvm::BasicBlock &first;
  llvm::BasicBlock *decision;
  llvm::SmallVector<llvm::BasicBlock *> copies;
  llvm::ValueToValueMapTy map;
};

/// Emits whether all `versions` of descriptors say that their arrays have plain strides (cufortNoteStrides).
llvm::Value *emitHavePlainStrides(llvm::IRBuilder<> &builder, llvm::ArrayRef<llvm::Value *> versions);

/// True if nothing but loads uses `argument`, so that its memory has what the caller put there.
bool isOnlyLoaded(const llvm::Argument &argument);

/// The argument and the constant offset that `address` is made of; null if it is made of something else.
std::pair<llvm::Argument *, int64_t> placeInArgument(llvm::Value *address, const llvm::DataLayout &layout);

} // namespace cufort::codegen
