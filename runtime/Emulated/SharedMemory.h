// Shared memory of one block at a time.
#pragma once

#include <cstddef>

namespace cufort::rt::emulated {

/// Owns the memory; one block after the other uses it.
class SharedMemory {
public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// Makes it hold at least `bytes` bytes, 16-byte aligned. False if there is no memory. Contents are undefined.
  bool reserve(size_t bytes);
  /// Fills the first `bytes` bytes with 0xCB, so that reading what was never written shows.
  void poison(size_t bytes);
  /// Returns the first byte; null before the first reserve().
  char *base() const { return memory; }

private:
  char *memory = nullptr;
  size_t capacity = 0;
};

} // namespace cufort::rt::emulated
