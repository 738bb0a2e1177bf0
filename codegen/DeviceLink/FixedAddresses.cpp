// In: a + (i + lower - first) * stride, where only i differs between threads
// Out: a' + i * stride, where a' = a + (lower - first) * stride, for all uses of a
//
// Numbers of threads have 32 bits, bounds have 64: each such sum takes two instructions, and its product four, where
// one is left.

#include "codegen/DeviceLink/FixedAddresses.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

/// moving + constant + fixed, where `moving` differs between threads; null is 0. That of an address begins at the
/// array.
struct Sum {
  Value *moving = nullptr;
  int64_t constant = 0;
  std::optional<unsigned> fixed;
};

class Splitter {
public:
  Splitter(Function &kernel, HostSteps &steps) : layout(kernel.getDataLayout()), steps(steps) {}

  /// Splits an integer of 64 bits.
  Sum split(Value &value) {
    auto [found, isNew] = sums.try_emplace(&value, Sum{&value, 0, std::nullopt});
    if (!isNew)
      return found->second;
    Sum sum = compute(value);
    sums[&value] = sum;
    return sum;
  }

  /// Splits an address in `array`.
  Sum splitAddress(Value &address, Value &array) {
    auto *element = dyn_cast<GetElementPtrInst>(&address);
    if (&address == &array || !element)
      return {&array, 0, std::nullopt};
    if (auto found = addresses.find(element); found != addresses.end())
      return found->second;
    Sum sum = splitAddress(*element->getPointerOperand(), array);
    SmallMapVector<Value *, APInt, 4> variables;
    APInt constant(64, 0);
    if (!cast<GEPOperator>(element)->collectOffset(layout, 64, variables, constant))
      return {&address, 0, std::nullopt};
    sum.constant += constant.getSExtValue();
    IRBuilder<> builder(element);
    for (auto &[variable, scale] : variables) {
      Sum part = variable->getType()->isIntegerTy(64) ? split(*variable) : Sum{variable, 0, std::nullopt};
      int64_t factor = scale.getSExtValue();
      sum.constant += part.constant * factor;
      sum.fixed = added(sum.fixed, scaled(part.fixed, factor));
      if (part.moving) {
        Value *moving = builder.CreateSExt(part.moving, builder.getInt64Ty());
        moving = factor == 1 ? moving : builder.CreateMul(moving, builder.getInt64(factor));
        sum.moving = builder.CreateGEP(builder.getInt8Ty(), sum.moving, moving);
      }
    }
    addresses[element] = sum;
    return sum;
  }

private:
  std::optional<unsigned> added(std::optional<unsigned> first, std::optional<unsigned> second) {
    return first && second ? steps.sum(*first, *second) : first ? first : second;
  }

  std::optional<unsigned> scaled(std::optional<unsigned> step, int64_t factor) {
    return step && factor != 1 ? steps.product(*step, steps.constant(factor)) : step;
  }

  static Value *sumOf(IRBuilder<> &builder, Value *first, Value *second) {
    return first && second ? builder.CreateAdd(first, second) : first ? first : second;
  }

