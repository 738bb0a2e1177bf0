// Five rounds with a dozen divisions and roots, which LLVM takes for one instruction each, fill a GPU's cache of
// instructions, and the warps wait for code.
//
// Loops that choose elements of local arrays are left alone: unrolled, their arrays are in registers.

#include "codegen/DeviceLink/LongRounds.h"
#include "codegen/DeviceLink/ExactDivisions.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace cufort::codegen;

/// The machine instructions that unrolled loops may have, and those of a division or root.
static constexpr unsigned mostInstructions = 1500, instructionsOfDivision = 20;
/// What LLVM unrolls fully at most, by its own costs of all rounds.
static constexpr unsigned mostOfLLVM = 2500;

static bool isInLocalArray(const Instruction &instruction) {
  const Value *address = getLoadStorePointerOperand(&instruction);
  return address && isa<AllocaInst>(getUnderlyingObject(address));
}

PreservedAnalyses LongRounds::run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results,
                                  LPMUpdater &) {
  unsigned rounds = results.SE.getSmallConstantTripCount(&loop);
  // What the source says of a loop stands.
  if (rounds < 2 || hasUnrollTransformation(&loop) != TM_Unspecified)
    return PreservedAnalyses::all();
  InstructionCost cost = 0;
  unsigned divisions = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (isInLocalArray(instruction))
        return PreservedAnalyses::all();
      cost += results.TTI.getInstructionCost(&instruction, TargetTransformInfo::TCK_CodeSize);
      divisions += isExactDivision(instruction) || isExactRoot(instruction);
    }
  if (divisions && cost * rounds <= mostOfLLVM &&
      (cost + divisions * instructionsOfDivision) * rounds > mostInstructions)
    loop.setLoopAlreadyUnrolled();
  return PreservedAnalyses::all();
}
