// In:  ... a[zext(i + first)] ...          Out: ... a[zext(i) + wide] ..., with wide = zext(first) before the loop
//
// LLVM does not find that the sum of both goes up by the loop's step without overflow, if `first` is an expression. The
// address would be multiplied for in each round.

#include "codegen/DeviceLink/WideSums.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace {

/// A sum of 32 bits in a loop that is extended to 64, which does not overflow as the extension takes it.
struct WideSum {
  CastInst *extension;
  BinaryOperator *sum;
  bool isSigned;
};

std::optional<WideSum> asWideSum(Instruction &instruction) {
  auto *extension = dyn_cast<CastInst>(&instruction);
  auto *sum = extension ? dyn_cast<BinaryOperator>(extension->getOperand(0)) : nullptr;
  if (!sum || sum->getOpcode() != Instruction::Add || !sum->getType()->isIntegerTy(32) ||
      !extension->getType()->isIntegerTy(64))
    return std::nullopt;
  auto *unsignedOne = dyn_cast<ZExtInst>(extension);
  if (unsignedOne && sum->hasNoUnsignedWrap())
    return WideSum{extension, sum, false};
  bool isSigned = isa<SExtInst>(extension) || (unsignedOne && unsignedOne->hasNonNeg());
  return isSigned && sum->hasNoSignedWrap() ? std::optional(WideSum{extension, sum, true}) : std::nullopt;
}

/// True if `value` moves by the same step in each round of `loop`.
bool moves(const SCEV *value, const Loop &loop) {
  auto *moving = dyn_cast<SCEVAddRecExpr>(value);
  return moving && moving->getLoop() == &loop && moving->isAffine();
}

/// Adds the parts of `wide` in 64 bits if it then moves with `loop`, and not without.
bool addWide(const WideSum &wide, Loop &loop, ScalarEvolution &evolution) {
  CastInst *extension = wide.extension;
  Value *moving = wide.sum->getOperand(0), *fixed = wide.sum->getOperand(1);
  if (loop.isLoopInvariant(moving))
    std::swap(moving, fixed);
  Type *type = extension->getType();
  const SCEV *variable = evolution.getSCEV(moving);
  if (!loop.isLoopInvariant(fixed) || moves(evolution.getSCEV(extension), loop) ||
      !moves(wide.isSigned ? evolution.getSignExtendExpr(variable, type) : evolution.getZeroExtendExpr(variable, type),
             loop))
    return false;
  IRBuilder<> before(loop.getLoopPreheader()->getTerminator()), here(extension);
  auto extend = [&](IRBuilder<> &builder, Value *part) {
    return wide.isSigned ? builder.CreateSExt(part, type) : builder.CreateZExt(part, type);
  };
  evolution.forgetValue(extension);
  extension->replaceAllUsesWith(
      here.CreateAdd(extend(here, moving), extend(before, fixed), "", /*HasNUW=*/!wide.isSigned, /*HasNSW=*/true));
  extension->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses cufort::codegen::WideSums::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopPreheader())
      continue;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : make_early_inc_range(*block))
        if (std::optional<WideSum> wide = asWideSum(instruction))
          changed |= addWide(*wide, *loop, evolution);
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
