// What the device threads of one launch have printed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace cufort::rt::emulated {

/// Collects the output of a launch. Output of different blocks comes out in the order of the blocks, however they
/// were distributed over the host threads; a grid barrier separates what was printed before it from what came after.
class PrintBuffer {
public:
  /// Adds what one call printed. `phase`: grid barriers passed. Thread-safe.
  void add(uint64_t phase, uint64_t block, const std::string &text);
  /// Writes everything to stdout and forgets it. Thread-safe.
  void flush();

private:
  void writeAll(); // the lock is held

  std::mutex lock;
  std::map<std::pair<uint64_t, uint64_t>, std::string> texts; ///< by phase and block
  size_t bytes = 0;
};

} // namespace cufort::rt::emulated
