// A load from an array that nothing writes may go through the read-only cache, and over a barrier. ptxas moves such
// loads down to where their values are needed, and the threads wait for each of them behind the barrier, where the
// program has let them be under way while threads wait for each other. A load that is not said to be read-only stays
// before the barrier.

#include "codegen/DeviceLink/EarlyLoads.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

bool isReadOnly(const Argument &argument) {
  return argument.getType()->isPointerTy() && argument.onlyReadsMemory() && argument.hasNoAliasAttr();
}

/// True if LLVM would find that `load` only loads from arguments that nothing writes.
bool isFromReadOnlyArguments(const LoadInst &load) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(load.getPointerOperand(), objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(objects, [](const Value *object) {
    auto *argument = dyn_cast<Argument>(object);
    return argument && isReadOnly(*argument);
  });
}

bool isBarrier(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isConvergent() && call->mayWriteToMemory();
}

/// True if a barrier follows `load` in its block before anything uses what it loads.
bool isBeforeBarrier(const LoadInst &load) {
  for (const Instruction *next = load.getNextNode(); next; next = next->getNextNode()) {
    if (is_contained(next->operand_values(), &load))
      return false;
    if (isBarrier(*next))
      return true;
  }
  return false;
}

} // namespace

PreservedAnalyses cufort::codegen::EarlyLoads::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<LoadInst *> early, others;
  if (function.getCallingConv() != CallingConv::PTX_Kernel)
    return PreservedAnalyses::all();
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() &&
        (load->hasMetadata(LLVMContext::MD_invariant_load) || isFromReadOnlyArguments(*load)))
      (isBeforeBarrier(*load) ? early : others).push_back(load);
  }
  if (early.empty())
    return PreservedAnalyses::all();
  for (LoadInst *load : early)
    load->setMetadata(LLVMContext::MD_invariant_load, nullptr);
  for (LoadInst *load : others)
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(function.getContext(), {}));
  // What LLVM would mark all loads by.
  for (Argument &argument : function.args())
    if (isReadOnly(argument))
      argument.removeAttr(Attribute::ReadOnly);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
