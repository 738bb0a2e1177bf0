// Which device the process uses, and which device number and context the calling thread has. Nothing here, and nothing
// in the runtime, touches a driver before the first call of driver(): a program that uses no GPU feature opens none.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"
#include "runtime/Support/Result.h"

namespace cufort::rt {

/// Devices beyond this number are not used.
constexpr int maxDevices = 32;

/// Sets `table` to the process's device, which the first call chooses: the emulated device if CUFORT_DEVICE=emulated;
/// the GPU if CUFORT_DEVICE=gpu, and an error if there is none; otherwise the GPU if there is one, else the emulated
/// device with a line on stderr. Does not create a context. Thread-safe.
Result driver(const DriverTable *&table);

/// A usable device for the calling thread: its functions, and its primary context, which is current in the driver.
struct Current {
  const DriverTable *table = nullptr;
  CUcontext context = nullptr;
  int device = 0;
};

/// Sets `current` to the calling thread's device and makes its primary context current. A context that other code of
/// the same thread made current (CUDA's own cudaSetDevice) decides the device, as it does for CUDA's runtime.
/// Thread-safe.
Result currentContext(Current &current);

/// Sets `current` as currentContext does, if the thread has a valid context already; else returns false and does
/// nothing. Takes no lock.
bool cachedContext(Current &current);

/// Waits for all work in every context that the runtime uses, and returns the first failure. For the end of the
/// program.
Result synchronizeRetainedContexts();

/// Sets `count` to the number of devices.
Result deviceCount(int &count);

/// Sets `device` to the calling thread's device number (0-based) without creating a context.
Result currentDevice(int &device);

/// Makes `device` (0-based) the calling thread's device: cudaErrorInvalidDevice if there is no such device.
Result setCurrentDevice(int device);

/// Sets `context` to the primary context of `device`, retaining it on first use. Does not make it current.
Result primaryContext(int device, CUcontext &context);

/// Destroys the primary context of the calling thread's device with all that lives in it, after running every reset
/// hook: cudaDeviceReset.
Result resetCurrentDevice();

/// Called with the number of a device whose context is about to be destroyed, or -1 for all devices.
using ResetHook = void (*)(int device);

/// Has `hook` run at every later reset. For parts of the runtime that keep handles; at most 8. Thread-safe.
void atDeviceReset(ResetHook hook);

/// True if the process's device has been chosen and is the emulated one. Chooses nothing.
bool usingEmulatedDevice();

/// Returns how often contexts have been reset; a cached handle of an older generation is dead.
unsigned contextGeneration();

/// Makes `table` the device of the process, or, if null, makes the next use choose again; forgets every context,
/// module and allocation. For unit tests, while no other thread uses the runtime.
void installDriverForTest(const DriverTable *table);

} // namespace cufort::rt
