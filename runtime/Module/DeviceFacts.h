// What device code is told of its device (runtime/ABI/DeviceFacts.h).
#pragma once

#include "runtime/Context/Context.h"

namespace cufort::rt {

/// Fills those of the variables for it that `module` has, which has just been loaded into the device of `current`.
Result pushDeviceFacts(const Current &current, CUmodule module);

/// Tells the modules that are loaded in the device of `current` of a setting that has changed. Takes moduleMutex().
Result refreshDeviceFacts(const Current &current);

} // namespace cufort::rt
