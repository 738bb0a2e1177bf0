// Numbers for the strides that arrays of modules have.
#pragma once

#include "runtime/FlangEntries/FortranDescriptor.h"

namespace cufort::rt {

/// CUFORT_PLAIN_STRIDES and a number that all arrays with the strides of `array` share, if these are plain
/// (cufortNoteStrides) and elements have a stride of their own size; 0 otherwise. Kernels compare what they find of it
/// in the descriptors of module arrays. May be called by any thread.
int32_t strideNumber(const FortranDescriptor &array);

} // namespace cufort::rt
