// Small pieces of device memory that are used again and again, so that a reduction costs no allocation.
#pragma once

#include "runtime/Context/Context.h"
#include <cstdint>

namespace cufort::rt {

/// True while what is ordered on `stream` goes into a graph.
bool isCaptured(int64_t stream);

/// Sets `scratch` to device memory of at least `bytes` bytes in the calling thread's device, of which the first `bytes`
/// are zero for later work on `stream`. Thread-safe.
Result takeScratch(int64_t bytes, int64_t stream, void *&scratch);

/// Copies the first `bytes` bytes of `scratch` to `host` after all earlier work on `stream`, and waits for it.
Result fetchScratch(void *host, const void *scratch, int64_t bytes, int64_t stream);

/// Waits for all earlier work on `stream`.
Result waitForStream(int64_t stream);

/// Lets later calls of takeScratch have `scratch`. The work that uses it must be over. Thread-safe.
void giveScratchBack(void *scratch);

/// Lets later calls of takeScratch for `stream` have `scratch`, which work on that stream still uses. While the stream
/// is captured, `scratch` goes to the graph for good. Thread-safe.
void giveScratchBackInOrder(void *scratch, int64_t stream);

} // namespace cufort::rt
