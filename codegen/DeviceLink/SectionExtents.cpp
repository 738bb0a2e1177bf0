// In:  m = max(n, 0), e = n > 0 ? m : 0, as the extent of a(:)     Out: e is m
//
// Flang computes e of m, as the larger of both; InstCombine makes a condition on n of that on m, and then does not see
// that the choice makes no difference. Rounds of a loop that e counts would be counted in 64 bits.

#include "codegen/DeviceLink/SectionExtents.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// What `choice` always is, or null.
static Value *extentOf(SelectInst &choice) {
  Value *number, *extent;
  if (!match(&choice,
             m_Select(m_SpecificICmp(ICmpInst::ICMP_SGT, m_Value(number), m_Zero()), m_Value(extent), m_Zero())))
    return nullptr;
  return match(extent, m_ZExtOrSExtOrSelf(m_SMax(m_Specific(number), m_Zero()))) ? extent : nullptr;
}

PreservedAnalyses cufort::codegen::SectionExtents::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *choice = dyn_cast<SelectInst>(&instruction))
      if (Value *extent = extentOf(*choice)) {
        choice->replaceAllUsesWith(extent);
        choice->eraseFromParent();
        changed = true;
      }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
