// How the first elements of a section that is not contiguous are cut into sections that Memory/Copy.h can handle.
#pragma once

#include "runtime/Memory/Copy.h"
#include <vector>

namespace cufort::rt {

/// Returns the first `count` elements of `array`, in array element order, as the fewest sections of it. `count` is at
/// most array.elements().
std::vector<StridedArray> leadingSections(const StridedArray &array, size_t count);

} // namespace cufort::rt
