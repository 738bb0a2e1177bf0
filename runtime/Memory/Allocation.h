// Memory that the program allocates on or for the device, and a table of what is live. Addresses of all kinds share one
// address space (unified virtual addressing), so the table is ordered by address.
#pragma once

#include "runtime/Context/Context.h"
#include <cstddef>
#include <cstdint>

namespace cufort::rt {

/// The values are the `kind` of the entry points in RuntimeABI.h.
enum class MemoryKind { Device = 0, Managed = 1, Unified = 2, Pinned = 3 };

/// A live allocation.
struct Allocation {
  uintptr_t base = 0;
  size_t bytes = 0;  ///< as asked for
  size_t offset = 0; ///< of the base in what the driver has allocated, for ALIGN=
  MemoryKind kind = MemoryKind::Device;
  /// Pinned or unified memory that came from malloc: page-locking failed, or the device reads host memory itself.
  bool fromMalloc = false;
  bool streamOrdered = false; ///< to be freed by cuMemFreeAsync on `stream`
  bool isOfGraph = false;     ///< a graph uses it whenever it is launched: it is never freed
  int64_t stream = 0;         ///< bound default stream, 0 if none
  int device = 0;             ///< the device whose context owns it
};

/// Sets `address` to `bytes` bytes (at least 1 is allocated) of the given kind in the calling thread's device. Pinned
/// memory falls back to pageable memory if pages cannot be locked: ask with isPageLocked. cudaErrorMemoryAllocation if
/// there is not enough. The owner is the caller. Thread-safe.
Result allocateMemory(MemoryKind kind, size_t bytes, void *&address);

/// The same for device memory in stream order (cuMemAllocAsync): valid for work on `stream`, which becomes the default
/// stream of the variable. Synchronous if the device has no memory pools.
Result allocateOnStream(size_t bytes, int64_t stream, void *&address);

/// Device memory for a temporary of a statement in the calling thread's default stream, in that stream's order: neither
/// this nor releaseMemory waits for the device, unless variables have streams of their own. If the stream is being
/// captured, the graph will use the memory whenever it is launched, so that releaseMemory does nothing.
Result allocateTemporary(size_t bytes, void *&address);

/// Advises the driver that the managed memory at `address` is read far more often than written.
void keepCopies(const Current &current, CUdeviceptr address, size_t bytes);

/// Gives memory of the functions above back; null does nothing. Memory of a device that has been reset
/// is forgotten without an error. Other addresses go to cuMemFree. Waits as the driver does.
Result releaseMemory(void *address);

/// True, with `allocation` set, if `address` lies in a live allocation. Thread-safe.
bool findAllocation(const void *address, Allocation &allocation);

/// Enters memory that was allocated otherwise (cudaMalloc and its family) into the table. Thread-safe.
void noteAllocation(const Allocation &allocation);

/// Takes the allocation that begins at `base` out of the table; false if there is none. Thread-safe.
bool forgetAllocation(const void *base, Allocation &allocation);

/// Binds the allocation that holds `address` to `stream`; false if there is none. Thread-safe.
bool bindAllocationToStream(const void *address, int64_t stream);

/// True if the allocation that begins at `base` is page-locked host memory.
bool isPageLocked(const void *base);

/// Marks every allocation of `device` (-1: of all devices) as gone, because its context has been destroyed.
void forgetAllocationsOf(int device);

} // namespace cufort::rt
