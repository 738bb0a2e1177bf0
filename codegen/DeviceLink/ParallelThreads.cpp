#include "codegen/DeviceLink/ParallelThreads.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace {

/// True if `address` may be in a variable that `function` has on its stack.
bool mayBeLocal(const Value *address, bool hasVariables) {
  return hasVariables && !isa<Argument, GlobalVariable>(getUnderlyingObject(address, /*MaxLookup=*/0));
}

bool isOrdinary(const Instruction &instruction, bool hasVariables) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && !mayBeLocal(load->getPointerOperand(), hasVariables);
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple() && !mayBeLocal(store->getPointerOperand(), hasVariables);
  return false;
}

} // namespace

MDNode *cufort::codegen::markAccessesOfThread(Function &function) {
  MDNode *accesses = MDNode::getDistinct(function.getContext(), {});
  bool hasVariables = any_of(instructions(function), [](Instruction &each) { return isa<AllocaInst>(each); });
  for (Argument &argument : function.args())
    hasVariables |= argument.hasByValAttr() && !isOnlyLoaded(argument);
  for (Instruction &instruction : instructions(function))
    if (isOrdinary(instruction, hasVariables))
      instruction.setMetadata(LLVMContext::MD_access_group, accesses);
  return accesses;
}

void cufort::codegen::markLoopOfThreads(Instruction &latch, MDNode *accesses) {
  LLVMContext &context = latch.getContext();
  MDNode *parallel = MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), accesses});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, parallel});
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(LLVMContext::MD_loop, loop);
}

void cufort::codegen::simplifySharedAtomics(Function &function, ArrayRef<Argument *> shared) {
  auto isShared = [&](Value *address) { return is_contained(shared, getUnderlyingObject(address, /*MaxLookup=*/0)); };
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (auto *update = dyn_cast<AtomicRMWInst>(&instruction); update && isShared(update->getPointerOperand()))
      lowerAtomicRMWInst(update);
    else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction); swap && isShared(swap->getPointerOperand()))
      lowerAtomicCmpXchgInst(swap);
  }
}

PreservedAnalyses cufort::codegen::DropScopesInLoopsOfThreads::run(Function &function,
                                                                   FunctionAnalysisManager &analyses) {
  SmallVector<Instruction *> scopes;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (findOptionMDForLoop(loop, "llvm.loop.parallel_accesses"))
      for (BasicBlock *block : loop->blocks())
        for (Instruction &instruction : *block)
          if (isa<NoAliasScopeDeclInst>(instruction))
            scopes.push_back(&instruction);
  for (Instruction *scope : scopes)
    scope->eraseFromParent();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return scopes.empty() ? PreservedAnalyses::all() : preserved;
}
