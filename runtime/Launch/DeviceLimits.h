// What a device can launch at most, asked once per device.
#pragma once

#include "runtime/Context/Context.h"

namespace cufort::rt {

struct DeviceLimits {
  int64_t grid[3] = {};
  int64_t block[3] = {};
  int64_t threadsPerBlock = 0;
  int64_t sharedBytesPerBlock = 0; ///< with opt-in; static and dynamic together
  int64_t multiprocessors = 0;
  int64_t threadsPerMultiprocessor = 0;
};

/// Sets `limits` to those of the device of `current`; they stay valid until the device of the process changes (unit
/// tests). Lock-free after the first call for a device. Thread-safe.
Result deviceLimits(const Current &current, const DeviceLimits *&limits);

} // namespace cufort::rt
