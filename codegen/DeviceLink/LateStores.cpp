// In:  store of x to p          Out: if ... y = ... else y = ...
//      if ... y = ... else y = ...   store of x to p
//      store of y to p + 4           store of y to p + 4

#include "codegen/DeviceLink/LateStores.h"
#include "codegen/DeviceLink/NeighbouringStores.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Conditionals of more blocks are not looked through.
constexpr unsigned mostBlocks = 16;

/// Moves the stores of a function.
class Mover {
public:
  Mover(Function &function, FunctionAnalysisManager &analyses)
      : tree(analyses.getResult<DominatorTreeAnalysis>(function)),
        after(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)), aliases(analyses.getResult<AAManager>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)) {}

  /// Moves the last stores of `block`; returns true if there are any to move.
  bool moveFrom(BasicBlock &block) {
    BasicBlock *end = endOfConditional(block);
    if (!end)
      return false;
    SmallVector<BasicBlock *> between;
    if (!findBetween(block, *end, between))
      return false;
    bool changed = false;
    for (StoreInst *store : lastStores(block))
      if (Instruction *neighbour = neighbourIn(*store, *end); neighbour && canPass(*store, between)) {
        store->moveBefore(neighbour->getIterator());
        changed = true;
      }
    return changed;
  }

private:
  /// The block behind the conditional that `block` ends with, or null.
  BasicBlock *endOfConditional(BasicBlock &block) const {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    auto *node = branch && branch->isConditional() ? after.getNode(&block) : nullptr;
    BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    bool isBehind = end && tree.properlyDominates(&block, end) && loops.getLoopFor(&block) == loops.getLoopFor(end);
    return isBehind ? end : nullptr;
  }

  /// The blocks of the conditional between `block` and `end`. Returns false if they are many, or make a loop.
  bool findBetween(BasicBlock &block, BasicBlock &end, SmallVector<BasicBlock *> &between) const {
    SmallPtrSet<BasicBlock *, 16> seen;
    SmallVector<BasicBlock *> left(successors(&block));
    while (!left.empty()) {
      BasicBlock *next = left.pop_back_val();
      if (next == &end || !seen.insert(next).second)
        continue;
      if (seen.size() > mostBlocks || loops.getLoopFor(next) != loops.getLoopFor(&block) || next == &block)
        return false;
      between.push_back(next);
      append_range(left, successors(next));
    }
    return true;
  }

  /// The stores of `block` with nothing behind them that they may not pass, the last one first.
  SmallVector<StoreInst *> lastStores(BasicBlock &block) {
    SmallVector<StoreInst *> stores;
    SmallVector<Instruction *> behind;
    for (Instruction &instruction : reverse(block)) {
      if (!instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects())
        continue;
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (store && store->isSimple() && isToGlobalMemory(*store) &&
          all_of(behind, [&](const Instruction *each) { return isIndependent(*store, *each); }))
        stores.push_back(store);
      behind.push_back(&instruction);
      if (behind.size() > mostBlocks)
        break;
    }
    return stores;
  }

  /// Stores to other memory do not wait for sectors.
  static bool isToGlobalMemory(const StoreInst &store) {
    const Value *object = getUnderlyingObject(store.getPointerOperand(), /*MaxLookup=*/0);
    return !isa<GlobalVariable, AllocaInst>(object);
  }

  /// True if it makes no difference whether `store` or `other` comes first.
  bool isIndependent(const StoreInst &store, const Instruction &other) {
    return (!other.mayHaveSideEffects() || isa<StoreInst>(other)) &&
           aliases.getModRefInfo(&other, MemoryLocation::get(&store)) == ModRefInfo::NoModRef;
  }

  /// The store in `end` beside which `store` would be, with no other access before it that `store` may not pass.
  Instruction *neighbourIn(const StoreInst &store, BasicBlock &end) {
    for (Instruction &instruction : end) {
      if (auto *other = dyn_cast<StoreInst>(&instruction); other && isBeside(store, *other))
        return other;
      if ((instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) &&
          !isIndependent(store, instruction))
        return nullptr;
    }
    return nullptr;
  }

  bool isBeside(const StoreInst &store, const StoreInst &other) {
    const DataLayout &layout = store.getDataLayout();
    Type *type = store.getValueOperand()->getType(), *otherType = other.getValueOperand()->getType();
    int64_t size = layout.getTypeStoreSize(type);
    if (!other.isSimple() || store.getPointerAddressSpace() != other.getPointerAddressSpace() ||
        int64_t(layout.getTypeStoreSize(otherType)) != size || 2 * size > mostStoredBytes)
      return false;
    std::optional<int64_t> bytes = distanceBetween(store, other, evolution);
    return bytes && *bytes != 0 && *bytes % size == 0 && std::abs(*bytes) < mostStoredBytes;
  }

  /// True if nothing in `between` needs to see `store`, or not to see it.
  bool canPass(const StoreInst &store, ArrayRef<BasicBlock *> between) {
    return all_of(between, [&](BasicBlock *block) {
      return all_of(*block, [&](const Instruction &each) {
        return (!each.mayReadOrWriteMemory() && !each.mayHaveSideEffects()) || isIndependent(store, each);
      });
    });
  }

  DominatorTree &tree;
  PostDominatorTree &after;
  LoopInfo &loops;
  AAResults &aliases;
  ScalarEvolution &evolution;
};

} // namespace

PreservedAnalyses cufort::codegen::LateStores::run(Function &function, FunctionAnalysisManager &analyses) {
  Mover mover(function, analyses);
  bool changed = false;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    changed |= mover.moveFrom(*block);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
