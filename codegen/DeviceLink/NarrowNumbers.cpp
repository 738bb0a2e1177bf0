#include "codegen/DeviceLink/NarrowNumbers.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

static bool isNarrowTo(Value *wide, unsigned depth) {
  Value *left, *right, *number;
  if (match(wide, m_SExt(m_Value(number))))
    return number->getType()->isIntegerTy(32);
  if (auto *constant = dyn_cast<ConstantInt>(wide))
    return constant->getValue().isSignedIntN(32);
  bool isExpression = match(wide, m_NSWAdd(m_Value(left), m_Value(right))) ||
                      match(wide, m_NSWSub(m_Value(left), m_Value(right))) ||
                      match(wide, m_NSWMul(m_Value(left), m_Value(right)));
  return isExpression && depth < MaxAnalysisRecursionDepth && isNarrowTo(left, depth + 1) &&
         isNarrowTo(right, depth + 1);
}

bool cufort::codegen::isNarrow(Value *wide) { return isNarrowTo(wide, 0); }
