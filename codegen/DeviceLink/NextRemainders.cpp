// In:  i = mod(at, n); next = mod(i + 1, n)       Out: next = i + 1 == abs(n) ? 0 : i + 1
//                      last = mod(i - 1, n)            last = i - 1 == -abs(n) ? 0 : i - 1
//
// A remainder is less than abs(n), and greater than -abs(n).

#include "codegen/DeviceLink/NextRemainders.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// 1 or -1 if `value` is by that from a remainder with `divisor`; otherwise 0.
int distanceFromRemainder(Value *value, Value *divisor) {
  auto remainder = m_SRem(m_Value(), m_Specific(divisor));
  if (match(value, m_Add(remainder, m_One())))
    return 1;
  return match(value, m_Sub(remainder, m_One())) || match(value, m_Add(remainder, m_AllOnes())) ? -1 : 0;
}

/// What is left of `value`, which is by `distance` from a remainder with `divisor`.
Value *remainderOfNext(IRBuilder<> &builder, Value *value, int distance, Value *divisor, const DataLayout &layout) {
  Value *end = divisor;
  if (!isKnownNonNegative(divisor, layout))
    end = builder.CreateBinaryIntrinsic(Intrinsic::abs, divisor, builder.getFalse());
  if (distance < 0)
    end = builder.CreateNeg(end);
  return builder.CreateSelect(builder.CreateICmpEQ(value, end), ConstantInt::get(value->getType(), 0), value);
}

} // namespace

PreservedAnalyses cufort::codegen::NextRemainders::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *value, *divisor;
    // LLVM multiplies instead of dividing by a constant.
    if (!match(&instruction, m_SRem(m_Value(value), m_Value(divisor))) || isa<Constant>(divisor))
      continue;
    int distance = distanceFromRemainder(value, divisor);
    if (!distance)
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(remainderOfNext(builder, value, distance, divisor, function.getDataLayout()));
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
