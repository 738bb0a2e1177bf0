// The fibers of one worker, kept for the next block.
#pragma once

#include "runtime/Emulated/Fiber.h"
#include <vector>

namespace cufort::rt::emulated {

/// Hands out fibers that are either new or wait where they gave themselves back. Used by one host thread at a time.
class FiberPool {
public:
  FiberPool(void (*entry)(void *), void *owner) : entry(entry), owner(owner) {}
  ~FiberPool();
  FiberPool(const FiberPool &) = delete;
  FiberPool &operator=(const FiberPool &) = delete;

  /// Makes later fibers have stacks of `bytes` bytes; idle fibers with other stacks are ended. None may be taken.
  void setStackBytes(size_t bytes);

  /// Returns a fiber, or null if there is no memory for its stack.
  Fiber *take();

  /// Gives a fiber back that will wait, when it next switches away, to be taken again.
  void give(Fiber &fiber);

  /// Makes every fiber that is taken and not given back start again, and idle. The caller runs on none of them.
  void resetTaken();

  /// Ends idle fibers until at most `count` are left.
  void trim(size_t count);

private:
  void (*entry)(void *);
  void *owner;
  size_t stackBytes = 0;
  Fiber *idle = nullptr;
  std::vector<Fiber *> all;
};

} // namespace cufort::rt::emulated
