#include "codegen/DeviceLink/BehindGuards.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// True if `instruction` computes the same behind the end of its block.
static bool mayMove(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return !isa<PHINode, AllocaInst>(instruction) && !instruction.isTerminator() && !instruction.mayHaveSideEffects() &&
         !instruction.mayReadFromMemory() && !(call && call->isConvergent());
}

/// The successor of `block` that is come to from there only and that all uses of `value` are behind, or null.
static BasicBlock *wayOfUses(const Instruction &value, BasicBlock &block, const DominatorTree &tree) {
  for (BasicBlock *next : successors(&block)) {
    BasicBlockEdge way(&block, next);
    if (next->getSinglePredecessor() && all_of(value.uses(), [&](const Use &use) { return tree.dominates(way, use); }))
      return next;
  }
  return nullptr;
}

/// Moves what it can from `block`. Returns a block that something has been moved to, or null.
static BasicBlock *moveBehindEnd(BasicBlock &block, const DominatorTree &tree) {
  BasicBlock *changed = nullptr;
  for (Instruction &instruction : make_early_inc_range(reverse(block))) {
    BasicBlock *way = mayMove(instruction) && !instruction.use_empty() ? wayOfUses(instruction, block, tree) : nullptr;
    if (!way)
      continue;
    instruction.moveBefore(*way, way->getFirstInsertionPt());
    changed = way;
  }
  return changed;
}

PreservedAnalyses cufort::codegen::BehindGuards::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  BasicBlock *entry = &function.getEntryBlock(), *last = entry;
  // Conditions follow one another where a thread has elements of several dimensions.
  while (BasicBlock *next = moveBehindEnd(*last, tree))
    last = next;
  if (last == entry)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
