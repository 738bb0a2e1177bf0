// A loop waits for another thread if a branch in it depends on a place in memory that is always the same and that
// others may change: a volatile or atomic load, or an atomic exchange, as in a lock. An atomic addition is taken for a
// wait only if it adds zero, and a compare-and-swap only if it expects the same value each time: otherwise each round
// gets something done.

#include "codegen/DeviceLink/SpinLoops.h"
#include "codegen/Conversion/CufxToEmulated/CufxToEmulated.h"
#include "codegen/DeviceLink/PartialResults.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

class SpinAnalysis {
public:
  explicit SpinAnalysis(const Loop &loop) : loop(loop) {}

  bool spins() {
    for (BasicBlock *block : loop.blocks())
      if (auto *branch = dyn_cast<BranchInst>(block->getTerminator()); branch && branch->isConditional())
        if (dependsOnOthers(branch->getCondition()))
          return true;
    return false;
  }

private:
  bool dependsOnOthers(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction) || !seen.insert(instruction).second)
      return false;
    if (isAwaited(*instruction))
      return true;
    if (instruction->isAtomic() || isa<CallBase>(instruction))
      return false;
    return any_of(instruction->operands(), [&](Value *operand) { return dependsOnOthers(operand); });
  }

  bool isAwaited(Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return (load->isVolatile() || load->isAtomic()) && isFixed(load->getPointerOperand());
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return isFixed(swap->getPointerOperand()) && isFixed(swap->getCompareOperand());
    auto *update = dyn_cast<AtomicRMWInst>(&instruction);
    if (!update || !isFixed(update->getPointerOperand()))
      return false;
    bool adds = update->getOperation() == AtomicRMWInst::Add || update->getOperation() == AtomicRMWInst::Sub;
    auto *constant = dyn_cast<ConstantInt>(update->getValOperand());
    return !adds || (constant && constant->isZero());
  }

  /// True if `value` is the same in each round, as far as one thread can tell.
  bool isFixed(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction))
      return true;
    if (auto *call = dyn_cast<CallInst>(instruction))
      return call->getCalledFunction() && call->getCalledFunction()->getName().starts_with(extentFunctionPrefix);
    if (isa<PHINode>(instruction) || instruction->isAtomic() || instruction->isVolatile())
      return false;
    return all_of(instruction->operands(), [&](Value *operand) { return isFixed(operand); });
  }

  const Loop &loop;
  SmallPtrSet<Instruction *, 16> seen;
};

void promoteLocals(Function &function, DominatorTree &tree) {
  SmallVector<AllocaInst *> locals;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *local = dyn_cast<AllocaInst>(&instruction); local && isAllocaPromotable(local))
      locals.push_back(local);
  PromoteMemToReg(locals, tree);
}

void yieldInLoop(Loop &loop) {
  SmallVector<BasicBlock *> latches;
  loop.getLoopLatches(latches);
  for (BasicBlock *latch : latches) {
    IRBuilder<> builder(latch->getTerminator());
    FunctionCallee yield =
        latch->getModule()->getOrInsertFunction("cufortEmuNanosleep", builder.getVoidTy(), builder.getInt32Ty());
    builder.CreateCall(yield, {builder.getInt32(0)});
  }
}

} // namespace

bool cufort::codegen::waitsInLoops(Function &function) {
  Function *yield = function.getParent()->getFunction("cufortEmuNanosleep");
  return yield && any_of(yield->users(), [&](User *user) {
           auto *call = dyn_cast<CallInst>(user);
           return call && call->getFunction() == &function;
         });
}

void cufort::codegen::yieldInSpinLoops(Module &module) {
  for (Function &function : module) {
    // Who holds the lock of a grid's result never waits.
    if (function.isDeclaration() || isGridReduction(function))
      continue;
    DominatorTree tree(function);
    promoteLocals(function, tree);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (SpinAnalysis(*loop).spins())
        yieldInLoop(*loop);
  }
}
