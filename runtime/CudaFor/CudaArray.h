// CUDA arrays: memory whose layout only the device knows.
#pragma once

#include "runtime/CudaFor/Types.h"
#include "runtime/Context/Context.h"

namespace cufort::rt {

/// Sets `bytes` to the size of an element of `array`.
Result elementBytesOf(const Current &current, const CudaArray &array, size_t &bytes);

} // namespace cufort::rt
