// In: a kernel in which each thread calculates (n + 2) * (m + 2), i / n, or the address where a section begins
//
// Out: the same with parameters for these numbers, which the host calculates once for a launch
//
// A division by n is a multiplication and two shifts, whose numbers follow from n. The version is for n from 1 on.

#include "codegen/DeviceLink/HostValues.h"
#include "codegen/DeviceLink/FixedAddresses.h"
#include "codegen/DeviceLink/HostSteps.h"
#include "codegen/Support/CloneFunction.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr unsigned maxInstructions = 3000;
/// How many parameters a kernel may have, and how many numbers a version may get. With an address for each parameter,
/// a version has room for all of them.
static constexpr unsigned maxParameters = 64, maxNumbers = CufortMaxVersionParameters - 2 * maxParameters;

/// What is worth a parameter, and what is worth a version, in instructions that a thread saves.
static constexpr unsigned minSavedByValue = 2, minSavedByVersion = 6;

/// What an address and a division save, about.
static constexpr unsigned savedByAddress = 5, savedByDivision = 15;

namespace {

/// How many instructions `instruction` takes, which computes a number that is the same for all threads.
unsigned costOf(const Instruction &instruction) {
  if (isa<LoadInst, CastInst, FreezeInst>(instruction))
    return isa<SExtInst>(instruction);
  bool isNarrow = instruction.getType()->isIntegerTy(32);
  if (isa<MinMaxIntrinsic>(instruction))
    return isNarrow ? 1 : 3;
  if (instruction.getOpcode() == Instruction::Mul)
    return isNarrow ? 1 : 4;
  return isNarrow ? 1 : 2;
}

class HostWork {
public:
  explicit HostWork(Function &kernel) : kernel(kernel) {
    for (Argument &argument : kernel.args())
      parameters.push_back(&argument);
    kernelParameters = parameters.size();
  }

  /// Replaces what the host can calculate. Returns how many instructions a thread saves by that, about.
  unsigned replace() {
    unsigned saved = 0;
    for (const FixedAddress &address : fixAddresses(kernel, steps)) {
      saved += savedByAddress;
      if (auto *argument = dyn_cast<Argument>(address.array))
        values.push_back({argument->getArgNo(), address.step});
      else
        replaceBy(*cast<Instruction>(address.array), address.step);
    }
    steps.forgetValues();
    return saved + replaceDivisions() + replaceNumbers();
  }

  /// Gives `version` a function with the parameters that this needs, and what the host has to calculate for it.
  void finish(KernelVersion &version);

private:
  struct HostValue {
    unsigned parameter, step;
  };

  /// True if there is room for `count` numbers more.
  bool hasRoom(unsigned count) const { return numbers + count <= maxNumbers && !steps.areTooMany(); }

  /// A new parameter for the result of `step`, which stands in the first block until the function has it.
  Value *addParameter(unsigned step, Type &type) {
    for (const HostValue &value : values)
      if (value.step == step && value.parameter >= kernelParameters && parameters[value.parameter]->getType() == &type)
        return parameters[value.parameter];
    IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    Value *parameter = builder.Insert(new FreezeInst(PoisonValue::get(&type)));
    values.push_back({static_cast<unsigned>(parameters.size()), step});
    parameters.push_back(parameter);
    numbers += !type.isPointerTy();
    return parameter;
  }

  void replaceBy(Instruction &instruction, unsigned step) {
    instruction.replaceAllUsesWith(addParameter(step, *instruction.getType()));
  }

  Function &appendParameters();
  unsigned replaceNumbers();
  unsigned saved(Instruction &instruction, SmallPtrSetImpl<Instruction *> &counted);
  unsigned replaceDivisions();
  void replaceDivision(BinaryOperator &division, unsigned divisor);

