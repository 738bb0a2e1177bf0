// The emulated device as a table of driver functions: what the runtime uses when there is no GPU.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"

namespace cufort::rt {

/// Returns the functions of the emulated device: one device whose kernels are x86-64 code on the host's cores. They
/// behave as the driver's: a launch succeeds although its kernel fails, and the calls after it return the error until
/// the context is reset. But everything is done, in order, at the call, and modules are loaded from a `const
/// CufortImage
/// *`. Costs nothing until a kernel is launched. Thread-safe.
const DriverTable &emulatedDriver();

/// From here on fills, copies and arrays of the emulated device may be in any memory of the host. Thread-safe.
void letEmulatedDeviceUseHostMemory();

} // namespace cufort::rt
