#include "runtime/Memory/Allocation.h"
#include "runtime/Context/AtExit.h"
#include "runtime/Context/RelaxedCapture.h"
#include "runtime/Memory/Alignment.h"
#include "runtime/Memory/Copy.h"
#include "runtime/Memory/MemoryPool.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Support/Environment.h"
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

namespace cufort::rt {

namespace {

struct Live {
  std::mutex mutex;
  std::map<uintptr_t, Allocation> byBase;
  /// Bases of allocations that went with their device: freeing them is no error.
  std::set<uintptr_t> gone;
};

/// Never destroyed, because exit handlers may come here.
Live &live() {
  static Live *instance = new Live;
  return *instance;
}

/// The allocation that `address` lies in, or end. The caller holds the mutex.
std::map<uintptr_t, Allocation>::iterator locate(Live &all, uintptr_t address) {
  auto after = all.byBase.upper_bound(address);
  if (after == all.byBase.begin())
    return all.byBase.end();
  auto found = std::prev(after);
  const Allocation &allocation = found->second;
  // An allocation of no bytes holds its own base.
  bool inside = address - allocation.base < (allocation.bytes ? allocation.bytes : 1);
  return inside ? found : all.byBase.end();
}

uintptr_t toInteger(const void *address) { return reinterpret_cast<uintptr_t>(address); }

/// True if the device reads and writes memory of malloc by itself (heterogeneous memory management).
bool readsHostMemory(const Current &current) {
  int value = 0;
  return current.table->deviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, current.device) ==
             CUDA_SUCCESS &&
         value;
}

Result allocateFromMalloc(Allocation &allocation, size_t bytes) {
  allocation.base = reinterpret_cast<uintptr_t>(std::malloc(bytes));
  allocation.fromMalloc = true;
  return allocation.base ? Result() : Result(cudaErrorMemoryAllocation, "malloc");
}

Result allocatePinned(const Current &current, Allocation &allocation, size_t bytes) {
  void *address = nullptr;
  // Portable: every device may copy to and from it, as for memory of CUDA's cudaMallocHost under unified addressing.
  CUresult result = current.table->memHostAlloc(&address, bytes, memHostAllocPortable | memHostAllocDeviceMap);
  if (result == CUDA_SUCCESS) {
    allocation.base = toInteger(address);
    return {};
  }
  debugLog("pages could not be locked (%s): %zu bytes of pageable memory instead", cudaErrorName(result), bytes);
  return allocateFromMalloc(allocation, bytes);
}

Result allocateManaged(const Current &current, Allocation &allocation, size_t bytes) {
  CUdeviceptr address = 0;
  CUresult result = current.table->memAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL);
  allocation.base = address;
  return Result(result, "cuMemAllocManaged");
}

Result allocateDevice(const Current &current, Allocation &allocation, size_t bytes) {
  CUdeviceptr address = 0;
  if (environment().deviceIsManaged) {
    allocation.kind = MemoryKind::Managed;
    Result result = allocateManaged(current, allocation, bytes);
    // A hint only: devices without it keep the memory where it is.
    if (result.ok())
      current.table->memAdvise(allocation.base, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, current.device);
    return result;
  }
  CUresult result = current.table->memAlloc(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && giveFreedMemoryBack(current))
    result = current.table->memAlloc(&address, bytes);
  allocation.base = address;
  return Result(result, "cuMemAlloc");
}

Result allocateKind(const Current &current, Allocation &allocation, size_t bytes) {
  switch (allocation.kind) {
  case MemoryKind::Pinned:
    return allocatePinned(current, allocation, bytes);
  case MemoryKind::Managed:
    return allocateManaged(current, allocation, bytes);
  case MemoryKind::Unified:
    return readsHostMemory(current) ? allocateFromMalloc(allocation, bytes)
                                    : allocateManaged(current, allocation, bytes);
  case MemoryKind::Device:
    break;
  }
  return allocateDevice(current, allocation, bytes);
}

/// How many bytes more let an allocation begin where ALIGN= wants it. Memory of the driver begins at multiples of 256.
size_t bytesToAlign(MemoryKind kind) {
  size_t wanted = wantedAlignment(), given = kind == MemoryKind::Unified || kind == MemoryKind::Pinned ? 1 : 256;
  return wanted > given ? wanted - 1 : 0;
}

/// Lets `allocation`, which has so many bytes more, begin there.
void align(Allocation &allocation, size_t spare) {
  if (!spare || !allocation.base)
    return;
  size_t wanted = spare + 1;
  allocation.offset = (wanted - allocation.base % wanted) % wanted;
  allocation.base += allocation.offset;
}

Result outOfMemory(const Result &result, size_t bytes) {
  if (result.code() != cudaErrorMemoryAllocation)
    return result;
  return Result(result.code(), result.operation(), std::to_string(bytes) + " bytes were asked for");
}

Result enter(const Result &result, Allocation &allocation, size_t bytes, const Current &current, void *&address) {
  if (!result)
    return outOfMemory(result, bytes);
  allocation.bytes = bytes;
  allocation.device = current.device;
  noteAllocation(allocation);
  address = reinterpret_cast<void *>(allocation.base);
  return {};
}

