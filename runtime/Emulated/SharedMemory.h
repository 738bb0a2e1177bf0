// Shared memory of one block at a time.
#pragma once

#include "runtime/Emulated/AddressSpace.h"

namespace cufort::rt::emulated {

/// Owns the memory; one block after the other uses it. Addresses behind it fault.
class SharedMemory {
public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// Makes it hold `bytes` bytes, 16-byte aligned. False if there is no memory. Contents are undefined.
  bool reserve(size_t bytes);
  /// Fills it with 0xCB, so that reading what was never written shows.
  void poison();
  /// Returns the first byte; null before the first reserve().
  char *base() const { return begin; }

private:
  GuardedMemory memory;
  char *begin = nullptr;
  size_t size = 0;
};

} // namespace cufort::rt::emulated
