// Where the two blocks of a pair may go different ways (BlockPairs).
#pragma once

#include "codegen/DeviceLink/Uniformity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <memory>

namespace cufort::codegen {

/// Looks at a function that does what a kernel does in the first of two blocks, before it also does what is done in the
/// second. Beside branches that may differ it sets code for each block alone.
class PairPartings {
public:
  PairPartings() = default;
  PairPartings(const PairPartings &) = delete;
  PairPartings &operator=(const PairPartings &) = delete;
  ~PairPartings() { drop(); }

  using OriginOf = llvm::function_ref<Uniformity::Origin(const llvm::Value &)>;

  /// Takes out the branches of `function` in which blocks may differ, which originOf() is about beside `others`: from
  /// then on both go the same way. Returns false if that is not possible.
  bool takeOut(llvm::Function &function, OriginOf others);

  /// What is known of a value beforehand (see Uniformity).
  Uniformity::Origin originOf(const llvm::Value &value, OriginOf others) const;

  /// True if only one of the blocks may come to `block`.
  bool isOnWays(const llvm::BasicBlock &block) const { return onWays.contains(&block); }

  /// Puts the branches back, now that `second` has what values are in the second block.
  void putBack(const llvm::DenseMap<const llvm::Value *, llvm::Value *> &second);

  /// Forgets the branches, instead. Before the function is deleted.
  void drop();

private:
  /// What a value of several paths is, by the block that it comes from.
  struct Result {
    llvm::PHINode *value;
    llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::Value *>, 2> incoming;
  };

  /// The ways for one block alone.
  struct Copy {
    llvm::BasicBlock *branch = nullptr; ///< from where it is alone
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<llvm::BasicBlock *> ways;
    /// Values of several paths, where the ways begin, and what comes from the branch if that is on a way itself.
    llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> begun;
  };

  struct Parting {
    llvm::BasicBlock *branch, *together, *meeting;
    llvm::Value *condition;
    llvm::BasicBlock *successors[2];
    bool isLoop; ///< the branch is on a way, too
    llvm::SmallVector<Result, 2> results;
    /// What is computed on the way to the branch of a loop, and may be used on the way from it.
    llvm::SmallVector<llvm::Instruction *> carried;
    Copy copies[2];
  };

  using ValueOf = llvm::function_ref<llvm::Value *(llvm::Value *)>;

  bool takeOut(const Uniformity::Parting &found);
  void copyWays(Parting &parting, llvm::ArrayRef<llvm::BasicBlock *> ways);
  void branchTogether(Parting &parting);
  void putBack(Parting &parting, ValueOf ofFirst, ValueOf ofSecond);
  void mergeResults(Parting &parting, ValueOf ofFirst, ValueOf ofSecond);

  llvm::SmallVector<std::unique_ptr<Parting>> partings;
  llvm::DenseSet<const llvm::Value *> same, different;
  llvm::DenseSet<const llvm::BasicBlock *> onWays;
  size_t copied = 0; ///< instructions
};

} // namespace cufort::codegen
