#include "codegen/DeviceLink/DoubleSelections.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// True if `instruction` computes in double precision, and does not merely put a value together.
bool isDoubleArithmetic(const Instruction &instruction) {
  if (!instruction.getType()->isDoubleTy())
    return false;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsic->getIntrinsicID() != Intrinsic::fabs && intrinsic->getIntrinsicID() != Intrinsic::nvvm_fabs &&
           intrinsic->getIntrinsicID() != Intrinsic::nvvm_lohi_i2d;
  return isa<BinaryOperator, UnaryOperator>(instruction);
}

bool isMovable(const Instruction &instruction) {
  return !isa<PHINode>(instruction) && !instruction.mayReadOrWriteMemory() &&
         isSafeToSpeculativelyExecute(&instruction);
}

/// The value of `value` where `condition` is `known`.
Value *valueWhere(Value *value, const Value *condition, bool known) {
  while (auto *select = dyn_cast<SelectInst>(value)) {
    if (select->getCondition() != condition)
      break;
    value = known ? select->getTrueValue() : select->getFalseValue();
  }
  return value;
}

/// Leaves out selections whose condition is that of `select`.
void leaveOutKnown(SelectInst &select) {
  Value *condition = select.getCondition();
  select.setTrueValue(valueWhere(select.getTrueValue(), condition, true));
  select.setFalseValue(valueWhere(select.getFalseValue(), condition, false));
}

/// Merges `select` with another one of a value that both may take.
void mergeWithOther(SelectInst &select) {
  Value *condition = select.getCondition(), *onTrue = select.getTrueValue(), *onFalse = select.getFalseValue();
  Value *other, *rest;
  IRBuilder<> builder(&select);
  if (match(onFalse, m_OneUse(m_Select(m_Value(other), m_Specific(onTrue), m_Value(rest))))) {
    select.setCondition(builder.CreateLogicalOr(condition, other));
    select.setFalseValue(rest);
  } else if (match(onTrue, m_OneUse(m_Select(m_Value(other), m_Value(rest), m_Specific(onFalse))))) {
    select.setCondition(builder.CreateLogicalAnd(condition, other));
    select.setTrueValue(rest);
  }
}

void simplify(SelectInst &select) {
  Value *before[] = {select.getTrueValue(), select.getFalseValue()};
  leaveOutKnown(select);
  mergeWithOther(select);
  for (Value *value : before)
    if (auto *unused = dyn_cast<SelectInst>(value))
      RecursivelyDeleteTriviallyDeadInstructions(unused);
}

/// Selections of one block by one condition, and what only one side of them uses.
class Choice {
public:
  Choice(SelectInst &first, const DominatorTree &tree) : tree(tree), first(first) {
    for (Instruction *next = &first; next; next = next->getNextNode())
      if (auto *select = dyn_cast<SelectInst>(next); select && joins(*select))
        selects.insert(select);
    collect(/*side=*/true);
    collect(/*side=*/false);
    leaveOutLateOperands();
  }

  /// True if computing one side saves arithmetic.
  bool pays() const {
    for (const auto &side : sides)
      if (any_of(side, [](Instruction *instruction) { return isDoubleArithmetic(*instruction); }))
        return true;
    return false;
  }

  /// Returns the blocks that have been made.
  SmallVector<BasicBlock *> branch(DomTreeUpdater &updater);

private:
  using Side = SmallSetVector<Instruction *, 8>;

  bool joins(const SelectInst &select) const {
    return select.getCondition() == first.getCondition() && !select.getType()->isVectorTy();
  }

  static Value *operandOf(const SelectInst &select, bool side) { return select.getOperand(side ? 1 : 2); }

  /// True if `user` takes `value` on this side only.
  bool usesOnSide(const User *user, const Value *value, bool side) const {
    auto *instruction = dyn_cast<Instruction>(user);
    if (!instruction)
      return false;
    if (auto *select = dyn_cast<SelectInst>(instruction); select && selects.contains(const_cast<SelectInst *>(select)))
      return operandOf(*select, side) == value && operandOf(*select, !side) != value && select->getCondition() != value;
    return sides[side].contains(const_cast<Instruction *>(instruction));
  }

