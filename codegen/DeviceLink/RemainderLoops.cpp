// In:  up to 7 rounds, one by one                        8 rounds at a time
// Out: 4 rounds, or none      up to 3, one by one      8 rounds at a time
//
// With code of its own for what then is left over, ptxas keeps fewer loads under way in the long loop.
//
// In:  up to 3 rounds, one by one, which compute more than they load      4 rounds at a time
// Out: a round, or the end; a round, or the end; a round                  4 rounds at a time

#include "codegen/DeviceLink/RemainderLoops.h"
#include "codegen/DeviceLink/LoopUnroller.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using cufort::codegen::LoopUnroller;

namespace {

/// Of the copies that LLVM makes of a short loop.
constexpr unsigned half = 4;

unsigned countLoads(const Loop &loop) {
  unsigned loads = 0;
  for (const BasicBlock *block : loop.blocks())
    loads += count_if(*block, [](const Instruction &instruction) { return isa<LoadInst>(instruction); });
  return loads;
}

/// True if a round of `loop` computes so much for each of its loads that a counter and its comparison are not hidden
/// behind the wait for them.
bool computes(const Loop &loop, unsigned loads) {
  constexpr unsigned leastPerLoad = 8, most = 100;
  unsigned operations = 0, instructions = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      ++instructions;
      operations += instruction.getType()->isFloatingPointTy() && !isa<LoadInst, PHINode>(instruction);
    }
  return operations >= leastPerLoad * loads && instructions <= most;
}

/// The rounds that `loop` has at most if it does what is left over of another one, else 0.
unsigned mostRoundsLeftOver(Loop &loop, ScalarEvolution &evolution) {
  bool isLeftOver = loop.isInnermost() && loop.isLoopSimplifyForm() && loop.getExitingBlock() == loop.getLoopLatch() &&
                    (hasUnrollTransformation(&loop) & TM_Disable);
  // A loop of a known number of rounds that is not to be unrolled is none.
  isLeftOver = isLeftOver && evolution.getSmallConstantTripCount(&loop) == 0;
  const SCEV *again = isLeftOver ? evolution.getBackedgeTakenCount(&loop) : evolution.getCouldNotCompute();
  if (isa<SCEVCouldNotCompute>(again))
    return 0;
  return evolution.getUnsignedRangeMax(evolution.getAddExpr(again, evolution.getOne(again->getType())))
      .getLimitedValue();
}

class Unrolling : LoopUnroller {
public:
  Unrolling(Function &function, FunctionAnalysisManager &analyses) : LoopUnroller(function, analyses) {}

  bool run() {
    bool changed = false;
    for (Loop *loop : loops.getLoopsInPreorder()) {
      unsigned most = mostRoundsLeftOver(*loop, evolution), loads = most ? countLoads(*loop) : 0;
      if (most == 2 * half - 1 && loads)
        doHalf(*loop);
      else if (most == half - 1 && loads && computes(*loop, loads))
        doInLine(*loop, most);
      else
        continue;
      changed = true;
    }
    return changed;
  }

private:
  /// Does `half` of the rounds at a time, which is once or never.
  void doHalf(Loop &loop) {
    if (unroll(loop, half, /*isRuntime=*/true) == LoopUnrollResult::PartiallyUnrolled)
      breakLoopBackedge(&loop, tree, evolution, loops, nullptr);
  }

  void doInLine(Loop &loop, unsigned most) { unroll(loop, most, /*isRuntime=*/false); }

  LoopUnrollResult unroll(Loop &loop, unsigned rounds, bool isRuntime) {
    formLCSSARecursively(loop, tree, &loops, &evolution);
    return unrollLoop(loop, {rounds,
                             /*Force=*/true, isRuntime,
                             /*AllowExpensiveTripCount=*/true,
                             /*UnrollRemainder=*/false,
                             /*ForgetAllSCEV=*/false,
                             /*Heart=*/nullptr,
                             /*SCEVExpansionBudget=*/16});
  }
};

} // namespace

PreservedAnalyses cufort::codegen::RemainderLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  return Unrolling(function, analyses).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
