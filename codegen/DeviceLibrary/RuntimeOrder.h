// Streams in device code.
#pragma once

#include "codegen/DeviceLibrary/RuntimeStatus.h"

namespace cufort::device {

/// True for the streams that all code has, and for those that device code has created.
bool isStream(long stream);

} // namespace cufort::device
