// Data races on shared memory: for kernels that are compiled with -gpu=check.
//
// Two accesses of different threads to one byte race if one of them writes, not both are atomic, and nothing orders
// them. Order comes from the barriers of the block; among the lanes of a warp from the operations in which they meet;
// and from atomic operations: whoever has done one after an access may have told the others, so that those that have
// done one later are not reported. Writing the value that is there already harms nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cufort::rt::emulated {

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// Two accesses that race. Threads are numbered in the block, x fastest, from 0; places are "file:line" or null.
struct Race {
  uint32_t earlier, later;
  const char *earlierPlace, *laterPlace;
  bool earlierWrites, laterWrites;
};

/// Follows the accesses to the shared memory of one block at a time.
class RaceDetector {
public:
  /// Makes room for blocks of `threads` threads with `bytes` bytes of shared memory.
  void prepare(uint32_t threads, size_t bytes);
  /// Forgets the block before.
  void begin();
  /// All threads of the block have met.
  void passBarrier() { ++phase; }
  /// The `lanes` of the warp that begins with thread `first` have met.
  void meet(uint32_t first, uint32_t lanes);
  /// `thread` has done an atomic operation, or something that orders as one does.
  void noteAtomic(uint32_t thread);
  /// `thread` reads `size` bytes that begin `offset` bytes into shared memory, or has written them: `memory` is where
  /// they are. Returns the first race.
  std::optional<Race> access(uint32_t thread, size_t offset, size_t size, AccessKind kind, const char *memory,
                             const char *where);

private:
  static constexpr uint32_t nobody = ~0u;
  struct Access {
    uint32_t thread = nobody;
    uint32_t clock = 0; ///< of the thread
    uint64_t time = 0;
    const char *where = nullptr;
    bool atomic = false;
  };
  /// What is known of one byte in this phase. The first two threads that have read it since it was written are enough:
  /// whoever writes next is another thread than one of them.
  struct Byte {
    uint64_t phase = 0;
    Access write, reads[2];
    char value = 0;
  };
  struct Thread {
    uint32_t clock = 1;      ///< operations of the warp that it has been in, and 1
    uint32_t seen[32] = {};  ///< for each lane of its warp: up to which clock its accesses came before
    uint64_t lastAtomic = 0; ///< time; 0: none
  };

  bool isOrdered(const Access &earlier, uint32_t later) const;
  bool races(const Access &earlier, uint32_t later, bool atomic) const;
  const Access *conflict(const Byte &byte, uint32_t thread, AccessKind kind) const;

  std::vector<Thread> threads;
  std::vector<Byte> memory;
  uint64_t phase = 1, time = 0;
};

} // namespace cufort::rt::emulated
