// In:  distance = abs(s); rest = bits - distance              Out: fshl(x, x, s)
//      left = s > 0 ? distance : rest; right = s > 0 ? rest : distance
//      s == 0 || distance == bits ? x : (x >> right & ones(left)) | (x & ones(right)) << left
//
// where ones(n) are n bits: -1 >> (bits - n). A funnel shift takes the distance modulo the bits, so that one to the
// right is one to the left.

#include "codegen/DeviceLink/Rotations.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

class Rotation {
public:
  /// Finds what `choice` rotates, and how far.
  bool match(SelectInst &choice) {
    using llvm::PatternMatch::match;
    CmpPredicate first, second;
    Value *distance, *left, *right;
    Type *type = choice.getType();
    if (!type->isIntegerTy(32) && !type->isIntegerTy(64))
      return false;
    bits = type->getIntegerBitWidth();
    auto isUnchanged =
        m_Or(m_ICmp(first, m_Value(shift), m_Zero()), m_ICmp(second, m_Value(distance), m_SpecificInt(bits)));
    if (!match(choice.getCondition(), isUnchanged) || first != CmpInst::ICMP_EQ || second != CmpInst::ICMP_EQ ||
        !isDistance(distance))
      return false;
    word = choice.getTrueValue();
    auto high = m_Shl(m_And(m_Specific(word), m_Value(rightOnes)), m_Value(left));
    auto low = m_And(m_LShr(m_Specific(word), m_Value(right)), m_Value(leftOnes));
    return match(choice.getFalseValue(), m_Or(low, high)) && isChosen(left, distance, /*ifPositive=*/true) &&
           isChosen(right, distance, /*ifPositive=*/false) && isOnes(leftOnes, left) && isOnes(rightOnes, right);
  }

  Value *emit(IRBuilder<> &builder) const {
    return builder.CreateIntrinsic(word->getType(), Intrinsic::fshl, {word, word, shift});
  }

private:
  /// abs(shift), as Flang computes it.
  bool isDistance(Value *value) const {
    using llvm::PatternMatch::match;
    Value *sign;
    return match(value, m_Sub(m_Xor(m_Specific(shift), m_Value(sign)), m_Deferred(sign))) &&
           match(sign, m_AShr(m_Specific(shift), m_SpecificInt(bits - 1)));
  }

  /// The distance, or what it leaves of the bits, as the sign of the shift chooses.
  bool isChosen(Value *value, Value *distance, bool ifPositive) const {
    using llvm::PatternMatch::match;
    CmpPredicate predicate;
    Value *positive, *negative;
    if (!match(value, m_Select(m_ICmp(predicate, m_Specific(shift), m_Zero()), m_Value(positive), m_Value(negative))) ||
        predicate != CmpInst::ICMP_SGT)
      return false;
    auto isRest = [&](Value *other) { return match(other, m_Sub(m_SpecificInt(bits), m_Specific(distance))); };
    return ifPositive ? positive == distance && isRest(negative) : negative == distance && isRest(positive);
  }

  bool isOnes(Value *mask, Value *count) const {
    using llvm::PatternMatch::match;
    return match(mask, m_LShr(m_AllOnes(), m_Sub(m_SpecificInt(bits), m_Specific(count))));
  }

  unsigned bits = 0;
  Value *word = nullptr, *shift = nullptr, *leftOnes = nullptr, *rightOnes = nullptr;
};

} // namespace

PreservedAnalyses cufort::codegen::Rotations::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *choice = dyn_cast<SelectInst>(&instruction);
    Rotation rotation;
    if (!choice || !rotation.match(*choice))
      continue;
    IRBuilder<> builder(choice);
    choice->replaceAllUsesWith(rotation.emit(builder));
    choice->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
