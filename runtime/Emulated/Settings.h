// The environment variables that only the emulated device obeys.
#pragma once

#include <cstddef>

namespace cufort::rt::emulated {

struct Settings {
  unsigned threads;      ///< CUFORT_EMULATED_THREADS: host threads that run blocks; default: the usable cores
  size_t stackBytes;     ///< CUFORT_EMULATED_STACK: stack of a device thread, with suffix K, M or G; default 64K,
                         ///< at least 16K
  size_t memoryBytes;    ///< CUFORT_EMULATED_MEMORY: device memory, with suffix; default: half of the usable memory
  double timeoutSeconds; ///< CUFORT_EMULATED_TIMEOUT: how long a device thread may run before others get a turn
  /// CUFORT_CHECK=1: look harder for mistakes. Blocks run thread by thread, so that faults name the thread; device
  /// memory ends exactly where addresses fault; it is filled with 0xCB when it is allocated, and shared memory when a
  /// block starts; a warp operation whose mask names a lane that has ended is an error.
  bool check;
};

/// Returns the settings of this process, read at the first call. Thread-safe.
const Settings &settings();

/// Reads the environment again. For unit tests, while no kernel runs.
void reloadSettings();

} // namespace cufort::rt::emulated
