// ALIGN= of ALLOCATE.
#pragma once

#include <cstddef>

namespace cufort::rt {

/// Returns to which multiple of bytes, a power of two, the calling thread's allocations are to begin: what ALIGN= of
/// the ALLOCATE statement asks for that is being executed, or 1.
size_t wantedAlignment();

/// As malloc, at such a multiple.
void *alignedMalloc(size_t bytes);

} // namespace cufort::rt
