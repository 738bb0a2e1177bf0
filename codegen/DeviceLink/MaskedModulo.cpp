// In:  r = srem(x, 16)                                        Out: and(x, 15)
//      select(r != 0 and xor(x, 16) < 0, r + 16, r)

#include "codegen/DeviceLink/MaskedModulo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// True if `condition` says that `remainder`, of `value` by `divisor`, has the other sign than the divisor.
static bool isOfOtherSign(Value *condition, Value *remainder, Value *value, Value *divisor) {
  auto isNotZero = m_SpecificICmp(CmpInst::ICMP_NE, m_Specific(remainder), m_Zero());
  auto differ = m_SpecificICmp(CmpInst::ICMP_SLT, m_c_Xor(m_Specific(value), m_Specific(divisor)), m_Zero());
  return match(condition, m_c_And(isNotZero, differ));
}

PreservedAnalyses cufort::codegen::MaskedModulo::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *condition, *remainder, *value;
    const APInt *divisor;
    if (!match(&instruction,
               m_Select(m_Value(condition), m_Add(m_Value(remainder), m_Power2(divisor)), m_Deferred(remainder))) ||
        divisor->isNegative() || !match(remainder, m_SRem(m_Value(value), m_SpecificInt(*divisor))) ||
        !isOfOtherSign(condition, remainder, value, ConstantInt::get(value->getType(), *divisor)))
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(builder.CreateAnd(value, *divisor - 1));
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
