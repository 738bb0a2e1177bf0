// Assignments between host and device arrays.
#pragma once

#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Support/Result.h"

namespace cufort::rt {

/// The mode of a copy to and from the given sides.
CopyMode copyMode(bool toDevice, bool fromDevice);

/// Assigns `src` to `dst`, which is allocated: array to array of the same shape, or scalar to every element. Where the
/// shapes differ and both are contiguous, as many elements as `dst` has are taken in array element order; otherwise
/// cudaErrorInvalidValue. Goes by the stream that the device variable, or else the thread, is bound to.
Result assignArray(FortranDescriptor &dst, const FortranDescriptor &src, CopyMode mode);

} // namespace cufort::rt
