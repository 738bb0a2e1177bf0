// What threads keep from one phase of a kernel to the next, in compiled loops.
#pragma once

#include <cstdlib>
#include <memory>

namespace cufort::rt::emulated {

/// Owns the memory; one block after the other uses it.
class PhaseMemory {
public:
  /// Makes it hold `bytes` bytes, 64-byte aligned. False if there is no memory. Contents are undefined.
  bool reserve(size_t bytes) {
    if (bytes <= size)
      return true;
    size = 0;
    memory.reset(static_cast<char *>(aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)));
    if (memory)
      size = bytes;
    return memory != nullptr;
  }
  /// Returns the first byte; null before the first reserve().
  char *begin() const { return memory.get(); }

private:
  static constexpr size_t alignment = 64;
  struct Free {
    void operator()(char *pointer) const { free(pointer); }
  };
  std::unique_ptr<char, Free> memory;
  size_t size = 0;
};

} // namespace cufort::rt::emulated
