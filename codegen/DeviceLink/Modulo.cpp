#include "codegen/DeviceLink/Modulo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// True if `condition` is remainder /= 0 .and. (place < 0 .neqv. period < 0).
static bool isOfOtherSign(Value *condition, BinaryOperator &remainder) {
  Value *place = remainder.getOperand(0), *period = remainder.getOperand(1), *first, *second;
  auto isSignTest = [&](Value *value) {
    Value *signs = nullptr;
    return match(value, m_SpecificICmp(ICmpInst::ICMP_SLT, m_Value(signs), m_Zero())) &&
           match(signs, m_c_Xor(m_CombineOr(m_Specific(place), m_Specific(&remainder)), m_Specific(period)));
  };
  auto isZeroTest = [&](Value *value) {
    return match(value, m_SpecificICmp(ICmpInst::ICMP_NE, m_Specific(&remainder), m_Zero()));
  };
  return match(condition, m_LogicalAnd(m_Value(first), m_Value(second))) &&
         ((isSignTest(first) && isZeroTest(second)) || (isSignTest(second) && isZeroTest(first)));
}

BinaryOperator *cufort::codegen::remainderInModulo(Instruction &instruction) {
  Value *condition, *corrected;
  BinaryOperator *remainder;
  bool isSelected = match(&instruction, m_Select(m_Value(condition), m_Value(corrected), m_BinOp(remainder)));
  bool isSum = !isSelected && match(&instruction, m_c_Add(m_Select(m_Value(condition), m_Value(corrected), m_Zero()),
                                                          m_BinOp(remainder)));
  if ((!isSelected && !isSum) || remainder->getOpcode() != Instruction::SRem || !isOfOtherSign(condition, *remainder))
    return nullptr;
  Value *period = remainder->getOperand(1);
  bool isCorrected = isSum ? corrected == period : match(corrected, m_c_Add(m_Specific(remainder), m_Specific(period)));
  return isCorrected ? remainder : nullptr;
}

/// True if `correction` is what MODULO adds to `remainder`.
static bool isCorrection(Value *correction, Value *remainder) {
  auto *division = dyn_cast<BinaryOperator>(remainder);
  Value *condition;
  return division && division->getOpcode() == Instruction::SRem &&
         match(correction, m_Select(m_Value(condition), m_Specific(division->getOperand(1)), m_Zero())) &&
         isOfOtherSign(condition, *division);
}

bool cufort::codegen::gatherModulo(Function &function) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *last = dyn_cast<GetElementPtrInst>(&instruction);
    auto *first = last ? dyn_cast<GetElementPtrInst>(last->getPointerOperand()) : nullptr;
    if (!first || first->getNumIndices() != 1 || last->getNumIndices() != 1 ||
        first->getSourceElementType() != last->getSourceElementType())
      continue;
    Value *remainder = first->getOperand(1), *correction = last->getOperand(1);
    if (!isCorrection(correction, remainder) && !isCorrection(remainder, correction))
      continue;
    IRBuilder<> builder(last);
    Value *place = builder.CreateAdd(remainder, correction);
    last->replaceAllUsesWith(builder.CreateGEP(last->getSourceElementType(), first->getPointerOperand(), place));
    last->eraseFromParent();
    if (first->use_empty())
      first->eraseFromParent();
    changed = true;
  }
  return changed;
}
