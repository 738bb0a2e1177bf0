// In:  (zext(j) - 2) * zext(n), where j is known to be 2 or more     Out: zext(j - 2) * zext(n)
//
// The product of two numbers of 32 bits is one instruction; of two numbers of 64 bits it is three, and the subtraction
// two.

#include "codegen/DeviceLink/NarrowRows.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

/// The number that `row` is before, if it is such a difference with all its users products; else null.
static CastInst *numberBefore(const BinaryOperator &row, const APInt *&distance) {
  Value *number;
  auto isProduct = [](const User *user) { return match(user, m_c_Mul(m_Value(), m_ZExt(m_Value()))); };
  if (!row.getType()->isIntegerTy(64) || !match(&row, m_Add(m_Value(number), m_APInt(distance))) ||
      !distance->isNegative() || !distance->isSignedIntN(32) || !all_of(row.users(), isProduct))
    return nullptr;
  auto *cast = dyn_cast<CastInst>(number);
  return cast && isa<ZExtInst, SExtInst>(cast) && cast->getSrcTy()->isIntegerTy(32) ? cast : nullptr;
}

static bool narrow(BinaryOperator &row, ScalarEvolution &evolution) {
  const APInt *distance;
  CastInst *cast = numberBefore(row, distance);
  if (!cast)
    return false;
  Value *number = cast->getOperand(0);
  APInt least = (-*distance).trunc(32);
  auto predicate = isa<ZExtInst>(cast) ? ICmpInst::ICMP_UGE : ICmpInst::ICMP_SGE;
  if (!evolution.isKnownPredicateAt(predicate, evolution.getSCEV(number), evolution.getConstant(least), &row))
    return false;
  IRBuilder<> builder(&row);
  Value *difference = builder.CreateSub(number, builder.getInt(least), "", /*HasNUW=*/true);
  row.replaceAllUsesWith(builder.CreateZExt(difference, row.getType()));
  return true;
}

PreservedAnalyses NarrowRows::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *row = dyn_cast<BinaryOperator>(&instruction); row && narrow(*row, evolution)) {
      evolution.forgetValue(row);
      row->eraseFromParent();
      changed = true;
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
