// Differences spread from what a value is computed from, and from branches: where threads go different ways, the
// values that depend on the way taken differ, up to the place where all ways meet again; so do those that a loop leaves
// behind which threads leave in different rounds.

#include "codegen/DeviceLink/Uniformity.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

Uniformity::Uniformity(Function &function, function_ref<Origin(const Value &)> originOf) {
  auto note = [&](const Value &value) {
    Origin origin = originOf(value);
    if (origin != AsOperands)
      (origin == Same ? same : divergent).insert(&value);
  };
  for (Argument &argument : function.args())
    note(argument);
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (isa<AllocaInst, CallBase, PHINode>(instruction) || instruction.mayReadOrWriteMemory())
        note(instruction);
  while (spreadThroughOperands(function) || spreadThroughBranches(function))
    ;
}

bool Uniformity::branchesTogether(const BasicBlock &block) const {
  const Instruction *end = block.getTerminator();
  if (auto *branch = dyn_cast<BranchInst>(end))
    return branch->isUnconditional() || isUniform(branch->getCondition());
  if (auto *choice = dyn_cast<SwitchInst>(end))
    return isUniform(choice->getCondition());
  return end->getNumSuccessors() < 2;
}

bool Uniformity::spreadThroughOperands(Function &function) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      bool differs = isa<PHINode>(instruction) && separated.contains(&block);
      differs |= any_of(instruction.operands(), [&](Use &operand) { return divergent.contains(operand.get()); });
      if (differs && !same.contains(&instruction))
        changed |= divergent.insert(&instruction).second;
    }
  return changed;
}

bool Uniformity::spreadThroughBranches(Function &function) {
  bool changed = false;
  PostDominatorTree tree(function);
  for (BasicBlock &block : function) {
    if (branchesTogether(block) || !branches.insert(&block).second)
      continue;
    auto *node = tree.getNode(&block);
    separateFrom(block, node && node->getIDom() ? node->getIDom()->getBlock() : nullptr);
    changed = true;
  }
  return changed;
}

void Uniformity::separateFrom(BasicBlock &branch, BasicBlock *meeting) {
  DenseSet<const BasicBlock *> ways;
  SmallVector<BasicBlock *> open(successors(&branch));
  while (!open.empty()) {
    BasicBlock *block = open.pop_back_val();
    if (block != meeting && ways.insert(block).second)
      append_range(open, successors(block));
  }
  if (meeting)
    separated.insert(meeting);
  for (const BasicBlock *block : ways) {
    separated.insert(block);
    for (const Instruction &instruction : *block)
      if (any_of(instruction.users(),
                 [&](const User *user) { return !ways.contains(cast<Instruction>(user)->getParent()); }))
        divergent.insert(&instruction);
  }
  partingList.push_back({&branch, std::move(ways)});
}
