#include "codegen/DeviceLink/ShortWays.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

/// Instructions of a short way, and values that are chosen.
static constexpr unsigned mostComputed = 2, mostChosen = 4;

namespace {

/// A branch with a short way that ends where the other begins.
struct ShortWay {
  BranchInst *branch = nullptr;
  BasicBlock *way, *meeting;
  bool isWayIfTrue;
};

bool isCheap(const Instruction &instruction) {
  unsigned code = instruction.getOpcode();
  bool isQuick = isa<CastInst, CmpInst, SelectInst, UnaryOperator>(instruction) || code == Instruction::FAdd ||
                 code == Instruction::FSub || code == Instruction::FMul ||
                 (isa<BinaryOperator>(instruction) && instruction.getType()->isIntegerTy());
  return isQuick && !instruction.isIntDivRem() && isSafeToSpeculativelyExecute(&instruction);
}

/// True if `way` does nothing but compute a little.
bool isShort(BasicBlock &way) {
  return way.size() <= mostComputed + 1 && all_of(make_range(way.begin(), std::prev(way.end())), isCheap);
}

/// The short way at the end of `block`; its branch is null if there is none.
ShortWay shortWayAt(BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || branch->isUnconditional() || !isa<FCmpInst>(branch->getCondition()))
    return {};
  for (unsigned side : {0, 1}) {
    BasicBlock *way = branch->getSuccessor(side), *meeting = branch->getSuccessor(1 - side);
    if (way != meeting && meeting != &block && way->getSinglePredecessor() == &block &&
        way->getSingleSuccessor() == meeting && isShort(*way))
      return {branch, way, meeting, side == 0};
  }
  return {};
}

bool isWorthwhile(const ShortWay &found) {
  BasicBlock *block = found.branch->getParent();
  return count_if(found.meeting->phis(), [&](const PHINode &value) {
           return value.getIncomingValueForBlock(found.way) != value.getIncomingValueForBlock(block);
         }) <= mostChosen;
}

void select(const ShortWay &found) {
  BasicBlock *block = found.branch->getParent();
  block->splice(found.branch->getIterator(), found.way, found.way->begin(), std::prev(found.way->end()));
  IRBuilder<> builder(found.branch);
  for (PHINode &value : found.meeting->phis()) {
    Value *onWay = value.getIncomingValueForBlock(found.way), *otherwise = value.getIncomingValueForBlock(block);
    value.removeIncomingValue(found.way, /*DeletePHIIfEmpty=*/false);
    if (onWay == otherwise)
      continue;
    Value *ifTrue = found.isWayIfTrue ? onWay : otherwise, *ifFalse = found.isWayIfTrue ? otherwise : onWay;
    value.setIncomingValueForBlock(block, builder.CreateSelect(found.branch->getCondition(), ifTrue, ifFalse));
  }
  builder.CreateBr(found.meeting);
  found.branch->eraseFromParent();
  found.way->eraseFromParent();
}

} // namespace

PreservedAnalyses ShortWays::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<BasicBlock *> blocks;
  for (BasicBlock &block : function)
    blocks.push_back(&block);
  SmallPtrSet<BasicBlock *, 8> gone;
  for (BasicBlock *block : blocks) {
    ShortWay found = gone.contains(block) ? ShortWay() : shortWayAt(*block);
    if (!found.branch || !isWorthwhile(found))
      continue;
    gone.insert(found.way);
    select(found);
  }
  return gone.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
