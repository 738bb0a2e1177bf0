#include "codegen/DeviceLink/NarrowComparisons.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// How many sums and conversions may be looked through: so few numbers of 32 bits do not overflow in 64.
constexpr unsigned mostSteps = 8;

/// A sum of at most one number of 32 bits, of another one that is subtracted, and of a constant, in 64 bits.
class Sum {
public:
  /// Adds `value`, or subtracts it; false if the sum is of another form then.
  bool add(Value *value, bool subtract) {
    Value *left, *right;
    if (++steps > mostSteps)
      return false;
    if (const auto *number = dyn_cast<ConstantInt>(value))
      return addConstant(number->getValue(), subtract);
    if (match(value, m_Add(m_Value(left), m_Value(right))))
      return add(left, subtract) && add(right, subtract);
    if (match(value, m_Sub(m_Value(left), m_Value(right))))
      return add(left, subtract) && add(right, !subtract);
    if (match(value, m_SExt(m_Value(left))) || match(value, m_NNegZExt(m_Value(left))))
      return left->getType()->isIntegerTy(32) && addNarrow(left, subtract);
    return false;
  }

  Value *added = nullptr, *subtracted = nullptr;
  int64_t constant = 0;

private:
  bool addConstant(const APInt &number, bool subtract) {
    if (!number.isSignedIntN(33))
      return false;
    constant += subtract ? -number.getSExtValue() : number.getSExtValue();
    return true;
  }

  /// Adds `value`, of 32 bits, or what it is computed from without overflow.
  bool addNarrow(Value *value, bool subtract) {
    Value *number;
    const APInt *other;
    if (++steps > mostSteps)
      return false;
    if (match(value, m_Not(m_Value(number))))
      return addNarrow(number, !subtract) && addConstant(APInt::getAllOnes(64), subtract);
    if (match(value, m_NSWAdd(m_Value(number), m_APInt(other))))
      return addNarrow(number, subtract) && addConstant(other->sext(64), subtract);
    Value *&place = subtract ? subtracted : added;
    if (place)
      return false;
    place = value;
    return true;
  }

  unsigned steps = 0;
};

/// The comparison that says of two numbers a and b what `predicate` says of a and b + `distance`, if there is one.
std::optional<CmpInst::Predicate> comparisonAt(CmpInst::Predicate predicate, int64_t distance) {
  if (distance == 0)
    return predicate;
  bool isStrict = ICmpInst::isStrictPredicate(predicate),
       isLess = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  if (ICmpInst::isEquality(predicate) || distance != (isStrict == isLess ? 1 : -1))
    return std::nullopt;
  return ICmpInst::getFlippedStrictnessPredicate(predicate);
}

/// What `comparison` becomes; null if it stays.
Value *createNarrow(ICmpInst &comparison) {
  const APInt *limit;
  Sum sum;
  bool isSigned = comparison.isEquality() || comparison.isSigned();
  if (!comparison.getOperand(0)->getType()->isIntegerTy(64) || !isSigned ||
      !match(comparison.getOperand(1), m_APInt(limit)) || !limit->isSignedIntN(33) ||
      isa<CastInst>(comparison.getOperand(0)) || !sum.add(comparison.getOperand(0), /*subtract=*/false) || !sum.added ||
      !sum.subtracted)
    return nullptr;
  auto predicate = comparisonAt(comparison.getPredicate(), limit->getSExtValue() - sum.constant);
  return predicate ? IRBuilder<>(&comparison).CreateICmp(*predicate, sum.added, sum.subtracted) : nullptr;
}

} // namespace

PreservedAnalyses cufort::codegen::NarrowComparisons::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH> replaced;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *comparison = dyn_cast<ICmpInst>(&instruction))
        if (Value *narrow = createNarrow(*comparison)) {
          comparison->replaceAllUsesWith(narrow);
          replaced.push_back(comparison);
        }
  RecursivelyDeleteTriviallyDeadInstructions(replaced);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
