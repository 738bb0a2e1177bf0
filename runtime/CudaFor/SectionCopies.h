// Copies of elements that do not follow one another.
#pragma once

#include "runtime/CudaFor/Argument.h"

namespace cufort::rt {

/// Copies `count` elements from `src` to `dst`, at least one of which is a section with gaps or in reverse, in array
/// element order of both. Returns cudaErrorInvalidValue if a section has fewer, or the other side is an address, whose
/// counts are in bytes. `stream` is a stream's number; two such sections are copied when it returns.
Result copySections(const Current &current, const Operand &dst, const Operand &src, size_t count, int64_t stream);

} // namespace cufort::rt
