// Driver functions about the device and its context.
#include "runtime/Emulated/DeviceDescription.h"
#include "runtime/Emulated/DeviceHeap.h"
#include "runtime/Emulated/EmulatedContext.h"
#include "runtime/Support/CudaError.h"
#include <cstdio>
#include <cstring>

namespace cufort::rt::emulated {

static CUresult getErrorString(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = cudaErrorText(toCudaError(error));
  return CUDA_SUCCESS;
}

static CUresult deviceGet(CUdevice *device, int ordinal) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

static CUresult checkDevice(CUdevice device, const void *output) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return output ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult deviceGetName(char *name, int length, CUdevice device) {
  if (CUresult result = checkDevice(device, name); result != CUDA_SUCCESS)
    return result;
  if (length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, size_t(length), "%s", deviceName().c_str());
  return CUDA_SUCCESS;
}

static CUresult deviceTotalMem(size_t *bytes, CUdevice device) {
  if (CUresult result = checkDevice(device, bytes); result != CUDA_SUCCESS)
    return result;
  *bytes = DeviceMemory::total();
  return CUDA_SUCCESS;
}

static CUresult deviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (CUresult result = checkDevice(device, value); result != CUDA_SUCCESS)
    return result;
  return deviceAttribute(attribute, *value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult deviceGetUuid(CUuuid *uuid, CUdevice device) {
  if (CUresult result = checkDevice(device, uuid); result != CUDA_SUCCESS)
    return result;
  memcpy(uuid->bytes, "cufort emulated", 16);
  return CUDA_SUCCESS;
}

static CUresult deviceGetPCIBusId(char *id, int length, CUdevice device) {
  if (CUresult result = checkDevice(device, id); result != CUDA_SUCCESS)
    return result;
  if (length < 13)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(id, size_t(length), "0000:00:00.0");
  return CUDA_SUCCESS;
}

static CUresult deviceCanAccessPeer(int *canAccess, CUdevice device, CUdevice peer) {
  if (CUresult result = checkDevice(device, canAccess); result != CUDA_SUCCESS)
    return result;
  *canAccess = 0;
  return peer == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult primaryCtxRetain(CUcontext *context, CUdevice device) {
  if (CUresult result = checkDevice(device, context); result != CUDA_SUCCESS)
    return result;
  EmulatedContext::instance().retain();
  *context = EmulatedContext::instance().handle();
  return CUDA_SUCCESS;
}

static CUresult primaryCtxRelease(CUdevice device) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return EmulatedContext::instance().release() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult primaryCtxReset(CUdevice device) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  EmulatedContext::instance().reset();
  return CUDA_SUCCESS;
}

static CUresult primaryCtxSetFlags(CUdevice device, unsigned flags) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (flags & ~unsigned(CU_CTX_FLAGS_MASK))
    return CUDA_ERROR_INVALID_VALUE;
  EmulatedContext::instance().flags = flags;
  return CUDA_SUCCESS;
}

static CUresult primaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  if (CUresult result = checkDevice(device, flags); result != CUDA_SUCCESS)
    return result;
  if (!active)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = EmulatedContext::instance().flags;
  *active = EmulatedContext::instance().isActive();
  return CUDA_SUCCESS;
}

static CUresult ctxSetCurrent(CUcontext context) {
  EmulatedContext &mine = EmulatedContext::instance();
  if (context && context != mine.handle())
    return CUDA_ERROR_INVALID_CONTEXT;
  mine.setCurrent(context != nullptr);
  return CUDA_SUCCESS;
}

static CUresult ctxGetCurrent(CUcontext *context) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  EmulatedContext &mine = EmulatedContext::instance();
  *context = mine.isCurrent() ? mine.handle() : nullptr;
  return CUDA_SUCCESS;
}

static CUresult ctxGetDevice(CUdevice *device) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!EmulatedContext::instance().isCurrent())
    return CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return CUDA_SUCCESS;
}

static CUresult ctxSynchronize() {
  CUFORT_EMULATED_ENTER(context);
  return CUDA_SUCCESS;
}

