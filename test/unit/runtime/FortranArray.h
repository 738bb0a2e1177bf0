// Descriptors as compiled code makes them, for tests of the entries that take them.
#pragma once

#include "runtime/FlangEntries/FortranDescriptor.h"
#include <vector>

namespace cufort::rt::fake {

constexpr int realType = 27; // CFI_type_float in Flang

/// A descriptor of an array of the given extents at `base`, contiguous, lower bounds 1.
inline FortranDescriptor describe(void *base, size_t elementBytes, const std::vector<int64_t> &extents,
                                  int attribute = 0, int allocator = FlangHost) {
  FortranDescriptor descriptor = {};
  descriptor.base = base;
  descriptor.elementBytes = elementBytes;
  descriptor.version = 20240719;
  descriptor.type = realType;
  descriptor.attribute = static_cast<uint8_t>(attribute);
  descriptor.extra = static_cast<uint8_t>(allocator << 1);
  auto stride = static_cast<int64_t>(elementBytes);
  for (int64_t extent : extents) {
    descriptor.dim[descriptor.rank++] = {1, extent, stride};
    stride *= extent;
  }
  return descriptor;
}

/// An unallocated allocatable of the given extents, as ALLOCATE finds it.
inline FortranDescriptor allocatable(int allocator, size_t elementBytes, const std::vector<int64_t> &extents) {
  return describe(nullptr, elementBytes, extents, 2, allocator);
}

/// The same for a pointer.
inline FortranDescriptor pointer(int allocator, size_t elementBytes, const std::vector<int64_t> &extents) {
  return describe(nullptr, elementBytes, extents, 1, allocator);
}

} // namespace cufort::rt::fake
