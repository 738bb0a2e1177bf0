// Which device thread a worker runs next. A device thread that has to wait hands the host thread directly to the next
// one that can run; only when there is none does control come back to the worker ("home").
//
// Device threads start in order on one fiber, which runs one after the other to its end: a kernel that never waits
// costs a call per thread and no switch. A thread that waits keeps its fiber, and the next ones start on another.
#pragma once

#include "runtime/Emulated/Block.h"
#include "runtime/Emulated/FiberPool.h"
#include <atomic>

namespace cufort::rt::emulated {

/// A first-in, first-out list of device threads.
class ThreadQueue {
public:
  bool empty() const { return !first; }
  void push(DeviceThread &thread) {
    thread.nextInQueue = nullptr;
    (first ? last->nextInQueue : first) = &thread;
    last = &thread;
  }
  DeviceThread &pop() {
    DeviceThread &thread = *first;
    first = thread.nextInQueue;
    return thread;
  }
  void clear() { first = nullptr; }

private:
  DeviceThread *first = nullptr, *last = nullptr;
};

/// A block whose threads have parted in compiled loops, and what is needed to run the rest of each.
struct BlockRest {
  Block &block; ///< begun, with no thread started
  const CufortEmuBlocks *range;
  const int32_t *phases; ///< where each thread goes on; 0: it has ended
  const char *kept;      ///< what the threads of the first warp keep together
  size_t keptBytes;      ///< by which the next warp's is behind it
};

/// The run queue of one worker, for one launch at a time. Used by one host thread at a time.
class Scheduler {
public:
  Scheduler();

  /// Makes it run device threads of `launch`, from nothing. Called at home.
  void beginLaunch(Launch &launch);
  /// Lets the threads of `block`, none of which has started, start. Called at home, when no thread can start.
  void add(Block &block) { starting = &block; }
  /// Says whether the worker has more blocks to add. While it has, threads that gave way are not run again before
  /// another block has been added: they may wait for it. Called at home.
  void expectMore(bool more) { moreToCome = more; }
  /// True if some device thread can run. Called at home.
  bool canRun() const { return starting || !ready.empty() || !yielded.empty(); }
  /// Runs device threads until none can run any more, or the launch has failed. Called at home.
  void run();
  /// Runs blocks first <= number < end in the kernel's compiled loops, with `shared` as their shared memory and
  /// `memory` for their phases. Called at home.
  void runRange(uint64_t first, uint64_t end, SharedMemory &shared, char *memory);
  /// The block whose threads wait in vain after runRange() has returned; null if there is none. Called at home.
  const Block *unfinishedBlock() const { return rest ? &rest->block : nullptr; }
  /// Forgets all threads and makes all fibers idle. Called at home, after a failure.
  void abandonThreads();
  /// Keeps no more than `count` fibers. Called at home.
  void trimFibers(size_t count) { fibers.trim(count); }

  // The rest is called on a fiber, in the runtime, or, for yield and escape, in a signal handler that interrupted
  // device code.

  /// Suspends `self` until somebody makes it ready.
  void wait(DeviceThread &self, Operation operation, const char *where);
  /// Makes a waiting thread runnable.
  void makeReady(DeviceThread &thread);
  /// Gives all other threads that can run a turn. False, at once, if there are none.
  bool yield(DeviceThread &self);
  /// Runs the threads of `blockRest`, some of which have not ended, while the loops that `self` stands for wait.
  void finishBlock(DeviceThread &self, const BlockRest &blockRest);
  /// Gives up the current fiber and everything on it, and goes home. For a launch that has failed.
  [[noreturn]] void escape();

  /// Returns the fiber that runs now; null at home.
  const Fiber *runningFiber() const { return running; }
  /// Changes whenever another device thread gets to run. For the watchdog, from any thread.
  uint64_t progress() const { return switches.load(std::memory_order_relaxed); }

private:
  static void fiberEntry(void *fiber);
  void serve(Fiber &fiber);
  void runStartable(Fiber &fiber);
  DeviceThread *startNext();
  void runToEnd(DeviceThread &thread);
  void end(DeviceThread &thread);
  Fiber &chooseNext();
  Fiber &resumed(DeviceThread &thread);
  void goTo(Fiber &from, Fiber &to);
  void countProgress() { switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  Launch *launch = nullptr;
  bool cooperative = false;
  Fiber home;
  Fiber *running = nullptr;
  FiberPool fibers;
  Block *starting = nullptr; ///< its threads from `next` on have not started; null if there is none
  ThreadQueue ready;
  ThreadQueue yielded; ///< could run, but gave way: come after those that have not started
  bool moreToCome = false;
  unsigned readyStreak = 0;
  const CufortEmuBlocks *range = nullptr;
  const BlockRest *rest = nullptr;
  DeviceThread *loops = nullptr; ///< waits for the end of the rest
  std::atomic<uint64_t> switches{0};
};

} // namespace cufort::rt::emulated
