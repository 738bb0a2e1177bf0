// In:  up to 7 rounds, one by one          8 rounds at a time
// Out: 4 rounds, or none      2, or none      1, or none      8 rounds at a time

#include "codegen/DeviceLink/RemainderLoops.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace {

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
  return evolution.getUnsignedRangeMax(evolution.getAddExpr(again, evolution.getOne(again->getType()))).getLimitedValue();
}

class Unrolling {
public:
  Unrolling(Function &function, FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<LoopAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        tree(analyses.getResult<DominatorTreeAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)),
        remarks(analyses.getResult<OptimizationRemarkEmitterAnalysis>(function)) {}

  bool run() {
    bool changed = false;
    for (Loop *loop : loops.getLoopsInPreorder()) {
      unsigned most = mostRoundsLeftOver(*loop, evolution);
      if ((most != 7 && most != 3) || !loads(*loop))
        continue;
      changed = true;
      for (unsigned half = (most + 1) / 2; loop && half > 1; half /= 2)
        loop = doHalf(*loop, half);
    }
    return changed;
  }

private:
  /// Does `half` of the rounds at a time, which is once or never. Returns the loop of what is left over then, or null.
  Loop *doHalf(Loop &loop, unsigned half) {
    UnrollLoopOptions options = {half, /*Force=*/true, /*Runtime=*/true, /*AllowExpensiveTripCount=*/true,
                                 /*UnrollRemainder=*/half == 2, /*ForgetAllSCEV=*/false, /*Heart=*/nullptr,
                                 /*SCEVExpansionBudget=*/16};
    formLCSSARecursively(loop, tree, &loops, &evolution);
    Loop *rest = nullptr;
    LoopUnrollResult result =
        UnrollLoop(&loop, options, &loops, &evolution, &tree, &assumptions, &target, &remarks, /*PreserveLCSSA=*/true,
                   &rest);
    if (result != LoopUnrollResult::PartiallyUnrolled)
      return nullptr;
    breakLoopBackedge(&loop, tree, evolution, loops, nullptr);
    return rest;
  }

  LoopInfo &loops;
  ScalarEvolution &evolution;
  DominatorTree &tree;
  AssumptionCache &assumptions;
  const TargetTransformInfo &target;
  OptimizationRemarkEmitter &remarks;
};

} // namespace

PreservedAnalyses cufort::codegen::RemainderLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  return Unrolling(function, analyses).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
