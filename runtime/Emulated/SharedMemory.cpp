#include "runtime/Emulated/SharedMemory.h"
#include <cstdlib>
#include <cstring>

namespace cufort::rt::emulated {

SharedMemory::~SharedMemory() { free(memory); }

bool SharedMemory::reserve(size_t bytes) {
  if (memory && bytes <= capacity)
    return true;
  // Whole cache lines, so that the blocks of two workers never share one.
  capacity = (bytes + 127) / 128 * 128 + 128;
  free(memory);
  memory = static_cast<char *>(aligned_alloc(128, capacity));
  if (!memory)
    capacity = 0;
  return memory;
}

void SharedMemory::poison(size_t bytes) { memset(memory, 0xcb, bytes); }

} // namespace cufort::rt::emulated
