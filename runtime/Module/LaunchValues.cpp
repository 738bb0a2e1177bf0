#include "runtime/Module/LaunchValues.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt {

namespace {

/// The smallest l with 2**l >= `divisor`, which is from 1 to 2**31 - 1; some number for others.
unsigned ceilLog2(uint64_t divisor) {
  unsigned bits = 0;
  while (bits < 31 && (uint64_t(1) << bits) < divisor)
    ++bits;
  return bits;
}

/// ceil(2**(31 + l) / divisor): 2**31 <= x < 2**32. For x <= 2**31 the error of x times this, less than x * divisor /
/// 2**(31 + l), does not reach the next multiple of 1 / divisor.
uint64_t divisionMultiplier(uint64_t divisor) {
  if (divisor == 0)
    return 0;
  uint64_t power = uint64_t(1) << (31 + ceilLog2(divisor));
  return (power + divisor - 1) / divisor;
}

uint64_t parameterBits(const void *parameter, uint64_t offset, unsigned bits) {
  uint64_t number = 0;
  std::memcpy(&number, static_cast<const char *>(parameter) + offset, bits / 8);
  return number;
}

int64_t asSigned(uint64_t number, unsigned bits) {
  return bits == 32 ? static_cast<int32_t>(number) : static_cast<int64_t>(number);
}

uint64_t operate(const CufortStep &step, uint64_t a, uint64_t b) {
  unsigned bits = step.bits, distance = static_cast<unsigned>(b & (bits - 1));
  int64_t signedA = asSigned(a, bits), signedB = asSigned(b, bits);
  switch (step.kind) {
  case CufortStepAdd:
    return a + b;
  case CufortStepSubtract:
    return a - b;
  case CufortStepMultiply:
    return a * b;
  case CufortStepAnd:
    return a & b;
  case CufortStepOr:
    return a | b;
  case CufortStepXor:
    return a ^ b;
  case CufortStepShiftLeft:
    return a << distance;
  case CufortStepShiftRight:
    return a >> distance;
  case CufortStepShiftRightSigned:
    return static_cast<uint64_t>(signedA >> distance);
  case CufortStepSignExtend:
    return static_cast<uint64_t>(asSigned(a, 32));
  case CufortStepMinSigned:
    return static_cast<uint64_t>(std::min(signedA, signedB));
  case CufortStepMaxSigned:
    return static_cast<uint64_t>(std::max(signedA, signedB));
  case CufortStepMinUnsigned:
    return std::min(a, b);
  case CufortStepMaxUnsigned:
    return std::max(a, b);
  case CufortStepDivisionMultiplier:
    return divisionMultiplier(a);
  case CufortStepDivisionShift:
    return ceilLog2(a);
  default:
    return 0;
  }
}

bool isSoundStep(const CufortStep &step, unsigned number, unsigned parameters) {
  if (step.kind < CufortStepConstant || step.kind >= CufortStepEnd || (step.bits != 32 && step.bits != 64))
    return false;
  if (step.kind == CufortStepConstant)
    return true;
  if (step.kind == CufortStepParameter)
    return step.first < parameters;
  return step.first < number && step.second < number;
}

} // namespace

bool LaunchCalculation::isSound() const {
  if (stepCount > CufortMaxSteps || versionParameters > CufortMaxVersionParameters ||
      kernelParameters > versionParameters)
    return false;
  for (unsigned i = 0; i < stepCount; ++i)
    if (!isSoundStep(steps[i], i, kernelParameters))
      return false;
  bool isSet[CufortMaxVersionParameters] = {};
  for (unsigned i = 0; i < valueCount; ++i) {
    if (values[i].parameter >= versionParameters || values[i].step >= stepCount)
      return false;
    isSet[values[i].parameter] = true;
  }
  return std::all_of(isSet + kernelParameters, isSet + versionParameters, [](bool set) { return set; });
}

void LaunchParameters::calculate(const LaunchCalculation &calculation) {
  for (unsigned i = 0; i < calculation.stepCount; ++i) {
    const CufortStep &step = calculation.steps[i];
    uint64_t result;
    if (step.kind == CufortStepConstant)
      result = step.value;
    else if (step.kind == CufortStepParameter)
      result = parameterBits(params[step.first], step.value, step.bits);
    else
      result = operate(step, results[step.first], results[step.second]);
    results[i] = step.bits == 32 ? static_cast<uint32_t>(result) : result;
  }
}

void **LaunchParameters::forVersion(const LaunchCalculation &calculation) {
  if (calculation.valueCount == 0)
    return params;
  std::copy(params, params + calculation.kernelParameters, changed);
  for (unsigned i = 0; i < calculation.valueCount; ++i)
    changed[calculation.values[i].parameter] = &results[calculation.values[i].step];
  return changed;
}

} // namespace cufort::rt
