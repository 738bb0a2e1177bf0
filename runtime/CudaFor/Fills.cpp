// Fills with a value of the array's own type (guide 4.9.40 to 4.9.42).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CopyShape.h"
#include "runtime/CudaFor/CudaFor.h"
#include <cstring>
#include <vector>

namespace cufort::rt {

namespace {

/// The bytes that each element receives.
using Pattern = std::vector<char>;

bool isZero(const FortranDescriptor &value) {
  auto *bytes = static_cast<const char *>(value.base);
  for (size_t i = 0; i < value.elementBytes; ++i)
    if (bytes[i])
      return false;
  return true;
}

/// Sets `pattern`: the value itself; for an address the lowest byte of an integer; zeros for a zero of any type, which
/// has the same bits in all of them.
Result patternFor(const Operand &memory, Any value, Pattern &pattern) {
  auto *bytes = static_cast<const char *>(value.base);
  if (memory.isAddress)
    pattern.assign(bytes, bytes + 1);
  else if (isZero(value))
    pattern.assign(memory.unit, 0);
  else if (memory.type == value.type && memory.unit == value.elementBytes)
    pattern.assign(bytes, bytes + value.elementBytes);
  else
    return Result(cudaErrorInvalidValue, "a value of another type than the array's");
  return {};
}

Result fillSections(const Current &current, const Operand &memory, const Pattern &pattern, size_t count,
                    int64_t stream) {
  if (count > memory.array.elements())
    return Result(cudaErrorInvalidValue, "count exceeds the section");
  for (const StridedArray &section : leadingSections(memory.array, count))
    if (Result result = fillArray(current, section, pattern.data(), true, stream); !result)
      return result;
  return {};
}

Result fill(const Current &current, Any argument, Any value, Any count, int64_t stream) {
  Operand memory = operandOf(argument);
  Pattern pattern;
  size_t bytes = 0;
  Result result = patternFor(memory, value, pattern);
  if (result.ok())
    result = bytesOf(integerOf(count), memory.unit, bytes);
  if (!result || bytes == 0)
    return result;
  if (!memory.address)
    return Result(cudaErrorInvalidValue, "an array that is not allocated");
  size_t elements = bytes / memory.unit;
  if (!memory.isContiguous())
    return fillSections(current, memory, pattern, elements, stream);
  return fillElements(current, memory.device(), pattern.data(), pattern.size(), elements, stream);
}

Result fill2D(const Current &current, Any argument, Any pitch, Any value, Any width, Any height) {
  Operand memory = operandOf(argument);
  Pattern pattern;
  size_t pitchBytes = 0, widthBytes = 0, rows = 0;
  Result result = patternFor(memory, value, pattern);
  if (result.ok())
    result = bytesOf(integerOf(pitch), memory.unit, pitchBytes);
  if (result.ok())
    result = bytesOf(integerOf(width), memory.unit, widthBytes);
  if (result.ok())
    result = bytesOf(integerOf(height), 1, rows);
  if (!result || widthBytes == 0 || rows == 0)
    return result;
  if (pitchBytes < widthBytes)
    return Result(cudaErrorInvalidPitchValue, "the pitch is smaller than the width");
  if (!memory.address)
    return Result(cudaErrorInvalidValue, "an array that is not allocated");
  StridedArray target;
  target.base = memory.address;
  target.elementBytes = pattern.size();
  target.rank = 2;
  target.extent[0] = static_cast<int64_t>(widthBytes / memory.unit);
  target.extent[1] = static_cast<int64_t>(rows);
  target.stride[0] = static_cast<int64_t>(memory.unit);
  target.stride[1] = static_cast<int64_t>(pitchBytes);
  return fillArray(current, target, pattern.data(), true, 0);
}

} // namespace

extern "C" {

int cufort_cudaMemset(Any memory, Any value, Any count) {
  return withContext([&](const Current &current) { return fill(current, memory, value, count, 0); });
}

int cufort_cudaMemsetAsync(Any memory, Any value, Any count, Optional stream) {
  return withContext([&](const Current &current) { return fill(current, memory, value, count, streamOf(stream)); });
}

int cufort_cudaMemset2D(Any memory, Any pitch, Any value, Any width, Any height) {
  return withContext([&](const Current &current) { return fill2D(current, memory, pitch, value, width, height); });
}

} // extern "C"

} // namespace cufort::rt
