// Lets device threads run that wait for a turn behind one that never waits: a loop that reads a flag, or that tries to
// get a lock, would otherwise keep the thread it waits for from running.
//
// Every worker that runs several device threads is watched. When it has run one of them for longer than
// CUFORT_EMULATED_TIMEOUT, it gets a signal, whose handler suspends that device thread in the middle of what it does
// and goes on with the next. The handler acts only if it interrupted device code itself: not the runtime, and not the
// C library that device code may have called. After the first time, the turns of that launch last half a millisecond.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace cufort::rt::emulated {

class Worker;

/// Thread-safe.
class Watchdog {
public:
  /// Returns the process's watchdog. Its thread starts when the first worker is to be watched.
  static Watchdog &instance();

  /// Watches `worker`, which the calling host thread is, from now on.
  void watch(Worker &worker);
  /// Sends `worker` no more signals.
  void unwatch(Worker &worker);

private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    Worker *worker;
    pthread_t hostThread;
    uint64_t progress;
    Clock::time_point since;
    bool hurried; ///< has been interrupted in this launch
  };

  static void *threadEntry(void *watchdog);
  void start();
  void look();
  Clock::duration lookAt(Watched &watched, Clock::time_point now);

  std::mutex lock;
  std::condition_variable wake;
  std::vector<Watched> list;
  bool started = false;
  bool parked = false; ///< the thread sleeps until there is something to watch
};

} // namespace cufort::rt::emulated
