// What a device is like.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"
#include "runtime/CudaFor/Types.h"
#include "runtime/Support/Result.h"

namespace cufort::rt {

/// Sets `properties` to those of device `ordinal`, counted from 0. What the driver does not know is 0.
Result fillProperties(const DriverTable &table, int ordinal, DeviceProperties &properties);

} // namespace cufort::rt
