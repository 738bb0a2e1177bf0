// In:  up to 7 rounds, one by one                        8 rounds at a time
// Out: 4 rounds, or none      up to 3, one by one      8 rounds at a time
//
// With code of its own for what then is left over, ptxas keeps fewer loads under way in the long loop.

#include "codegen/DeviceLink/RemainderLoops.h"
#include "codegen/DeviceLink/LoopUnroller.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using cufort::codegen::LoopUnroller;

namespace {

/// Of the copies that LLVM makes of a short loop.
constexpr unsigned half = 4;

bool loads(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) { return isa<LoadInst>(instruction); });
  });
}

/// The rounds that `loop` has at most if it does what is left over of another one, else 0.
unsigned mostRoundsLeftOver(Loop &loop, ScalarEvolution &evolution) {
  bool isLeftOver = loop.isInnermost() && loop.isLoopSimplifyForm() && loop.getExitingBlock() == loop.getLoopLatch() &&
                    (hasUnrollTransformation(&loop) & TM_Disable);
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
      if (mostRoundsLeftOver(*loop, evolution) != 2 * half - 1 || !loads(*loop))
        continue;
      doHalf(*loop);
      changed = true;
    }
    return changed;
  }

private:
  /// Does `half` of the rounds at a time, which is once or never.
  void doHalf(Loop &loop) {
    UnrollLoopOptions options = {half,
                                 /*Force=*/true,
                                 /*Runtime=*/true,
                                 /*AllowExpensiveTripCount=*/true,
                                 /*UnrollRemainder=*/false,
                                 /*ForgetAllSCEV=*/false,
                                 /*Heart=*/nullptr,
                                 /*SCEVExpansionBudget=*/16};
    formLCSSARecursively(loop, tree, &loops, &evolution);
    LoopUnrollResult result = unrollLoop(loop, options);
    if (result == LoopUnrollResult::PartiallyUnrolled)
      breakLoopBackedge(&loop, tree, evolution, loops, nullptr);
  }
};

} // namespace

PreservedAnalyses cufort::codegen::RemainderLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  return Unrolling(function, analyses).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
