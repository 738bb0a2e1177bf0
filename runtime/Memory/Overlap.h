// Whether two arrays share memory.
#pragma once

#include "runtime/Memory/Copy.h"

namespace cufort::rt {

/// True if an element of `a` may have a byte in common with one of `b`, which are not empty. Exact for sections of one
/// array with the same extents and strides, as two of its rows or planes are; of others it is known only that the
/// memory from the first byte to the last one is not the same.
bool mayOverlap(const StridedArray &a, const StridedArray &b);

} // namespace cufort::rt
