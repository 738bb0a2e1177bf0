#include "codegen/DeviceLink/RoundCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

std::optional<unsigned> cufort::codegen::costOfRound(const Loop &loop, const TargetTransformInfo &target, bool mayMeet,
                                                     bool mayCall, function_ref<bool(const Instruction &)> isFree) {
  InstructionCost cost = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      auto *call = dyn_cast<CallBase>(&instruction);
      bool isShort = isa_and_nonnull<IntrinsicInst>(call) || (call && call->isInlineAsm());
      bool isAllowed = isShort || (mayCall && call && call->getCalledFunction() && call->onlyReadsMemory());
      if (call && ((call->isConvergent() && !mayMeet) || call->cannotDuplicate() || !isAllowed))
        return std::nullopt;
      if (!isFree(instruction))
        cost += target.getInstructionCost(&instruction, TargetTransformInfo::TCK_CodeSize);
    }
  if (!cost.isValid())
    return std::nullopt;
  return cost.getValue();
}