Result releaseToDriver(const Current &current, const Allocation &allocation) {
  uintptr_t base = allocation.base - allocation.offset;
  void *address = reinterpret_cast<void *>(base);
  if (allocation.fromMalloc) {
    // cudaFree waits for the kernels that may be using the memory; free has to be made to.
    CUresult result = current.table->ctxSynchronize();
    std::free(address);
    return Result(result, "cuCtxSynchronize");
  }
  if (allocation.kind == MemoryKind::Pinned)
    return Result(current.table->memFreeHost(address), "cuMemFreeHost");
  if (allocation.streamOrdered)
    return Result(current.table->memFreeAsync(base, toStream(allocation.stream)), "cuMemFreeAsync");
  return Result(current.table->memFree(base), "cuMemFree");
}

} // namespace

Result allocateMemory(MemoryKind kind, size_t bytes, void *&address) {
  address = nullptr;
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  Allocation allocation;
  allocation.kind = kind;
  size_t spare = bytesToAlign(kind);
  Result result = allocateKind(current, allocation, (bytes ? bytes : 1) + spare);
  align(allocation, spare);
  return enter(result, allocation, bytes, current, address);
}

void keepCopies(const Current &current, CUdeviceptr address, size_t bytes) {
  current.table->memAdvise(address, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, current.device);
}

/// Device memory of the driver's pool for work on `stream`, or as the other kinds if the device has no pool.
static Result allocateFromPool(const Current &current, size_t bytes, int64_t stream, void *&address) {
  Allocation allocation;
  CUdeviceptr base = 0;
  size_t spare = bytesToAlign(MemoryKind::Device), all = (bytes ? bytes : 1) + spare;
  CUresult result = current.table->memAllocAsync(&base, all, toStream(stream));
  if (result == CUDA_ERROR_NOT_SUPPORTED)
    result = current.table->memAlloc(&base, all);
  else
    allocation.streamOrdered = true;
  allocation.base = base;
  align(allocation, spare);
  allocation.stream = stream;
  return enter(Result(result, "cuMemAllocAsync"), allocation, bytes, current, address);
}

Result allocateOnStream(size_t bytes, int64_t stream, void *&address) {
  address = nullptr;
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  noteVariableBinding();
  return allocateFromPool(current, bytes, stream, address);
}

Result allocateTemporary(size_t bytes, void *&address) {
  address = nullptr;
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  if (!isCaptured(current, threadDefaultStream())) {
    // What is copied to a variable with a stream of its own may be on its way there when the statement has ended.
    if (environment().deviceIsManaged || mayVariablesHaveStreams())
      return allocateMemory(MemoryKind::Device, bytes, address);
    keepFreedMemory(current);
    return allocateFromPool(current, bytes, threadDefaultStream(), address);
  }
  // While a stream is captured, CUDA allows a thread to allocate if it says that this is not meant for the graph.
  RelaxedCapture relaxed(current);
  Result result = allocateMemory(MemoryKind::Device, bytes, address);
  Live &all = live();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (auto found = locate(all, toInteger(address)); result.ok() && found != all.byBase.end())
    found->second.isOfGraph = true;
  return result;
}

Result releaseMemory(void *address) {
  if (!address || programIsEnding())
    return {};
  Allocation allocation;
  if (findAllocation(address, allocation) && allocation.isOfGraph)
    return {};
  bool known = forgetAllocation(address, allocation);
  if (!known) {
    Live &all = live();
    std::lock_guard<std::mutex> lock(all.mutex);
    if (all.gone.erase(toInteger(address)))
      return {};
    allocation.base = toInteger(address);
  }
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  return releaseToDriver(current, allocation);
}

bool findAllocation(const void *address, Allocation &allocation) {
  Live &all = live();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = locate(all, toInteger(address));
  if (found == all.byBase.end())
    return false;
  allocation = found->second;
  return true;
}

void noteAllocation(const Allocation &allocation) {
  atDeviceReset(forgetAllocationsOf);
  Live &all = live();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.gone.erase(allocation.base);
  all.byBase[allocation.base] = allocation;
}

bool forgetAllocation(const void *base, Allocation &allocation) {
  Live &all = live();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.byBase.find(toInteger(base));
  if (found == all.byBase.end())
    return false;
  allocation = found->second;
  all.byBase.erase(found);
  return true;
}

bool bindAllocationToStream(const void *address, int64_t stream) {
  Live &all = live();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = locate(all, toInteger(address));
  if (found == all.byBase.end())
    return false;
  found->second.stream = stream;
  return true;
}

bool isPageLocked(const void *base) {
  Allocation allocation;
  return findAllocation(base, allocation) && allocation.kind == MemoryKind::Pinned && !allocation.fromMalloc;
}

void forgetAllocationsOf(int device) {
  Live &all = live();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (auto it = all.byBase.begin(); it != all.byBase.end();) {
    const Allocation &allocation = it->second;
    // Memory of malloc is still there, whatever becomes of devices.
    if ((device < 0 || allocation.device == device) && !allocation.fromMalloc) {
      all.gone.insert(allocation.base);
      it = all.byBase.erase(it);
    } else {
      ++it;
    }
  }
}

} // namespace cufort::rt
