// Variables that have memory in each device that uses them, from their first use there to the device's reset.
#pragma once

#include "runtime/Context/Context.h"
#include <cstddef>

namespace cufort::rt {

/// Sets `address` to the memory of `variable` in the calling thread's device, and allocates `bytes` bytes if it has
/// none there. A stream that is captured meanwhile does not notice. cudaErrorMemoryAllocation if there is not enough.
/// Thread-safe.
Result memoryInDevice(const void *variable, size_t bytes, void *&address);

} // namespace cufort::rt
