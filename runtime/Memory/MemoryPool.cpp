#include "runtime/Memory/MemoryPool.h"
#include <atomic>
#include <cstdint>

namespace cufort::rt {

/// By device: whether its pool has been told what to keep.
static std::atomic<bool> keeps[maxDevices];

static void forget(int device) {
  for (int i = 0; i < maxDevices; ++i)
    if (device < 0 || device == i)
      keeps[i] = false;
}

void keepFreedMemory(const Current &current) {
  if (keeps[current.device].exchange(true))
    return;
  atDeviceReset(forget);
  CUmemoryPool pool = nullptr;
  size_t bytes = 0;
  if (current.table->deviceGetDefaultMemPool(&pool, current.device) != CUDA_SUCCESS ||
      current.table->deviceTotalMem(&bytes, current.device) != CUDA_SUCCESS)
    return;
  uint64_t kept = bytes / 8;
  // A hint: without it the memory goes back to the driver whenever someone waits for the device.
  current.table->memPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
}

bool giveFreedMemoryBack(const Current &current) {
  CUmemoryPool pool = nullptr;
  return keeps[current.device] && current.table->deviceGetDefaultMemPool(&pool, current.device) == CUDA_SUCCESS &&
         current.table->ctxSynchronize() == CUDA_SUCCESS && current.table->memPoolTrimTo(pool, 0) == CUDA_SUCCESS;
}

} // namespace cufort::rt
