#include "runtime/Module/DeviceDescriptor.h"
#include "runtime/Module/StrideNumbers.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt {

namespace {

/// Where an element with all subscripts 0 would be. Unsigned, because it may be below all memory.
uint64_t originOf(const FortranDescriptor &array) {
  uint64_t origin = reinterpret_cast<uintptr_t>(array.base);
  for (const FortranDim *dim = array.dim; dim != array.dim + array.rank; ++dim)
    origin -= static_cast<uint64_t>(dim->lowerBound) * static_cast<uint64_t>(dim->byteStride);
  return origin;
}

} // namespace

DeviceDescriptor::DeviceDescriptor(const void *host, size_t bytes, size_t room)
    : used(std::min({bytes, room, sizeof memory})) {
  std::memcpy(memory, host, used);
  if (room != bytes + CUFORT_ORIGIN_BYTES || used != bytes)
    return;
  const auto &array = *static_cast<const FortranDescriptor *>(host);
  uint64_t origin = originOf(array);
  std::memcpy(memory + used, &origin, sizeof origin);
  version = array.base ? strideNumber(array) : 0;
  if (version)
    std::memcpy(memory + offsetof(FortranDescriptor, version), &version, sizeof version);
  used += sizeof origin;
}

} // namespace cufort::rt
