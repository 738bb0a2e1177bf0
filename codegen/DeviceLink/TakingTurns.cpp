#include "codegen/DeviceLink/TakingTurns.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

/// Bytes of what a thread keeps in memory, and of what a block shares, once.
static constexpr uint64_t mostLocalBytes = 1024, mostSharedBytes = 24 * 1024;

static constexpr unsigned sharedSpace = 3;

//===-- Meetings --------------------------------------------------------------------------------------------------===//

static bool isMeeting(const Instruction &instruction, unsigned depth) {
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || !call->isConvergent())
    return false;
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return assembly->hasSideEffects() || StringRef(assembly->getAsmString()).contains("sync");
  const Function *callee = call->getCalledFunction();
  return !callee || callee->isDeclaration() || depth == 0 ||
         any_of(instructions(*callee), [=](const Instruction &each) { return isMeeting(each, depth - 1); });
}

bool cufort::codegen::isMeetingOfThreads(const Instruction &instruction) {
  constexpr unsigned mostCalls = 4;
  return isMeeting(instruction, mostCalls);
}

bool cufort::codegen::isBarrierOfBlock(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all;
}

//===-- Turns -----------------------------------------------------------------------------------------------------===//

namespace {

/// True for a call of a procedure that computes something from its arguments.
bool computes(const CallBase &call, unsigned depth = 4) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return !assembly->hasSideEffects();
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || depth == 0)
    return call.onlyReadsMemory() && !call.mayHaveSideEffects();
  return all_of(instructions(*callee), [=](const Instruction &each) {
    if (auto *store = dyn_cast<StoreInst>(&each))
      return store->isSimple() && isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
    auto *next = dyn_cast<CallBase>(&each);
    return next ? isa<LifetimeIntrinsic>(next) || computes(*next, depth - 1) : !each.mayHaveSideEffects();
  });
}

bool isShuffle(const CallBase &call) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  return intrinsic && intrinsic->getCalledFunction()->getName().starts_with("llvm.nvvm.shfl.sync.");
}

/// True if two threads may take turns in `instruction`, of which one is in another block. An atomic operation whose
/// result nobody looks at is not what a thread waits for.
bool mayTakeTurn(const Instruction &instruction) {
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return atomic->use_empty() && !atomic->isVolatile();
  if (auto *local = dyn_cast<AllocaInst>(&instruction))
    return local->isStaticAlloca();
  if (isa<FenceInst, AtomicCmpXchgInst>(instruction) || instruction.isVolatile() || instruction.isAtomic())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || isa<DbgInfoIntrinsic, AssumeInst, NoAliasScopeDeclInst, LifetimeIntrinsic, MemIntrinsic>(call) ||
         isBarrierOfBlock(*call) || isShuffle(*call) || computes(*call);
}

uint64_t localBytes(const Function &kernel) {
  uint64_t bytes = 0;
  for (const Instruction &instruction : kernel.getEntryBlock())
    if (auto *local = dyn_cast<AllocaInst>(&instruction))
      bytes += local->getAllocationSize(kernel.getDataLayout())->getFixedValue();
  return bytes;
}

void addSharedVariables(const Constant &constant, SmallSetVector<GlobalVariable *, 4> &variables) {
  if (auto *variable = dyn_cast<GlobalVariable>(&constant)) {
    if (variable->getAddressSpace() == sharedSpace)
      variables.insert(const_cast<GlobalVariable *>(variable));
  } else if (!isa<GlobalValue>(constant))
    for (const Use &operand : constant.operands())
      addSharedVariables(*cast<Constant>(operand), variables);
}

/// True if there may be `variables` twice, none of which has its size from the launch.
bool canShareTwice(ArrayRef<GlobalVariable *> variables, const DataLayout &layout) {
  uint64_t bytes = 0;
  for (const GlobalVariable *variable : variables) {
    if (!variable->hasInitializer())
      return false;
    bytes += layout.getTypeAllocSize(variable->getValueType());
  }
  return bytes <= mostSharedBytes;
}

} // namespace

SmallSetVector<GlobalVariable *, 4> cufort::codegen::sharedVariables(const Function &kernel) {
  SmallSetVector<GlobalVariable *, 4> variables;
  for (const Instruction &instruction : instructions(kernel))
    for (const Use &operand : instruction.operands())
      if (auto *constant = dyn_cast<Constant>(operand))
        addSharedVariables(*constant, variables);
  return variables;
}

bool cufort::codegen::mayTakeTurns(const Function &kernel) {
  return all_of(instructions(kernel), mayTakeTurn) && localBytes(kernel) <= mostLocalBytes &&
         canShareTwice(sharedVariables(kernel).getArrayRef(), kernel.getDataLayout());
}
