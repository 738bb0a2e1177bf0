// Small pieces of device memory that are used again and again, so that a reduction costs no allocation, each with
// memory of the host for results.
#pragma once

#include "runtime/Context/Context.h"
#include <cstdint>

namespace cufort::rt {

/// True while what is ordered on `stream` goes into a graph.
bool isCaptured(int64_t stream);

/// Sets `scratch` to scratch memory (ABI/ReductionScratch.h) in the calling thread's device, ready for later work on
/// `stream`: a launch of `blocks` blocks with `count` reductions. Thread-safe.
Result takeScratch(int count, int64_t blocks, int64_t stream, void *&scratch);

/// Waits for the results of the launch on `stream` that uses `scratch`, and copies their `count` values, 16 bytes each,
/// to `host`. The launch need not have ended then, but all that it has written can be seen.
Result fetchResults(void *host, void *scratch, int count, int64_t stream);

/// Waits for all earlier work on `stream`.
Result waitForStream(int64_t stream);

/// Lets later calls of takeScratch have `scratch`. The work that uses it must be over. Thread-safe.
void giveScratchBack(void *scratch);

/// Lets later calls of takeScratch for `stream` have `scratch`, which work on that stream still uses. While the stream
/// is captured, `scratch` goes to the graph for good. Thread-safe.
void giveScratchBackInOrder(void *scratch, int64_t stream);

} // namespace cufort::rt
