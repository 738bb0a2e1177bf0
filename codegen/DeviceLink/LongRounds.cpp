// A division or a root is one instruction to LLVM, and about twenty to ptxas, the call for numbers of unusual size
// included. Five rounds with a dozen of them fill a GPU's cache of instructions, and the warps wait for code.
//
// Loops that choose elements of local arrays are left alone: unrolled, their arrays are in registers.

#include "codegen/DeviceLink/LongRounds.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace cufort::codegen;

/// The machine instructions that unrolled loops may have, and those of a division or root.
static constexpr unsigned mostInstructions = 1500, instructionsOfDivision = 20;
/// What LLVM unrolls fully at most, by its own costs of all rounds.
static constexpr unsigned mostOfLLVM = 2500;

static bool isDivisionOrRoot(const Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::FDiv)
    return !instruction.hasAllowReciprocal();
  switch (auto *call = dyn_cast<IntrinsicInst>(&instruction); call ? call->getIntrinsicID() : 0) {
  case Intrinsic::sqrt:
  case Intrinsic::nvvm_sqrt_f:
  case Intrinsic::nvvm_sqrt_rn_f:
  case Intrinsic::nvvm_sqrt_rn_d:
    return true;
  default:
    return false;
  }
}

static bool isInLocalArray(const Instruction &instruction) {
  const Value *address = getLoadStorePointerOperand(&instruction);
  return address && isa<AllocaInst>(getUnderlyingObject(address));
}

PreservedAnalyses LongRounds::run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results,
                                  LPMUpdater &) {
  unsigned rounds = results.SE.getSmallConstantTripCount(&loop);
  if (rounds < 2 || hasUnrollTransformation(&loop) & TM_Disable)
    return PreservedAnalyses::all();
  InstructionCost cost = 0;
  unsigned divisions = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (isInLocalArray(instruction))
        return PreservedAnalyses::all();
      cost += results.TTI.getInstructionCost(&instruction, TargetTransformInfo::TCK_CodeSize);
      divisions += isDivisionOrRoot(instruction);
    }
  if (divisions && cost * rounds <= mostOfLLVM &&
      (cost + divisions * instructionsOfDivision) * rounds > mostInstructions)
    loop.setLoopAlreadyUnrolled();
  return PreservedAnalyses::all();
}
