// Memory of CUDA Fortran variables behind Flang's ALLOCATE: allocators that Flang's runtime finds by the index in a
// descriptor, and what they leave behind about the last allocation of a thread.
#pragma once

#include "runtime/Support/Result.h"
#include <cstdint>

namespace cufort::rt {

/// Enters the allocators into Flang's table. Touches no driver; may be called often and from constructors.
void registerFlangAllocators();

/// Lets Flang's runtime allocate host variables as alignedMalloc does.
void alignHostAllocations();

/// Sets the stream that the calling thread's device allocations are made on, until it is set to null. For pointers,
/// whose allocation takes no stream in Flang's runtime.
void setAllocationStream(const int64_t *stream);

/// Returns why the calling thread's last allocation or release by these allocators failed, and forgets it; success if
/// none did.
Result takeAllocationFailure();

} // namespace cufort::rt