static CUresult ctxGetLimit(size_t *value, CUlimit limit) {
  CUFORT_EMULATED_ENTER(context);
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    *value = context.stackLimit;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    *value = context.printLimit;
    return CUDA_SUCCESS;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    *value = deviceHeapLimit();
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  }
}

static CUresult ctxSetLimit(CUlimit limit, size_t value) {
  CUFORT_EMULATED_ENTER(context);
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    if (value > 512 << 10) // what a GPU thread can have
      return CUDA_ERROR_INVALID_VALUE;
    context.stackLimit = value;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE: // output has room as long as there is memory
    context.printLimit = value;
    return CUDA_SUCCESS;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    setDeviceHeapLimit(value);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  }
}

static CUresult ctxGetCacheConfig(CUfunc_cache *config) {
  CUFORT_EMULATED_ENTER(context);
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = context.cacheConfig;
  return CUDA_SUCCESS;
}

static CUresult ctxSetCacheConfig(CUfunc_cache config) {
  CUFORT_EMULATED_ENTER(context);
  context.cacheConfig = config;
  return CUDA_SUCCESS;
}

static CUresult ctxGetSharedMemConfig(CUsharedconfig *config) {
  CUFORT_EMULATED_ENTER(context);
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = context.sharedConfig;
  return CUDA_SUCCESS;
}

static CUresult ctxGetStreamPriorityRange(int *least, int *greatest) {
  CUFORT_EMULATED_ENTER(context);
  if (least)
    *least = 0;
  if (greatest)
    *greatest = 0;
  return CUDA_SUCCESS;
}

static CUresult ctxGetFlags(unsigned *flags) {
  CUFORT_EMULATED_ENTER(context);
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = context.flags;
  return CUDA_SUCCESS;
}

static void addContextFunctions(DriverTable &table) {
  table.devicePrimaryCtxRetain = primaryCtxRetain;
  table.devicePrimaryCtxRelease = primaryCtxRelease;
  table.devicePrimaryCtxReset = primaryCtxReset;
  table.devicePrimaryCtxSetFlags = primaryCtxSetFlags;
  table.devicePrimaryCtxGetState = primaryCtxGetState;
  table.ctxSetCurrent = ctxSetCurrent;
  table.ctxGetCurrent = ctxGetCurrent;
  table.ctxGetDevice = ctxGetDevice;
  table.ctxSynchronize = ctxSynchronize;
  table.ctxGetLimit = ctxGetLimit;
  table.ctxSetLimit = ctxSetLimit;
  table.ctxGetCacheConfig = ctxGetCacheConfig;
  table.ctxSetCacheConfig = ctxSetCacheConfig;
  table.ctxGetSharedMemConfig = ctxGetSharedMemConfig;
  // As on every GPU since Kepler, the bank size cannot be changed and asking is no error.
  table.ctxSetSharedMemConfig = [](CUsharedconfig) { return EmulatedContext::instance().check(); };
  table.ctxGetStreamPriorityRange = ctxGetStreamPriorityRange;
  table.ctxGetFlags = ctxGetFlags;
  table.ctxEnablePeerAccess = [](CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; };
  table.ctxDisablePeerAccess = [](CUcontext) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; };
}

void addDeviceFunctions(DriverTable &table) {
  table.init = [](unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; };
  table.driverGetVersion = [](int *version) {
    return version ? (*version = 13000, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE;
  };
  table.getErrorString = getErrorString;
  table.deviceGet = deviceGet;
  table.deviceGetCount = [](int *count) { return count ? (*count = 1, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE; };
  table.deviceGetName = deviceGetName;
  table.deviceTotalMem = deviceTotalMem;
  table.deviceGetAttribute = deviceGetAttribute;
  table.deviceGetUuid = deviceGetUuid;
  table.deviceGetPCIBusId = deviceGetPCIBusId;
  table.deviceCanAccessPeer = deviceCanAccessPeer;
  table.profilerStart = [] { return CUDA_SUCCESS; };
  table.profilerStop = [] { return CUDA_SUCCESS; };
  addContextFunctions(table);
}

} // namespace cufort::rt::emulated
