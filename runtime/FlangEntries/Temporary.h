// Assignments of values that are gone after the statement, to streams that are being captured: a graph reads host
// memory when it is launched.
#pragma once

#include "runtime/Memory/Copy.h"

namespace cufort::rt {

/// True once after cufortNoteTemporary: what the transfer at hand reads is temporary.
bool takeTemporary();

/// Lets the graph that `stream` is captured into copy the `bytes` bytes that are at `src` now.
Result copyTemporaryInGraph(const Current &current, void *dst, const void *src, size_t bytes, int64_t stream);

/// The same for the elements of `src`, to `dst` of the same shape.
Result copyTemporaryInGraph(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream);

} // namespace cufort::rt
