// What is said of a copy or a fill that the driver refused.
#pragma once

#include "runtime/Context/Context.h"
#include <cstddef>

namespace cufort::rt {

/// Consecutive memory that a driver call was to read or to write.
struct Touched {
  const void *address;
  size_t bytes;
};

/// Returns the outcome `result` of the driver function `operation` as a Result. An invalid argument is explained if it
/// is one side that reaches beyond its device memory: both sizes are named.
Result copyResult(const Current &current, CUresult result, const char *operation, Touched dst, Touched src);

/// The same for a fill.
Result fillResult(const Current &current, CUresult result, const char *operation, Touched dst);

/// Returns the bytes from the first to the last of `rows` rows of `width` bytes, `pitch` bytes apart.
inline size_t bytesOfRows(size_t width, size_t rows, size_t pitch) { return rows ? (rows - 1) * pitch + width : 0; }

} // namespace cufort::rt
