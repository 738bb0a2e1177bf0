// In:  select(a > b without signs of zeros, a, b)                      MAX, as cufx-note-extremes has marked it
//      select(a > b or (b is no number and a is one), a, b)            MAXVAL: what is no number does not count
// Out: maxnum(a, b)

#include "codegen/DeviceLink/Extremes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The intrinsic for the one of `a` and `b` that compares so with the other one, if `condition` compares them.
static Intrinsic::ID extremeOf(Value *condition, Value *a, Value *b) {
  auto *compare = dyn_cast<FCmpInst>(condition);
  if (!compare || compare->getOperand(0) != a || compare->getOperand(1) != b)
    return Intrinsic::not_intrinsic;
  return compare->getPredicate() == CmpInst::FCMP_OGT   ? Intrinsic::maxnum
         : compare->getPredicate() == CmpInst::FCMP_OLT ? Intrinsic::minnum
                                                        : Intrinsic::not_intrinsic;
}

/// Strips from the `condition` that selects `a` or `b` what makes it true if only `a` is a number.
static Value *withoutNumberTest(Value *condition, Value *a, Value *b) {
  Value *compare;
  auto isOnlyNumber = m_c_And(m_SpecificFCmp(CmpInst::FCMP_UNE, m_Specific(b), m_Specific(b)),
                              m_SpecificFCmp(CmpInst::FCMP_OEQ, m_Specific(a), m_Specific(a)));
  return match(condition, m_c_Or(m_Value(compare), isOnlyNumber)) ? compare : nullptr;
}

/// The intrinsic that `select` can be replaced by, or none.
static Intrinsic::ID extremeOf(SelectInst &select) {
  Value *a = select.getTrueValue(), *b = select.getFalseValue();
  Type *type = select.getType();
  if (type->isFloatTy() || type->isDoubleTy())
    if (Value *compare = withoutNumberTest(select.getCondition(), a, b))
      return extremeOf(compare, a, b);
  auto *compare = dyn_cast<FCmpInst>(select.getCondition());
  return compare && compare->hasNoSignedZeros() && type->isFloatTy() ? extremeOf(compare, a, b)
                                                                     : Intrinsic::not_intrinsic;
}

PreservedAnalyses cufort::codegen::Extremes::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH> unused;
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *select = dyn_cast<SelectInst>(&instruction);
      Intrinsic::ID extreme = select ? extremeOf(*select) : Intrinsic::not_intrinsic;
      if (extreme == Intrinsic::not_intrinsic)
        continue;
      Value *result =
          IRBuilder<>(select).CreateBinaryIntrinsic(extreme, select->getTrueValue(), select->getFalseValue());
      select->replaceAllUsesWith(result);
      unused.push_back(select);
    }
  bool changed = !unused.empty();
  RecursivelyDeleteTriviallyDeadInstructions(unused);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
