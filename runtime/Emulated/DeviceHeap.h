// Memory that device code allocates for itself.
#pragma once

#include <cstddef>

namespace cufort::rt::emulated {

/// Limits the memory that device code has allocated at one time, as cudaLimitMallocHeapSize does. Thread-safe.
void setDeviceHeapLimit(size_t bytes);

/// Returns the limit; 8 MB at first, as on a GPU.
size_t deviceHeapLimit();

/// Frees all of it, and sets the limit to what it was at first. No kernel may be running.
void resetDeviceHeap();

} // namespace cufort::rt::emulated
