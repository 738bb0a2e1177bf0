// In:  a -> b, c                          Out: a -> b, c
//      b -> join                               b: store of x -> end
//      c -> d, end                             c -> d, end
//      d -> join                               d: store of y -> end
//      join: store of (x from b, y from d)
//        -> end

#include "codegen/DeviceLink/PartialJoins.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

constexpr unsigned mostWays = 4, mostInstructions = 4;

/// True if `join` computes little but what it stores, and nothing that is used elsewhere.
bool onlyStores(const BasicBlock &join) {
  unsigned stores = 0, others = 0;
  for (const Instruction &instruction : join) {
    if (instruction.isTerminator())
      continue;
    if (instruction.isUsedOutsideOfBlock(&join))
      return false;
    if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
      ++stores;
    else if (isa<GetElementPtrInst, CastInst, BinaryOperator>(instruction))
      ++others;
    else if (!isa<PHINode>(instruction))
      return false;
  }
  return stores && stores + others <= mostInstructions;
}

/// The block that `join` goes on to, if `join` may be copied; else null.
BasicBlock *endOf(BasicBlock &join, const DominatorTree &tree, const PostDominatorTree &after, const LoopInfo &loops) {
  BasicBlock *end = join.getUniqueSuccessor();
  if (!end || !isa<BranchInst>(join.getTerminator()) || !isa<PHINode>(join.front()) || !tree.getNode(&join) ||
      !pred_size(&join) || pred_size(&join) > mostWays || loops.getLoopFor(&join) != loops.getLoopFor(end) ||
      loops.isLoopHeader(&join) || loops.isLoopHeader(end) || !onlyStores(join))
    return nullptr;
  auto *start = after.getNode(tree.getNode(&join)->getIDom()->getBlock());
  return start && start->getIDom() && start->getIDom()->getBlock() != &join ? end : nullptr;
}

/// Lets `way`, which leads to `join`, lead to a copy of it.
void copyFor(BasicBlock &way, BasicBlock &join, BasicBlock &end) {
  ValueToValueMapTy map;
  for (PHINode &variable : join.phis())
    map[&variable] = variable.getIncomingValueForBlock(&way);
  BasicBlock *copy = BasicBlock::Create(join.getContext(), join.getName() + ".apart", join.getParent(), &join);
  for (Instruction &instruction : join) {
    if (isa<PHINode>(instruction))
      continue;
    Instruction *clone = instruction.clone();
    clone->insertInto(copy, copy->end());
    RemapInstruction(clone, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    map[&instruction] = clone;
  }
  for (PHINode &variable : end.phis()) {
    Value *value = variable.getIncomingValueForBlock(&join), *copied = map.lookup(value);
    variable.addIncoming(copied ? copied : value, copy);
  }
  way.getTerminator()->replaceSuccessorWith(&join, copy);
  join.removePredecessor(&way, /*KeepOneInputPHIs=*/true);
}

bool hasEdgeOnce(const BasicBlock *way, const BasicBlock &join) {
  return isa<BranchInst>(way->getTerminator()) && count(successors(way), &join) == 1;
}

} // namespace

PreservedAnalyses cufort::codegen::PartialJoins::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &after = analyses.getResult<PostDominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> found;
  for (BasicBlock &join : function)
    if (BasicBlock *end = &join == &function.getEntryBlock() ? nullptr : endOf(join, tree, after, loops))
      found.push_back({&join, end});
  bool changed = false;
  for (auto [join, end] : found) {
    SmallVector<BasicBlock *> ways(predecessors(join));
    if (!all_of(ways, [&, &join = *join](const BasicBlock *way) { return hasEdgeOnce(way, join); }))
      continue;
    for (BasicBlock *way : drop_begin(ways)) {
      copyFor(*way, *join, *end);
      changed = true;
    }
    FoldSingleEntryPHINodes(join);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