  Function &kernel;
  HostSteps steps;
  std::vector<Value *> parameters; ///< those of the kernel, and what stands for those that its version has more
  size_t kernelParameters;
  unsigned numbers = 0; ///< of parameters that are no addresses
  std::vector<HostValue> values;
  SmallVector<unsigned> divisors; ///< steps
  SmallPtrSet<Value *, 8> nonNegative;
};

unsigned HostWork::saved(Instruction &instruction, SmallPtrSetImpl<Instruction *> &counted) {
  if (!counted.insert(&instruction).second)
    return 0;
  unsigned sum = costOf(instruction);
  for (Value *operand : instruction.operands())
    if (auto *part = dyn_cast<Instruction>(operand); part && steps.stepOf(*part))
      sum += saved(*part, counted);
  return sum;
}

bool isConstant(const Value *value) { return isa<Constant>(value); }

/// Replaces numbers that follow from several parameters where others are made of them. Multiples of one number stay:
/// addresses some rows apart are made from each other by additions. So do extensions: a product of numbers that
/// have been extended is one instruction.
unsigned HostWork::replaceNumbers() {
  auto isKnown = [&](const User *user) {
    auto *instruction = dyn_cast<Instruction>(user);
    bool isOfSeveral =
        instruction && (isa<MinMaxIntrinsic>(instruction) ||
                        (isa<BinaryOperator>(instruction) && none_of(instruction->operands(), isConstant)));
    return isOfSeveral && steps.stepOf(const_cast<Instruction &>(*instruction));
  };
  SmallVector<Instruction *> candidates;
  for (Instruction &instruction : instructions(kernel))
    if (isKnown(&instruction) && !all_of(instruction.users(), isKnown))
      candidates.push_back(&instruction);
  unsigned sum = 0;
  SmallPtrSet<Instruction *, 32> counted;
  for (Instruction *instruction : candidates) {
    SmallPtrSet<Instruction *, 16> own;
    if (saved(*instruction, own) < minSavedByValue || !hasRoom(1))
      continue;
    sum += saved(*instruction, counted);
    bool isNonNegative = isKnownNonNegative(instruction, kernel.getDataLayout());
    Value *parameter = addParameter(*steps.stepOf(*instruction), *instruction->getType());
    instruction->replaceUsesWithIf(parameter, [&](const Use &use) { return !isKnown(use.getUser()); });
    if (isNonNegative)
      nonNegative.insert(parameter);
  }
  return sum;
}

/// Replaces a division of numbers of 32 bits, of which the first is not negative or has a sign.
void HostWork::replaceDivision(BinaryOperator &division, unsigned divisor) {
  IRBuilder<> builder(&division);
  Value *number = division.getOperand(0);
  bool mayBeNegative = !isKnownNonNegative(number, kernel.getDataLayout());
  Value *multiplier = addParameter(steps.operate(CufortStepDivisionMultiplier, 32, divisor), *builder.getInt32Ty());
  Value *shift = addParameter(steps.operate(CufortStepDivisionShift, 32, divisor), *builder.getInt32Ty());
  Value *size = mayBeNegative ? builder.CreateBinaryIntrinsic(Intrinsic::abs, number, builder.getFalse()) : number;
  auto widen = [&](Value *narrow) { return builder.CreateZExt(narrow, builder.getInt64Ty()); };
  Value *quotient = builder.CreateLShr(builder.CreateNUWMul(widen(size), widen(multiplier)), 31);
  quotient = builder.CreateLShr(builder.CreateTrunc(quotient, builder.getInt32Ty()), shift);
  if (mayBeNegative) {
    Value *isNegative = builder.CreateICmpSLT(number, builder.getInt32(0));
    quotient = builder.CreateSelect(isNegative, builder.CreateNeg(quotient), quotient);
  }
  if (division.getOpcode() == Instruction::SRem || division.getOpcode() == Instruction::URem)
    quotient = builder.CreateSub(number, builder.CreateMul(quotient, division.getOperand(1)));
  division.replaceAllUsesWith(quotient);
  division.eraseFromParent();
}

unsigned HostWork::replaceDivisions() {
  unsigned sum = 0;
  for (Instruction &instruction : make_early_inc_range(instructions(kernel))) {
    auto *division = dyn_cast<BinaryOperator>(&instruction);
    if (!division || !division->isIntDivRem() || !division->getType()->isIntegerTy(32) ||
        isa<Constant>(division->getOperand(1)))
      continue;
    bool isSigned = division->getOpcode() == Instruction::SDiv || division->getOpcode() == Instruction::SRem;
    std::optional<unsigned> divisor = steps.stepOf(*division->getOperand(1));
    if (!divisor || steps.stepOf(*division) || !hasRoom(2) ||
        (!isSigned && !isKnownNonNegative(division->getOperand(0), kernel.getDataLayout())))
      continue;
    if (!is_contained(divisors, *divisor))
      divisors.push_back(*divisor);
    replaceDivision(*division, *divisor);
    sum += savedByDivision;
  }
  return sum;
}

void HostWork::finish(KernelVersion &version) {
  SmallVector<unsigned *> needed;
  for (HostValue &value : values)
    needed.push_back(&value.step);
  for (unsigned &divisor : divisors)
    needed.push_back(&divisor);
  steps.dropOthers(needed);
  for (unsigned divisor : divisors)
    version.condition.requireStep(divisor, 1, INT32_MAX);
  version.kernelParameters = static_cast<uint16_t>(kernelParameters);
  version.calculation = {steps.all().vec(), {}};
  for (const HostValue &value : values)
    version.calculation.values.push_back({static_cast<uint16_t>(value.parameter), static_cast<uint16_t>(value.step)});
  Function &function = appendParameters();
  for (auto [argument, value] :
       zip(drop_begin(function.args(), kernelParameters), drop_begin(parameters, kernelParameters)))
    if (nonNegative.contains(value)) {
      unsigned bits = argument.getType()->getIntegerBitWidth();
      ConstantRange range(APInt(bits, 0), APInt::getSignedMinValue(bits));
      argument.addAttr(Attribute::get(argument.getContext(), Attribute::Range, range));
    }
  kernel.eraseFromParent();
  version.function = &function;
}

/// Returns what takes the place of the kernel.
Function &HostWork::appendParameters() {
  SmallVector<Type *> types;
  for (Value *parameter : drop_begin(parameters, kernelParameters))
    types.push_back(parameter->getType());
  ClonedFunction clone;
  cloneWithParameters(kernel, types, kernel.getReturnType(), "", clone);
  Function &function = *clone.function;
  function.setLinkage(kernel.getLinkage());
  function.takeName(&kernel);
  function.removeFromParent();
  kernel.getParent()->getFunctionList().insert(kernel.getIterator(), &function);
  for (size_t number = kernelParameters; number < parameters.size(); ++number) {
    auto *standIn = cast<Instruction>(static_cast<Value *>(clone.map[parameters[number]]));
    standIn->replaceAllUsesWith(function.getArg(number));
    standIn->eraseFromParent();
  }
  return function;
}

/// False for kernels that stay as they are.
bool mayHaveValues(const Function &kernel) {
  return kernel.getInstructionCount() <= maxInstructions && kernel.arg_size() <= maxParameters;
}

} // namespace

void cufort::codegen::calculateOnHost(KernelVersion &version) {
  if (!mayHaveValues(*version.function))
    return;
  HostWork work(*version.function);
  if (work.replace())
    work.finish(version);
  simplifyArithmetic(*version.function);
}

/// What a version of `kernel` would save.
static unsigned savedBy(Function &kernel) {
  ValueToValueMapTy map;
  Function *trial = CloneFunction(&kernel, map);
  unsigned saved = HostWork(*trial).replace();
  trial->eraseFromParent();
  return saved;
}

std::optional<KernelVersion> cufort::codegen::createHostValuesVersion(Function &kernel) {
  if (!mayHaveValues(kernel) || savedBy(kernel) < minSavedByVersion)
    return std::nullopt;
  ValueToValueMapTy map;
  KernelVersion version = {kernel.getName().str(), cloneKernel(kernel, "$values", map), {}};
  calculateOnHost(version);
  return version;
}
