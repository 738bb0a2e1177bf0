// The environment variables that only the emulated device obeys.
#pragma once

#include <cstddef>

namespace cufort::rt::emulated {

/// CUFORT_CHECK: a list of bounds, below, race, sync and host; 1 for all but below, 0 for none. With any of the first
/// four, blocks run thread by thread, so that faults name the thread, and memory that nobody has written is filled with
/// 0xCB.
struct Checks {
  bool bounds = false; ///< device memory ends exactly where addresses fault
  bool race = false;   ///< data races on shared memory, in kernels that are compiled with -gpu=check
  bool sync = false;   ///< barriers and warp operations that threads do not reach because they have ended
  bool below = false;  ///< device memory begins exactly where addresses fault, and may end before such addresses
  bool host = false;   ///< device memory cannot be accessed by host code
  bool places() const { return bounds || below; }
  bool any() const { return places() || race || sync; }
};

struct Settings {
  unsigned threads;      ///< CUFORT_EMULATED_THREADS: host threads that run blocks; default: the usable cores
  size_t stackBytes;     ///< CUFORT_EMULATED_STACK: stack of a device thread, with suffix K, M or G; default 128K,
                         ///< at least 16K
  size_t memoryBytes;    ///< CUFORT_EMULATED_MEMORY: device memory, with suffix; default: half of the usable memory
  double timeoutSeconds; ///< CUFORT_EMULATED_TIMEOUT: how long a device thread may run before others get a turn
  Checks checks;         ///< CUFORT_CHECK
  bool choosesChecks;    ///< whether CUFORT_CHECK says which checks of kernels there are
  bool wideVectors;      ///< whether the processor has them, unless CUFORT_EMULATED_VECTORS is 16, their bytes
};

/// Returns the settings of this process, read at the first call. Thread-safe.
const Settings &settings();

/// Reads the environment again. For unit tests, while no kernel runs.
void reloadSettings();

} // namespace cufort::rt::emulated
