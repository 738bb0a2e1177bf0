// In:  n - 72 < -64 (unsigned) ? 0 : (x >> (n - 8)) & 255     Out: (n - 8 > 63 ? 0 : x >> (n - 8)) & 255
//      abs(n) > 63 ? 0 : n < 0 ? x >> abs(n) : x << abs(n)         n < 0 ? (abs(n) > 63 ? 0 : x >> abs(n)) : ...

#include "codegen/DeviceLink/ClampedShifts.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Operations between a shift and the choice, at most.
constexpr unsigned mostOperations = 4;

bool isShift(const Value &value) {
  return match(&value, m_LogicalShift(m_Value(), m_Value())) &&
         (value.getType()->isIntegerTy(32) || value.getType()->isIntegerTy(64));
}

/// Shifts by one number, of which a value is zero if all of them are.
class ShiftedValue {
public:
  /// Finds those of `value`; false if there are none, or something else.
  bool find(Value *value, unsigned depth = 0) {
    if (depth > mostOperations)
      return false;
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return false;
    if (isShift(*value))
      return add(*instruction);
    // Changed where it is: it must not be seen elsewhere.
    if (!instruction->hasOneUse())
      return false;
    Value *whenTrue, *whenFalse;
    if (match(value, m_Select(m_Value(), m_Value(whenTrue), m_Value(whenFalse))))
      return find(whenTrue, depth + 1) && find(whenFalse, depth + 1);
    return (match(value, m_And(m_Value(), m_Constant())) || isa<ZExtInst, TruncInst>(value)) &&
           find(instruction->getOperand(0), depth + 1);
  }

  Value *bits() const { return shifts.front()->getOperand(1); }
  unsigned width() const { return shifts.front()->getType()->getIntegerBitWidth(); }

  /// Makes each zero if it is by all bits or more.
  void clamp() {
    for (Instruction *shift : shifts) {
      IRBuilder<> builder(shift->getNextNode());
      Value *isPart = builder.CreateICmpULT(bits(), ConstantInt::get(bits()->getType(), width()));
      auto *chosen =
          SelectInst::Create(isPart, shift, ConstantInt::get(shift->getType(), 0), "", builder.GetInsertPoint());
      shift->replaceUsesWithIf(chosen, [&](const Use &use) { return use.getUser() != chosen; });
    }
  }

private:
  bool add(Instruction &shift) {
    if (!shifts.empty() && (shift.getOperand(1) != bits() || shift.getType() != shifts.front()->getType()))
      return false;
    shifts.push_back(&shift);
    return true;
  }

  SmallVector<Instruction *, 2> shifts;
};

/// A number, and which of its values are meant.
struct Values {
  Value *number;
  ConstantRange range;
};

/// The same in terms of what `values.number` is computed from, by a constant sum or an extension; false if it is not.
bool stepBack(Values &values) {
  const APInt *moved;
  Value *number;
  if (match(values.number, m_Add(m_Value(number), m_APInt(moved)))) {
    values = {number, values.range.subtract(*moved)};
    return true;
  }
  if (!match(values.number, m_ZExtOrSExt(m_Value(number))))
    return false;
  unsigned narrow = number->getType()->getIntegerBitWidth(), wide = values.range.getBitWidth();
  ConstantRange all = ConstantRange::getFull(narrow);
  if (!(isa<SExtInst>(values.number) ? all.signExtend(wide) : all.zeroExtend(wide)).contains(values.range))
    return false;
  values = {number, values.range.truncate(narrow)};
  return true;
}

/// True if `condition` is `value` wherever `bits` is less than `width`. Where it is so for more of them, the shift has
/// no value that anyone may use.
bool isForParts(Value *condition, bool value, Value *bits, unsigned width) {
  const APInt *limit;
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !match(compare->getOperand(1), m_APInt(limit)))
    return false;
  auto predicate = value ? compare->getPredicate() : compare->getInversePredicate();
  Values chosen = {compare->getOperand(0), ConstantRange::makeExactICmpRegion(predicate, *limit)};
  do {
    unsigned ofBits = bits->getType()->getIntegerBitWidth();
    Values parts = {bits, ConstantRange(APInt(ofBits, 0), APInt(ofBits, width))};
    do {
      if (chosen.number == parts.number && chosen.range.contains(parts.range))
        return true;
    } while (stepBack(parts));
  } while (stepBack(chosen));
  return false;
}

/// What `choice` is where it is not zero, if it is zero only for shifts by all bits or more; else null.
Value *clampedValue(SelectInst &choice, ShiftedValue &shifted) {
  bool isZeroIfTrue = match(choice.getTrueValue(), m_Zero());
  if (!isZeroIfTrue && !match(choice.getFalseValue(), m_Zero()))
    return nullptr;
  Value *value = isZeroIfTrue ? choice.getFalseValue() : choice.getTrueValue();
  bool found = shifted.find(value) && isForParts(choice.getCondition(), !isZeroIfTrue, shifted.bits(), shifted.width());
  return found ? value : nullptr;
}

} // namespace

PreservedAnalyses cufort::codegen::ClampedShifts::run(Function &function, FunctionAnalysisManager &) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *choice = dyn_cast<SelectInst>(&instruction);
      ShiftedValue shifted;
      Value *value = choice ? clampedValue(*choice, shifted) : nullptr;
      if (!value)
        continue;
      choice->replaceAllUsesWith(value);
      RecursivelyDeleteTriviallyDeadInstructions(choice);
      shifted.clamp();
    }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
