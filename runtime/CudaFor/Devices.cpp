// Devices and the calling thread's choice of one (guide 4.2, 4.3).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Module/DeviceFacts.h"

namespace cufort::rt {

namespace {

int synchronizeDevice() {
  return withContext([](const Current &current) {
    Result result(current.table->ctxSynchronize(), "cuCtxSynchronize");
    if (result.ok())
      noteSynchronized(0, true);
    return result;
  });
}

/// The current device of this thread before a CUF kernel with `device=`.
thread_local int formerDevice = 0;

Result invalidDevice() { return Result(cudaErrorInvalidDevice, "device number"); }

} // namespace

extern "C" {

int cufort_cudaGetDeviceCount(int *count) {
  *count = 0;
  return finishCall(deviceCount(*count));
}

int cufort_cudaGetDevice(int *device) { return finishCall(currentDevice(*device)); }

int cufort_cudaSetDevice(int device) { return finishCall(setCurrentDevice(device)); }

// What `device=` of a CUF kernel becomes, see frontend/Parse/KernelLoopDevices.cpp. Not of the module.
void cufort_use_device_(const int64_t *device) {
  Result result = currentDevice(formerDevice);
  if (result.ok())
    result = setCurrentDevice(static_cast<int>(*device));
  requireSuccess(result, "device= of a CUF kernel", nullptr, 0);
}

void cufort_use_former_device_() {
  requireSuccess(setCurrentDevice(formerDevice), "the device before device= of a CUF kernel", nullptr, 0);
}

int cufort_cudaSetValidDevices(const int *devices, int count) {
  int available = 0;
  Result result = deviceCount(available);
  if (result.ok() && (count < 0 || count > available))
    result = Result(cudaErrorInvalidValue, "number of devices");
  for (int i = 0; i < count && result.ok(); ++i)
    if (devices[i] < 0 || devices[i] >= available)
      result = invalidDevice();
  // The list is in order of preference, and no device of it can be busy: they are shared.
  if (result.ok() && count > 0)
    result = setCurrentDevice(devices[0]);
  return finishCall(result);
}

int cufort_cudaSetDeviceFlags(int flags) {
  return withDriver([=](const DriverTable &table) {
    // Host memory can always be mapped, and the driver refuses to be told so for its primary context.
    unsigned wanted = static_cast<unsigned>(flags) & ~CU_CTX_MAP_HOST;
    if (wanted & ~(CU_CTX_SCHED_MASK | CU_CTX_LMEM_RESIZE_TO_MAX))
      return Result(cudaErrorInvalidValue, "device flags");
    int device = 0;
    CUdevice handle = 0;
    Result result = currentDevice(device);
    if (result.ok())
      result = Result(table.deviceGet(&handle, device), "cuDeviceGet");
    if (result.ok())
      result = Result(table.devicePrimaryCtxSetFlags(handle, wanted), "cuDevicePrimaryCtxSetFlags");
    return result;
  });
}

int cufort_cudaDeviceGetAttribute(int *value, int attribute, int device) {
  return withDriver([=](const DriverTable &table) {
    CUdevice handle = 0;
    if (CUresult result = table.deviceGet(&handle, device); result != CUDA_SUCCESS)
      return Result(result, "cuDeviceGet");
    return Result(table.deviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), handle),
                  "cuDeviceGetAttribute");
  });
}

int cufort_cudaDeviceGetCacheConfig(int *config) {
  return withContext([=](const Current &current) {
    CUfunc_cache value = CU_FUNC_CACHE_PREFER_NONE;
    Result result(current.table->ctxGetCacheConfig(&value), "cuCtxGetCacheConfig");
    *config = value;
    return result;
  });
}

int cufort_cudaDeviceSetCacheConfig(int config) {
  return withContext([=](const Current &current) {
    Result result(current.table->ctxSetCacheConfig(static_cast<CUfunc_cache>(config)), "cuCtxSetCacheConfig");
    return result.ok() ? refreshDeviceFacts(current) : result;
  });
}

int cufort_cudaDeviceGetSharedMemConfig(int *config) {
  return withContext([=](const Current &current) {
    CUsharedconfig value = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    Result result(current.table->ctxGetSharedMemConfig(&value), "cuCtxGetSharedMemConfig");
    *config = value;
    return result;
  });
}

int cufort_cudaDeviceSetSharedMemConfig(int config) {
  return withContext([=](const Current &current) {
    return Result(current.table->ctxSetSharedMemConfig(static_cast<CUsharedconfig>(config)), "cuCtxSetSharedMemConfig");
  });
}

int cufort_cudaDeviceGetLimit(int64_t *value, int limit) {
  return withContext([=](const Current &current) {
    size_t bytes = 0;
    Result result(current.table->ctxGetLimit(&bytes, static_cast<CUlimit>(limit)), "cuCtxGetLimit");
    *value = static_cast<int64_t>(bytes);
    return result;
  });
}

int cufort_cudaDeviceSetLimit(int limit, Any value) {
  return withContext([&](const Current &current) {
    size_t bytes = 0;
    if (Result result = bytesOf(integerOf(value), 1, bytes); !result)
      return result;
    Result result(current.table->ctxSetLimit(static_cast<CUlimit>(limit), bytes), "cuCtxSetLimit");
    return result.ok() ? refreshDeviceFacts(current) : result;
  });
}

int cufort_cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return withContext([=](const Current &current) {
    return Result(current.table->ctxGetStreamPriorityRange(least, greatest), "cuCtxGetStreamPriorityRange");
  });
}

int cufort_cudaDeviceReset() {
  Result result = resetCurrentDevice();
  if (result.ok())
    forgetFault();
  return finishCall(result);
}

int cufort_cudaDeviceSynchronize() { return synchronizeDevice(); }

int cufort_cudaThreadExit() { return cufort_cudaDeviceReset(); }

int cufort_cudaThreadSynchronize() { return synchronizeDevice(); }

} // extern "C"

} // namespace cufort::rt
