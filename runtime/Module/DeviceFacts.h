// What device code is told of its device, see runtime/ABI/DeviceFacts.h.
#pragma once

#include "runtime/Context/Context.h"

namespace cufort::rt {

/// Tells `module`, which has just been loaded, about the device, if its code asks for that.
Result pushDeviceFacts(const Current &current, CUmodule module);

/// The same for all modules that are loaded in the current device, after a setting has changed.
Result updateDeviceFacts(const Current &current);

} // namespace cufort::rt
