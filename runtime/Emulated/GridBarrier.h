// Where the blocks of a cooperative launch meet, across workers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace cufort::rt::emulated {

/// Counts blocks. Workers run the threads of their blocks until none can run, then come here. Thread-safe.
class GridBarrier {
public:
  explicit GridBarrier(uint64_t blockCount) : blockCount(blockCount) {}

  /// A worker begins to run blocks of the launch.
  void join();
  /// A worker has run all its blocks to their end.
  void leave();
  /// All threads of a block wait at the grid barrier `where` (may be null).
  void arrive(const char *where);
  /// A block has ended.
  void blockEnded();

  enum class Outcome { Released, Stuck, Stopped };
  /// Waits, on behalf of a worker whose blocks all wait or have ended, until the barrier that they wait at completes
  /// (Released), the launch has failed (Stopped), or no worker can run anything any more (Stuck). `passed`: how often
  /// the worker has been released before.
  Outcome wait(uint64_t passed);

  /// Lets everybody who waits go on, with Stopped.
  void stop();
  /// Returns what is wrong, after Stuck: how many blocks wait where, and how many have ended.
  std::string describe();

private:
  bool isStuck() const { return idleWorkers == workers && arrived > 0; }

  std::mutex lock;
  std::condition_variable changed;
  const uint64_t blockCount;
  uint64_t arrived = 0, ended = 0;
  uint64_t completed = 0;
  unsigned workers = 0, idleWorkers = 0;
  bool stopped = false;
  std::map<std::string, uint64_t> places; ///< blocks that wait, by place
};

} // namespace cufort::rt::emulated
