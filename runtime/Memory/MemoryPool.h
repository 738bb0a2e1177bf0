// The driver's pool of device memory, from which temporaries come in stream order.
#pragma once

#include "runtime/Context/Context.h"

namespace cufort::rt {

/// Lets the pool of the current device keep up to an eighth of the device's memory when it is freed, so that the next
/// temporary costs neither time nor a wait. Does nothing the second time, or if the device has no pool. Thread-safe.
void keepFreedMemory(const Current &current);

/// Waits for the device and has its pool give back to the driver what is not in use; false if that cannot help.
bool giveFreedMemoryBack(const Current &current);

} // namespace cufort::rt
