// The environment variables that the runtime obeys, read once per process. CUDA_VISIBLE_DEVICES is the driver's.
#pragma once

namespace cufort::rt {

/// Which device CUFORT_DEVICE asks for.
enum class DeviceChoice { Automatic, Gpu, Emulated };

/// What NVCOMPILER_ACC_NOTIFY asks to be told on stderr, and that each launch and queued copy be waited for to tell its
/// time. The bits are NVIDIA's, but for the last; 4, regions of OpenACC, has nothing to tell.
enum TraceKind : unsigned { TraceLaunches = 1, TraceTransfers = 2, TraceWaits = 8, TraceMemory = 16, TraceTimes = 32 };

struct Environment {
  DeviceChoice device = DeviceChoice::Automatic; ///< CUFORT_DEVICE=gpu|emulated
  bool debug = false;                            ///< CUFORT_DEBUG=1: one line on stderr per launch, copy, allocation
  bool quiet = false;                            ///< CUFORT_QUIET=1: no line about the choice of the emulated device
  bool trials = true;                            ///< CUFORT_TRIALS=0: launches do not measure alternatives
  /// CUFORT_ALTERNATIVE: what comes behind the last $ in the names of alternatives that launches run; else null.
  const char *alternative = nullptr;
  bool launchCheck = false;       ///< CUFORT_LAUNCH_CHECK=1: one line per failed launch, at once
  bool synchronousLaunch = false; ///< NVCOMPILER_ACC_SYNCHRONOUS, bit 2 or 4: wait for each launched kernel
  unsigned notify = 0;            ///< NVCOMPILER_ACC_NOTIFY: TraceKind or-ed together
  bool deviceIsManaged = false;   ///< NVCOMPILER_CUDAFOR_DEVICE_IS_MANAGED=1: device memory is managed memory
  bool forcePtx = false;          ///< CUDA_FORCE_PTX_JIT=1: let the driver compile PTX although a cubin fits
  /// CUFORT_DEVICE held neither of its values: what it held, else null.
  const char *unknownDevice = nullptr;
};

/// Returns the settings of this process. Thread-safe.
const Environment &environment();

/// Reads the environment again. For unit tests.
void reloadEnvironment();

/// Writes a line to stderr, printf-style, if CUFORT_DEBUG is set.
void debugLog(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace cufort::rt
