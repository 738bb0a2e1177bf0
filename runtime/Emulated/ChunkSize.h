// How many blocks a worker takes at a time.
#pragma once

#include <chrono>
#include <cstdint>

namespace cufort::rt::emulated {

/// Starts with one block and doubles while a chunk takes less than a fifth of a millisecond, so that neither taking
/// work nor waiting for the last worker costs much, whatever a block costs.
class ChunkSize {
public:
  explicit ChunkSize(unsigned workers) : workers(workers) {}

  /// Returns how many of the `left` blocks that nobody has taken to take next.
  uint64_t next(uint64_t left) {
    uint64_t fair = left / (2 * uint64_t(workers));
    if (size > fair && workers > 1)
      size = fair ? fair : 1;
    return size;
  }

  /// The chunk has been run. Returns the seconds since the first chunk began.
  double chunkEnded() {
    auto now = std::chrono::steady_clock::now();
    auto took = now - chunkBegan;
    chunkBegan = now;
    if (took < std::chrono::microseconds(200))
      size *= 2;
    else if (took > std::chrono::milliseconds(2) && size > 1)
      size /= 2;
    return std::chrono::duration<double>(now - began).count();
  }

private:
  uint64_t size = 1;
  const unsigned workers;
  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point chunkBegan = began;
};

} // namespace cufort::rt::emulated
