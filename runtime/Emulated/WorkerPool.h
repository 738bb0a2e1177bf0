// The host threads that share the blocks of a launch with the thread that launches it.
#pragma once

#include "runtime/Emulated/Launch.h"
#include <condition_variable>
#include <mutex>
#include <vector>

namespace cufort::rt::emulated {

/// One thread per core, the launching thread included. They start at the first launch that is worth sharing, wait
/// idly between launches, receive none of the process's signals, and do not keep it from exiting. Thread-safe:
/// launches of different host threads share the pool.
class WorkerPool {
public:
  /// Returns the process's pool.
  static WorkerPool &instance();

  /// Runs all blocks of `launch`, on the calling thread and, if it is worth while, on others, and returns the outcome.
  CUresult run(Launch &launch);

private:
  void startThreads();
  void offer(Launch &launch);
  void withdraw(Launch &launch);
  Launch *findWork();
  void serve();
  static void *threadEntry(void *pool);

  std::mutex lock;
  std::condition_variable workOffered, helperLeft;
  std::vector<Launch *> offers;
  unsigned threads = 0;
};

} // namespace cufort::rt::emulated
