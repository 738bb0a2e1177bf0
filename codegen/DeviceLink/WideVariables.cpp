// In:  i = phi(first, next)                 Out: wide = phi(sext(first), wideNext)
//      next = i - 1, in 32 bits                  wideNext = wide - 1, in 64 bits
//      ... a[sext(i)] ...                        ... a[wide] ...

#include "codegen/DeviceLink/WideVariables.h"
#include "codegen/DeviceLink/NarrowNumbers.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

/// What is subtracted from `variable` in each round, as a negative number, if that is what `next` is; else null.
static const APInt *stepDown(const PHINode &variable, Value *next) {
  const APInt *step;
  bool counts = variable.getType()->isIntegerTy(32) && match(next, m_NSWAdd(m_Specific(&variable), m_APInt(step)));
  return counts && step->isNegative() ? step : nullptr;
}

/// What `variable` begins with, in 64 bits.
static Value *widen(Value *first, IRBuilder<> &builder) {
  Value *wide;
  bool isWideAlready = match(first, m_Trunc(m_Value(wide))) && wide->getType()->isIntegerTy(64) && isNarrow(wide);
  return isWideAlready ? wide : builder.CreateSExt(first, builder.getInt64Ty());
}

/// Replaces what `variable` of `loop` is in 64 bits. False if it is needed in 32 bits only, or counts otherwise.
static bool widenVariable(const Loop &loop, PHINode &variable) {
  BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
  const APInt *step = before && latch ? stepDown(variable, variable.getIncomingValueForBlock(latch)) : nullptr;
  SmallVector<Instruction *> extensions;
  for (User *user : variable.users())
    if (match(user, m_SExt(m_Value())) && user->getType()->isIntegerTy(64))
      extensions.push_back(cast<Instruction>(user));
  if (!step || extensions.empty())
    return false;
  IRBuilder<> builder(before->getTerminator());
  Value *first = widen(variable.getIncomingValueForBlock(before), builder);
  builder.SetInsertPoint(&variable);
  PHINode *wide = builder.CreatePHI(builder.getInt64Ty(), 2, "variable");
  builder.SetInsertPoint(cast<Instruction>(variable.getIncomingValueForBlock(latch)));
  wide->addIncoming(first, before);
  wide->addIncoming(builder.CreateNSWAdd(wide, builder.getInt64(step->getSExtValue())), latch);
  for (Instruction *extension : extensions) {
    extension->replaceAllUsesWith(wide);
    extension->eraseFromParent();
  }
  return true;
}

PreservedAnalyses WideVariables::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    for (PHINode &phi : make_early_inc_range(loop->getHeader()->phis()))
      changed |= widenVariable(*loop, phi);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
