// In:  do i = ...                      Out: do i = ...
//        if (x(i) > a) then                   isAbove = x(i) > a
//          above = above + 1                  isBelow = .not. isAbove .and. x(i) < b
//        else if (x(i) < b) then              above = isAbove ? above + 1 : above
//          below = below + 1                  below = isBelow ? below + 1 : below
//        end if
//
// With branches a thread waits for an element before it loads that of the next round. LLVM removes them only for single
// operations.

#include "codegen/DeviceLink/StraightRounds.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

/// Operations of a round that are computed for nothing, where they are not chosen.
static constexpr unsigned mostOperations = 10;

/// True for what takes an instruction or two, and may be computed without need.
static bool isCheap(const Instruction &instruction) {
  if (isa<BranchInst, PHINode>(instruction))
    return true;
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return isa<MinMaxIntrinsic>(call) || call->getIntrinsicID() == Intrinsic::fabs ||
           call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::maxnum ||
           call->getIntrinsicID() == Intrinsic::minnum || call->getIntrinsicID() == Intrinsic::abs;
  if (auto *operation = dyn_cast<BinaryOperator>(&instruction); operation && operation->isIntDivRem())
    return false;
  return instruction.getOpcode() != Instruction::FDiv && instruction.getOpcode() != Instruction::FRem &&
         (isa<BinaryOperator, CmpInst, SelectInst, CastInst, FreezeInst>(instruction) ||
          instruction.getOpcode() == Instruction::FNeg);
}

namespace {

class Round {
public:
  Round(Loop &loop, LoopInfo &loops, DominatorTree &tree)
      : loop(loop), loops(loops), tree(tree), updater(tree, DomTreeUpdater::UpdateStrategy::Eager) {}

  /// True if the loop ends behind its last block only, and all conditions in it choose between cheap numbers.
  bool canBeStraight() const {
    BasicBlock *latch = loop.getLoopLatch();
    if (!loop.isInnermost() || loop.getNumBlocks() == 1 || !latch || loop.getExitingBlock() != latch)
      return false;
    unsigned operations = 0;
    bool loads = false;
    for (BasicBlock *block : loop.blocks()) {
      bool isConditional = !tree.dominates(block, latch);
      for (Instruction &instruction : *block) {
        if (isConditional && (!isCheap(instruction) || (!instruction.isTerminator() && ++operations > mostOperations)))
          return false;
        loads |= isa<LoadInst>(instruction);
      }
    }
    return loads;
  }

  bool straighten() {
    bool changed = false;
    while (BasicBlock *block = findCondition()) {
      removeCondition(*block);
      changed = true;
    }
    return changed;
  }

private:
  /// True if `block` does something only between `before` and `join`.
  static bool isArm(BasicBlock &block, BasicBlock &before, BasicBlock &join) {
    return block.getSinglePredecessor() == &before && block.getSingleSuccessor() == &join &&
           !isa<PHINode>(block.front());
  }

  /// Where the ways from the condition at the end of `block` meet again, if there is nothing but an arm on each; null
  /// if there is more.
  BasicBlock *joinBehind(BasicBlock &block) const {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || &block == loop.getLoopLatch())
      return nullptr;
    BasicBlock *first = branch->getSuccessor(0), *second = branch->getSuccessor(1);
    if (first == second)
      return nullptr;
    for (BasicBlock *join : {second, first, first->getSingleSuccessor()})
      if (join && join != loop.getHeader() && (first == join || isArm(*first, block, *join)) &&
          (second == join || isArm(*second, block, *join)))
        return join;
    return nullptr;
  }

  BasicBlock *findCondition() const {
    for (BasicBlock *block : loop.blocks())
      if (joinBehind(*block))
        return block;
    return nullptr;
  }

  void removeCondition(BasicBlock &block) {
    BasicBlock *join = joinBehind(block);
    auto *branch = cast<BranchInst>(block.getTerminator());
    BasicBlock *arms[] = {branch->getSuccessor(0), branch->getSuccessor(1)};
    for (BasicBlock *arm : arms)
      if (arm != join)
        for (Instruction &instruction :
             make_early_inc_range(make_range(arm->begin(), arm->getTerminator()->getIterator()))) {
          instruction.dropUBImplyingAttrsAndMetadata();
          instruction.moveBefore(branch->getIterator());
        }
    IRBuilder<> builder(branch);
    for (PHINode &phi : join->phis()) {
      Value *values[] = {phi.getIncomingValueForBlock(arms[0] == join ? &block : arms[0]),
                         phi.getIncomingValueForBlock(arms[1] == join ? &block : arms[1])};
      Value *value =
          values[0] == values[1] ? values[0] : builder.CreateSelect(branch->getCondition(), values[0], values[1]);
      for (BasicBlock *arm : arms)
        if (int index = arm != join ? phi.getBasicBlockIndex(arm) : -1; index >= 0)
          phi.removeIncomingValue(index, /*DeletePHIIfEmpty=*/false);
      if (int index = phi.getBasicBlockIndex(&block); index >= 0)
        phi.setIncomingValue(index, value);
      else
        phi.addIncoming(value, &block);
    }
    connect(block, *join, arms);
  }

  /// Lets `join` follow `block` directly, and deletes `arms`.
  void connect(BasicBlock &block, BasicBlock &join, ArrayRef<BasicBlock *> arms) {
    SmallVector<DominatorTree::UpdateType> updates;
    bool wasNext = is_contained(arms, &join);
    for (BasicBlock *arm : arms)
      if (arm != &join)
        updates.append({{DominatorTree::Delete, &block, arm}, {DominatorTree::Delete, arm, &join}});
    if (!wasNext)
      updates.push_back({DominatorTree::Insert, &block, &join});
    ReplaceInstWithInst(block.getTerminator(), BranchInst::Create(&join));
    for (BasicBlock *arm : arms)
      if (arm != &join)
        arm->getTerminator()->eraseFromParent(), new UnreachableInst(arm->getContext(), arm);
    updater.applyUpdates(updates);
    for (BasicBlock *arm : arms)
      if (arm != &join) {
        loops.removeBlock(arm);
        updater.deleteBB(arm);
      }
    if (join.getSinglePredecessor() == &block)
      MergeBlockIntoPredecessor(&join, &updater, &loops);
  }

  Loop &loop;
  LoopInfo &loops;
  DominatorTree &tree;
  DomTreeUpdater updater;
};

} // namespace

PreservedAnalyses cufort::codegen::StraightRounds::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (Round round(*loop, loops, tree); round.canBeStraight())
      changed |= round.straighten();
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserve<LoopAnalysis>();
  preserved.preserve<DominatorTreeAnalysis>();
  return preserved;
}
