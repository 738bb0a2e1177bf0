// Page-locked host memory (guide 4.9.4, 4.9.7 to 4.9.11).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Memory/Allocation.h"

namespace cufort::rt {

namespace {

int allocate(void **memory, Any bytes, unsigned flags) {
  *memory = nullptr;
  return withContext([&](const Current &current) {
    Allocation allocation;
    allocation.kind = MemoryKind::Pinned;
    allocation.device = current.device;
    Result result = bytesOf(integerOf(bytes), 1, allocation.bytes);
    if (!result || allocation.bytes == 0)
      return result;
    result = Result(current.table->memHostAlloc(memory, allocation.bytes, flags), "cuMemHostAlloc");
    if (result.ok()) {
      allocation.base = reinterpret_cast<uintptr_t>(*memory);
      noteAllocation(allocation);
    }
    return result;
  });
}

} // namespace

extern "C" {

int cufort_cudaHostAlloc(void **memory, Any bytes, int flags) {
  return allocate(memory, bytes, static_cast<unsigned>(flags));
}

int cufort_cudaMallocHost(void **memory, Any bytes) { return allocate(memory, bytes, 0); }

int cufort_cudaFreeHost(void *const *memory) {
  return withContext([=](const Current &current) {
    Allocation allocation;
    bool ours = findAllocation(*memory, allocation) && allocation.kind == MemoryKind::Pinned;
    if (!*memory || (ours && allocation.base == reinterpret_cast<uintptr_t>(*memory)))
      return releaseMemory(*memory);
    return Result(current.table->memFreeHost(*memory), "cuMemFreeHost");
  });
}

int cufort_cudaHostRegister(void *const *memory, Any bytes, int flags) {
  return withContext([&](const Current &current) {
    size_t size = 0;
    if (Result result = bytesOf(integerOf(bytes), 1, size); !result)
      return result;
    return Result(current.table->memHostRegister(*memory, size, static_cast<unsigned>(flags)), "cuMemHostRegister");
  });
}

int cufort_cudaHostUnregister(void *const *memory) {
  return withContext(
      [=](const Current &current) { return Result(current.table->memHostUnregister(*memory), "cuMemHostUnregister"); });
}

int cufort_cudaHostGetDevicePointer(void **address, void *const *memory, int flags) {
  *address = nullptr;
  return withContext([=](const Current &current) {
    CUdeviceptr device = 0;
    Result result(current.table->memHostGetDevicePointer(&device, *memory, static_cast<unsigned>(flags)),
                  "cuMemHostGetDevicePointer");
    *address = reinterpret_cast<void *>(device);
    return result;
  });
}

int cufort_cudaHostGetFlags(int *flags, void *const *memory) {
  return withContext([=](const Current &current) {
    unsigned value = 0;
    Result result(current.table->memHostGetFlags(&value, *memory), "cuMemHostGetFlags");
    *flags = static_cast<int>(value);
    return result;
  });
}

} // extern "C"

} // namespace cufort::rt