  Sum compute(Value &value) {
    if (auto *number = dyn_cast<ConstantInt>(&value))
      return {nullptr, number->getSExtValue(), std::nullopt};
    if (std::optional<unsigned> step = steps.stepOf(value))
      return {nullptr, 0, step};
    Sum whole = {&value, 0, std::nullopt};
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction)
      return whole;
    Value *first, *second;
    ConstantInt *number;
    IRBuilder<> builder(instruction);
    if (match(&value, m_AddLike(m_Value(first), m_Value(second)))) {
      Sum a = split(*first), b = split(*second);
      bool isNothingFixed = !a.fixed && !b.fixed && !a.constant && !b.constant;
      return isNothingFixed ? whole
                            : Sum{sumOf(builder, a.moving, b.moving), a.constant + b.constant, added(a.fixed, b.fixed)};
    }
    if (match(&value, m_Sub(m_Value(first), m_Value(second)))) {
      Sum a = split(*first), b = split(*second);
      if (b.moving || !b.fixed)
        return whole;
      return {a.moving, a.constant - b.constant, added(a.fixed, scaled(b.fixed, -1))};
    }
    if (match(&value, m_Shl(m_Value(first), m_ConstantInt(number))) && number->getZExtValue() < 32)
      return scaledSum(builder, split(*first), int64_t(1) << number->getZExtValue(), whole);
    if (match(&value, m_c_Mul(m_Value(first), m_Value(second))))
      return product(builder, *first, *second, whole);
    if (match(&value, m_SExtLike(m_NSWAdd(m_Value(first), m_Value(second)))))
      return extended(builder, *first, *second, whole);
    return whole;
  }

  Sum scaledSum(IRBuilder<> &builder, const Sum &sum, int64_t factor, const Sum &whole) {
    if (!sum.fixed && !sum.constant)
      return whole;
    Value *moving = sum.moving ? builder.CreateMul(sum.moving, builder.getInt64(factor)) : nullptr;
    return {moving, sum.constant * factor, scaled(sum.fixed, factor)};
  }

  /// (i + constant + fixed) * stride. Of all that have the same fixed part, the first one's constant is in it as well:
  /// from there the others are some strides away.
  Sum product(IRBuilder<> &builder, Value &first, Value &second, const Sum &whole) {
    if (auto *number = dyn_cast<ConstantInt>(&second))
      return scaledSum(builder, split(first), number->getSExtValue(), whole);
    std::optional<unsigned> stride = steps.stepOf(second);
    Value &place = stride ? first : second;
    if (!stride)
      stride = steps.stepOf(first);
    if (!stride)
      return whole;
    Sum sum = split(place);
    if (!sum.fixed || !sum.moving)
      return whole;
    int64_t origin = origins.try_emplace({*sum.fixed, *stride}, sum.constant).first->second;
    Value *moving = sum.moving;
    if (sum.constant != origin)
      moving = builder.CreateAdd(moving, builder.getInt64(sum.constant - origin));
    moving = builder.CreateMul(moving, &place == &first ? &second : &first);
    unsigned fixed = origin ? steps.sum(*sum.fixed, steps.constant(origin)) : *sum.fixed;
    return {moving, 0, steps.product(fixed, *stride)};
  }

  /// A sum of 32 bits that does not overflow.
  Sum extended(IRBuilder<> &builder, Value &first, Value &second, const Sum &whole) {
    bool isFirst = steps.stepOf(first).has_value();
    Value &fixed = isFirst ? first : second, &moving = isFirst ? second : first;
    std::optional<unsigned> step = steps.stepOf(fixed);
    if (!step || isa<ConstantInt>(fixed))
      return whole;
    Value *wide = builder.CreateSExt(&moving, builder.getInt64Ty());
    return {wide, 0, steps.operate(CufortStepSignExtend, 64, *step)};
  }

  const DataLayout &layout;
  HostSteps &steps;
  DenseMap<Value *, Sum> sums;
  DenseMap<GetElementPtrInst *, Sum> addresses;
  std::map<std::pair<unsigned, unsigned>, int64_t> origins;
};

/// The uses of addresses in `array` that are not other addresses.
void collectUses(Value &address, SmallVectorImpl<Use *> &uses) {
  for (Use &use : address.uses())
    if (auto *element = dyn_cast<GetElementPtrInst>(use.getUser()); element && use.getOperandNo() == 0)
      collectUses(*element, uses);
    else
      uses.push_back(&use);
}

/// Parameters that are addresses, and addresses in descriptors.
SmallVector<Value *> findArrays(Function &kernel, HostSteps &steps) {
  SmallVector<Value *> arrays;
  for (Argument &argument : kernel.args())
    if (argument.getType()->isPointerTy() && steps.stepOf(argument))
      arrays.push_back(&argument);
  for (Instruction &instruction : instructions(kernel))
    if (isa<LoadInst>(instruction) && instruction.getType()->isPointerTy() && steps.stepOf(instruction))
      arrays.push_back(&instruction);
  return arrays;
}

/// What is known of the array's beginning does not hold for another place in it, or next to it.
void forgetBeginning(Value &array) {
  if (auto *argument = dyn_cast<Argument>(&array))
    argument->removeAttrs(AttributeMask()
                              .addAttribute(Attribute::Alignment)
                              .addAttribute(Attribute::NonNull)
                              .addAttribute(Attribute::Dereferenceable)
                              .addAttribute(Attribute::DereferenceableOrNull));
}

} // namespace

std::vector<FixedAddress> cufort::codegen::fixAddresses(Function &kernel, HostSteps &steps) {
  std::vector<FixedAddress> result;
  Splitter splitter(kernel, steps);
  for (Value *array : findArrays(kernel, steps)) {
    SmallVector<Use *> uses;
    collectUses(*array, uses);
    SmallVector<Sum> sums;
    for (Use *use : uses)
      sums.push_back(splitter.splitAddress(*use->get(), *array));
    bool isFixed = !sums.empty() && sums.front().fixed &&
                   all_of(sums, [&](const Sum &sum) { return sum.fixed == sums.front().fixed; });
    if (!isFixed || steps.areTooMany())
      continue;
    for (auto [use, sum] : zip(uses, sums)) {
      IRBuilder<> builder(cast<Instruction>(use->get()));
      use->set(sum.constant ? builder.CreateGEP(builder.getInt8Ty(), sum.moving, builder.getInt64(sum.constant))
                            : sum.moving);
    }
    forgetBeginning(*array);
    result.push_back({array, steps.sum(*steps.stepOf(*array), *sums.front().fixed)});
  }
  for (BasicBlock &block : kernel)
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (isInstructionTriviallyDead(&instruction))
        instruction.eraseFromParent();
  return result;
}
