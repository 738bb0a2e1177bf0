#include "codegen/DeviceLink/LoopHeaders.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

/// True if `loop` begins with a loop inside of it.
static bool beginsWithLoop(const Loop &loop, const LoopInfo &loops) {
  const auto *branch = dyn_cast<BranchInst>(&*loop.getHeader()->getFirstNonPHIOrDbg());
  return branch && branch->isUnconditional() && loops.isLoopHeader(branch->getSuccessor(0));
}

PreservedAnalyses cufort::codegen::MarkLoopHeaders::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (beginsWithLoop(*loop, loops)) {
      Function *mark = Intrinsic::getOrInsertDeclaration(function.getParent(), Intrinsic::sideeffect);
      CallInst::Create(mark, "", loop->getHeader()->getTerminator()->getIterator());
      changed = true;
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses cufort::codegen::RemoveMarks::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && call->getIntrinsicID() == Intrinsic::sideeffect) {
        call->eraseFromParent();
        changed = true;
      }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
