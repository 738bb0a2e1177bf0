#include "runtime/Emulated/SharedMemory.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt::emulated {

static constexpr size_t alignment = 16;
// As much as any kernel may have that does not ask for more.
static constexpr size_t usualBytes = 48 << 10;

SharedMemory::~SharedMemory() { AddressSpace::instance().give(memory); }

bool SharedMemory::reserve(size_t bytes) {
  size = (bytes + alignment - 1) / alignment * alignment;
  if (!memory.base || size > memory.mappedBytes) {
    AddressSpace::instance().give(memory);
    memory = AddressSpace::instance().take(std::max(size, usualBytes), alignment);
    if (!memory.base)
      return false;
  }
  begin = memory.mapping + memory.mappedBytes - size;
  return true;
}

void SharedMemory::poison() { memset(begin, 0xcb, size); }

} // namespace cufort::rt::emulated
