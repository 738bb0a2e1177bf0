// In: a loop with an alloca whose size is not constant. Out: llvm.stacksave at the start of a round and
// llvm.stackrestore at its ends. No variable of a round is of use in the next one: Fortran's statements, constructs and
// inlined procedures, which have them, lie in one round as a whole.

#include "codegen/Device/ReclaimStack.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static void reclaimStack(Loop &loop) {
  SmallVector<BasicBlock *> latches;
  loop.getLoopLatches(latches);
  IRBuilder<> builder(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
  Value *stack = builder.CreateStackSave();
  for (BasicBlock *latch : latches) {
    builder.SetInsertPoint(latch->getTerminator());
    builder.CreateStackRestore(stack);
  }
}

static void reclaimStack(Function &function) {
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : instructions(function))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction); variable && !isa<Constant>(variable->getArraySize()))
      variables.push_back(variable);
  if (variables.empty())
    return;
  DominatorTree tree(function);
  LoopInfo loops(tree);
  SmallPtrSet<Loop *, 4> done;
  for (AllocaInst *variable : variables)
    if (Loop *loop = loops.getLoopFor(variable->getParent()); loop && done.insert(loop).second)
      reclaimStack(*loop);
}

void cufort::codegen::reclaimStack(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      ::reclaimStack(function);
}
