// Loops over threads whose threads have loops of their own.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"

namespace cufort::codegen {

/// A piece of what a thread does, which all threads come to together.
struct NestPart {
  llvm::BasicBlock *block;
  llvm::SmallVector<llvm::BasicBlock *, 0> ways; ///< where threads go different ways behind it
  llvm::BasicBlock *meeting = nullptr;           ///< where they meet again; null if they do not part
};

/// A number that grows by the same in each round of a loop.
struct NestCounter {
  llvm::Value *first, *step;
  llvm::BinaryOperator *next;
};

/// What is the same for all threads of a loop over threads: with loops that all threads go round equally often, it can
/// be done once for many of them, which do everything else side by side.
class ThreadNest {
public:
  /// `threads` is in simplified form, with inner loops, and in LCSSA form.
  ThreadNest(llvm::Loop &threads, llvm::LoopInfo &loops, llvm::PostDominatorTree &postTree)
      : threads(threads), loops(loops), postTree(postTree), before(threads.getLoopPreheader()),
        head(threads.getHeader()), latch(threads.getLoopLatch()), exit(threads.getUniqueExitBlock()) {}

  /// True if threads can do all that they do side by side, and if that pays: most accesses of inner loops are to
  /// neighbouring elements.
  bool analyse();

  llvm::Loop &threads;
  llvm::LoopInfo &loops;
  llvm::PostDominatorTree &postTree;
  llvm::BasicBlock *before, *head, *latch, *exit;

  llvm::SmallMapVector<llvm::PHINode *, NestCounter, 4> places;   ///< of the loop over threads
  llvm::SmallMapVector<llvm::PHINode *, NestCounter, 4> counters; ///< of inner loops; they begin differently
  llvm::SmallVector<NestPart, 0> parts;                           ///< in the order in which threads come to them
  llvm::SmallSetVector<llvm::Instruction *, 8> kept;              ///< what a later part needs from an earlier one
  uint64_t keptInLoops = 0;                                       ///< bytes of it that inner loops need
  unsigned valuesInLoops = 0;                                     ///< values that these are of
  unsigned nearAccesses = 0;                                      ///< of inner loops to neighbouring elements

  /// True if `value` may differ between threads.
  bool differs(const llvm::Value *value) const { return different.contains(value); }
  /// True if every part can compute `value` for itself from the number of the thread and what is the same.
  bool isCheap(const llvm::Value *value) const { return cheap.contains(value); }
  /// True if `phi` joins, at the start of a part, what differs between threads and has to be kept for each of them.
  bool isKeptPhi(llvm::PHINode &phi) const { return differs(&phi) && !isCheap(&phi) && !counters.count(&phi); }

private:
  bool findPlaces();
  bool canRun(const llvm::Instruction &instruction) const;
  void findDifferences();
  bool spreadTo(llvm::Instruction &instruction);
  bool part(llvm::BasicBlock &block);
  bool findParts();
  bool findCounters();
  void findCheap();
  bool isCheapOperation(llvm::Instruction &instruction) const;
  void findKept();
  void keep(llvm::Value *value);
  std::optional<int64_t> distance(llvm::Value *value) const;
  bool pays();
  bool findUnmarked();
  bool areUnmarkedApart() const;
  bool goesApart(const llvm::BasicBlock &block) const {
    return &block != latch && differs(conditionOf(*block.getTerminator()));
  }
  static const llvm::Value *conditionOf(const llvm::Instruction &terminator) {
    return terminator.getNumOperands() && terminator.getNumSuccessors() > 1 ? terminator.getOperand(0) : nullptr;
  }

  llvm::DenseSet<const llvm::Value *> different, cheap;
  llvm::DenseSet<const llvm::BasicBlock *> mixed;                     ///< threads may come here from several sides
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> owner; ///< the part that a block belongs to
  llvm::SmallVector<llvm::Instruction *> unmarked; ///< accesses that LLVM has moved and lost the mark of
  bool isPossible = true;
};

} // namespace cufort::codegen
