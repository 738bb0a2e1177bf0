#include "runtime/Launch/DeviceLimits.h"
#include <atomic>
#include <memory>

namespace cufort::rt {

namespace {

std::atomic<DeviceLimits *> known[maxDevices];

void forget(int device) {
  // -1 comes from unit tests only; the limits of a device outlive its reset.
  for (int i = 0; i < maxDevices && device < 0; ++i)
    delete known[i].exchange(nullptr);
}

CUresult ask(const Current &current, int attribute, int64_t &value) {
  int answer = 0;
  CUresult result =
      current.table->deviceGetAttribute(&answer, static_cast<CUdevice_attribute>(attribute), current.device);
  value = answer;
  return result;
}

CUresult askAll(const Current &current, DeviceLimits &limits) {
  CUresult result = ask(current, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, limits.threadsPerBlock);
  for (int i = 0; i < 3 && result == CUDA_SUCCESS; ++i) {
    result = ask(current, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i, limits.block[i]);
    if (result == CUDA_SUCCESS)
      result = ask(current, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i, limits.grid[i]);
  }
  if (result == CUDA_SUCCESS)
    result = ask(current, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, limits.sharedBytesPerBlock);
  if (result == CUDA_SUCCESS)
    result = ask(current, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, limits.multiprocessors);
  if (result == CUDA_SUCCESS)
    result = ask(current, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, limits.threadsPerMultiprocessor);
  return result;
}

} // namespace

Result deviceLimits(const Current &current, const DeviceLimits *&limits) {
  limits = known[current.device].load(std::memory_order_acquire);
  if (limits)
    return {};
  atDeviceReset(forget);
  auto asked = std::make_unique<DeviceLimits>();
  if (CUresult result = askAll(current, *asked); result != CUDA_SUCCESS)
    return Result(result, "cuDeviceGetAttribute");
  DeviceLimits *expected = nullptr;
  if (known[current.device].compare_exchange_strong(expected, asked.get(), std::memory_order_acq_rel))
    limits = asked.release();
  else
    limits = expected;
  return {};
}

} // namespace cufort::rt
