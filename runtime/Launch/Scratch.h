// Small pieces of device memory that are used again and again, so that a reduction costs no allocation.
#pragma once

#include "runtime/Context/Context.h"
#include <cstdint>

namespace cufort::rt {

/// Sets `scratch` to device memory of at least `bytes` bytes in the calling thread's device, of which the first `bytes`
/// are zero for later work on `stream`. Thread-safe.
Result takeScratch(int64_t bytes, int64_t stream, void *&scratch);

/// Copies the first `bytes` bytes of `scratch` to `host` after all earlier work on `stream`, and waits for it.
Result fetchScratch(void *host, const void *scratch, int64_t bytes, int64_t stream);

/// Lets later calls of takeScratch have `scratch`. The work that uses it must be over. Thread-safe.
void giveScratchBack(void *scratch);

} // namespace cufort::rt
