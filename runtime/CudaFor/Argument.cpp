#include "runtime/CudaFor/Argument.h"
#include "runtime/Memory/Allocation.h"
#include <cstring>
#include <string_view>

namespace cufort::rt {

namespace {

// CFI_type_... codes of Flang's descriptors.
constexpr int8_t typeCharacter = 40;
constexpr int8_t typeStruct = 42;

/// The name of the derived type of a descriptor, or "". A descriptor's addendum points at the compiler's description of
/// the type, whose first component is an array pointer (64 bytes) and whose second is a pointer to the name.
std::string_view derivedTypeName(const FortranDescriptor &descriptor) {
  constexpr size_t nameOffset = 64;
  if (descriptor.type != typeStruct || !(descriptor.extra & 1))
    return {};
  const char *description;
  std::memcpy(&description, &descriptor.dim[descriptor.rank], sizeof description);
  if (!description)
    return {};
  auto *name = reinterpret_cast<const FortranDescriptor *>(description + nameOffset);
  return {static_cast<const char *>(name->base), name->elementBytes};
}

bool holdsAddress(const FortranDescriptor &descriptor) {
  std::string_view name = derivedTypeName(descriptor);
  if (descriptor.rank != 0 || (name != "__builtin_c_devptr" && name != "__builtin_c_ptr"))
    return false;
  Allocation allocation;
  return !findAllocation(descriptor.base, allocation) || allocation.kind != MemoryKind::Device;
}

} // namespace

Operand operandOf(const FortranDescriptor &argument) {
  Operand operand;
  operand.array = arrayOf(argument);
  operand.type = argument.type;
  operand.isAddress = holdsAddress(argument);
  if (operand.isAddress) {
    std::memcpy(&operand.address, argument.base, sizeof operand.address);
    return operand;
  }
  operand.address = operand.array.base;
  operand.unit = argument.type == typeCharacter ? 1 : argument.elementBytes;
  return operand;
}

int64_t integerOf(const FortranDescriptor &argument) {
  switch (argument.elementBytes) {
  case 1:
    return *static_cast<const int8_t *>(argument.base);
  case 2:
    return *static_cast<const int16_t *>(argument.base);
  case 4:
    return *static_cast<const int32_t *>(argument.base);
  default:
    return *static_cast<const int64_t *>(argument.base);
  }
}

int64_t streamOf(const FortranDescriptor *argument) { return argument ? integerOf(*argument) : 0; }

Result bytesOf(int64_t count, size_t unit, size_t &bytes) {
  if (count < 0 || __builtin_mul_overflow(static_cast<size_t>(count), unit, &bytes) || bytes > PTRDIFF_MAX)
    return Result(cudaErrorInvalidValue, "count");
  return {};
}

Result checkDirection(const int *direction) {
  constexpr int last = 4; // cudaMemcpyDefault
  if (direction && (*direction < 0 || *direction > last))
    return Result(cudaErrorInvalidMemcpyDirection, "kdir");
  return {};
}

} // namespace cufort::rt
