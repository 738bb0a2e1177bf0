#include "codegen/DeviceLink/OneLatch.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

PreservedAnalyses cufort::codegen::OneLatch::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (!loop->getLoopLatch())
      changed |= simplifyLoop(loop, &dominators, &loops, /*SE=*/nullptr, &assumptions, /*MSSAU=*/nullptr,
                              /*PreserveLCSSA=*/false);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