  void collect(bool side) {
    SmallVector<Value *> work;
    for (SelectInst *select : selects)
      work.push_back(operandOf(*select, side));
    while (!work.empty()) {
      auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
      if (!instruction || instruction->getParent() != first.getParent() || sides[side].contains(instruction) ||
          !isMovable(*instruction) || is_contained(selects, instruction) ||
          !all_of(instruction->users(), [&](User *user) { return usesOnSide(user, instruction, side); }))
        continue;
      sides[side].insert(instruction);
      append_range(work, instruction->operands());
    }
  }

  /// True if `value` is there before the first selection.
  bool isEarly(const Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || tree.dominates(instruction, &first);
  }

  bool isReady(const SelectInst &select) const {
    for (bool side : {true, false}) {
      SmallVector<const Value *> work{operandOf(select, side)};
      while (!work.empty()) {
        const Value *value = work.pop_back_val();
        auto *instruction = const_cast<Instruction *>(dyn_cast<Instruction>(value));
        if (instruction && sides[side].contains(instruction))
          append_range(work, instruction->operands());
        else if (!isEarly(value))
          return false;
      }
    }
    return true;
  }

  /// Later selections that need what is not there at the first one stay as they are.
  void leaveOutLateOperands() {
    size_t before = selects.size();
    selects.remove_if([&](SelectInst *select) { return !isReady(*select); });
    if (selects.size() == before)
      return;
    for (Side &side : sides)
      side.clear();
    if (selects.empty())
      return;
    collect(true);
    collect(false);
    leaveOutLateOperands();
  }

  /// What `side` computes, in its present order.
  SmallVector<Instruction *> inOrder(bool side) const {
    SmallVector<Instruction *> ordered(sides[side].begin(), sides[side].end());
    sort(ordered, [](Instruction *a, Instruction *b) { return a->comesBefore(b); });
    return ordered;
  }

  const DominatorTree &tree;
  SelectInst &first;
  SmallSetVector<SelectInst *, 4> selects;
  Side sides[2];
};

SmallVector<BasicBlock *> Choice::branch(DomTreeUpdater &updater) {
  BasicBlock *made[2] = {nullptr, nullptr}, *head = first.getParent();
  SmallVector<Instruction *> moved[2] = {inOrder(false), inOrder(true)};
  SplitBlockAndInsertIfThenElse(first.getCondition(), first.getIterator(), moved[true].empty() ? nullptr : &made[true],
                                moved[false].empty() ? nullptr : &made[false], /*UnreachableThen=*/false,
                                /*UnreachableElse=*/false, /*BranchWeights=*/nullptr, &updater);
  BasicBlock *tail = first.getParent();
  for (bool side : {true, false})
    for (Instruction *instruction : moved[side])
      instruction->moveBefore(made[side]->getTerminator()->getIterator());
  for (SelectInst *select : selects) {
    PHINode *result = PHINode::Create(select->getType(), 2, "", tail->getFirstNonPHIIt());
    for (bool side : {true, false})
      result->addIncoming(operandOf(*select, side), made[side] ? made[side] : head);
    result->takeName(select);
    select->replaceAllUsesWith(result);
    select->eraseFromParent();
  }
  SmallVector<BasicBlock *> blocks{tail};
  for (BasicBlock *block : made)
    if (block)
      blocks.push_back(block);
  return blocks;
}

/// Makes a branch of the first selection of `block` that pays; returns the blocks that have been made.
SmallVector<BasicBlock *> branchOnce(BasicBlock &block, DomTreeUpdater &updater) {
  for (Instruction &instruction : block) {
    auto *select = dyn_cast<SelectInst>(&instruction);
    if (!select || select->getCondition()->getType()->isVectorTy() || isa<Constant>(select->getCondition()))
      continue;
    Choice choice(*select, updater.getDomTree());
    if (choice.pays())
      return choice.branch(updater);
  }
  return {};
}

} // namespace

PreservedAnalyses cufort::codegen::DoubleSelections::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  DomTreeUpdater updater(tree, DomTreeUpdater::UpdateStrategy::Eager);
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (auto *select = dyn_cast<SelectInst>(&instruction); select && select->getType()->isDoubleTy())
        simplify(*select);
  bool changed = false;
  // What has been moved, and what follows, may have more.
  SmallVector<BasicBlock *> blocks(make_pointer_range(function));
  while (!blocks.empty()) {
    SmallVector<BasicBlock *> made = branchOnce(*blocks.pop_back_val(), updater);
    changed |= !made.empty();
    append_range(blocks, made);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
