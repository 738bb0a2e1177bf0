#include "codegen/DeviceLink/HostSteps.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace cufort::codegen;

unsigned HostSteps::add(const CufortStep &step) {
  auto [found, isNew] = numbers.try_emplace({step.kind, step.bits, step.first, step.second, step.value}, steps.size());
  if (isNew)
    steps.push_back(step);
  return found->second;
}

unsigned HostSteps::operate(CufortStepKind kind, uint8_t bits, unsigned first, unsigned second) {
  bool commutes = kind == CufortStepAdd || kind == CufortStepMultiply;
  if (commutes && first > second)
    std::swap(first, second);
  return add({static_cast<uint8_t>(kind), bits, static_cast<uint16_t>(first), static_cast<uint16_t>(second), 0, 0});
}

/// The bits of a number that steps may have; 0 for others.
static uint8_t bitsOf(const Type &type) {
  if (type.isPointerTy())
    return type.getPointerAddressSpace() == 0 ? 64 : 0;
  return type.isIntegerTy(32) ? 32 : type.isIntegerTy(64) ? 64 : 0;
}

std::optional<unsigned> HostSteps::ofParameter(const Argument &argument, uint64_t offset, const Type &type) {
  return add({CufortStepParameter, bitsOf(type), static_cast<uint16_t>(argument.getArgNo()), 0, 0, offset});
}

/// The step that does what an instruction or an intrinsic function with two operands does.
static std::optional<CufortStepKind> kindOf(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
    return CufortStepAdd;
  case Instruction::Sub:
    return CufortStepSubtract;
  case Instruction::Mul:
    return CufortStepMultiply;
  case Instruction::And:
    return CufortStepAnd;
  case Instruction::Or:
    return CufortStepOr;
  case Instruction::Xor:
    return CufortStepXor;
  case Instruction::Shl:
    return CufortStepShiftLeft;
  case Instruction::LShr:
    return CufortStepShiftRight;
  case Instruction::AShr:
    return CufortStepShiftRightSigned;
  default:
    break;
  }
  auto *function = dyn_cast<IntrinsicInst>(&instruction);
  switch (function ? function->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::smin:
    return CufortStepMinSigned;
  case Intrinsic::smax:
    return CufortStepMaxSigned;
  case Intrinsic::umin:
    return CufortStepMinUnsigned;
  case Intrinsic::umax:
    return CufortStepMaxUnsigned;
  default:
    return std::nullopt;
  }
}

std::optional<unsigned> HostSteps::ofInstruction(Instruction &instruction) {
  uint8_t bits = bitsOf(*instruction.getType());
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    auto [argument, offset] = placeInArgument(load->getPointerOperand(), load->getDataLayout());
    bool isKnown = argument && argument->hasPointeeInMemoryValueAttr() && isOnlyLoaded(*argument) && offset >= 0;
    return isKnown ? ofParameter(*argument, offset, *load->getType()) : std::nullopt;
  }
  if (isa<ZExtInst, SExtInst, TruncInst, FreezeInst>(instruction)) {
    std::optional<unsigned> from = stepOf(*instruction.getOperand(0));
    if (!from || isa<ZExtInst, FreezeInst>(instruction))
      return from;
    if (isa<SExtInst>(instruction))
      return operate(CufortStepSignExtend, bits, *from);
    return operate(CufortStepAdd, bits, *from, constant(0));
  }
  std::optional<CufortStepKind> kind = kindOf(instruction);
  if (!kind)
    return std::nullopt;
  std::optional<unsigned> first = stepOf(*instruction.getOperand(0)), second = stepOf(*instruction.getOperand(1));
  return first && second ? std::optional(operate(*kind, bits, *first, *second)) : std::nullopt;
}

std::optional<unsigned> HostSteps::stepOf(Value &value) {
  if (!bitsOf(*value.getType()))
    return std::nullopt;
  if (auto *number = dyn_cast<ConstantInt>(&value))
    return constant(number->getZExtValue());
  if (auto *argument = dyn_cast<Argument>(&value))
    return argument->hasPointeeInMemoryValueAttr() ? std::nullopt : ofParameter(*argument, 0, *argument->getType());
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return std::nullopt;
  // In a loop a value may depend on itself: what is being looked at is not known.
  auto [found, isNew] = known.try_emplace(&value, std::nullopt);
  if (!isNew)
    return found->second;
  std::optional<unsigned> step = areTooMany() ? std::nullopt : ofInstruction(*instruction);
  known[&value] = step;
  return step;
}

void HostSteps::dropOthers(MutableArrayRef<unsigned *> needed) {
  std::vector<bool> isNeeded(steps.size());
  for (const unsigned *step : needed)
    isNeeded[*step] = true;
  auto hasOperands = [](const CufortStep &step) {
    return step.kind != CufortStepConstant && step.kind != CufortStepParameter;
  };
  for (unsigned i = steps.size(); i-- > 0;)
    if (isNeeded[i] && hasOperands(steps[i]))
      isNeeded[steps[i].first] = isNeeded[steps[i].second] = true;
  std::vector<unsigned> now(steps.size());
  std::vector<CufortStep> rest;
  for (unsigned i = 0; i < steps.size(); ++i) {
    if (!isNeeded[i])
      continue;
    CufortStep step = steps[i];
    if (hasOperands(step)) {
      step.first = static_cast<uint16_t>(now[step.first]);
      step.second = static_cast<uint16_t>(now[step.second]);
    }
    now[i] = rest.size();
    rest.push_back(step);
  }
  for (unsigned *step : needed)
    *step = now[*step];
  steps = std::move(rest);
}
