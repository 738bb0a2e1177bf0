// Programs of -gpu=mem:unified: device code is given addresses of the host's own data.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Emulated/EmulatedDriver.h"
#include "runtime/Stream/ErrorState.h"

using namespace cufort::rt;

namespace {

/// Success if `device` reads and writes pageable memory of the host.
Result checkHostAccess(const DriverTable &table, int device) {
  int able = 0;
  char name[256] = "";
  CUdevice handle = 0;
  CUresult result = table.deviceGet(&handle, device);
  if (result == CUDA_SUCCESS)
    result = table.deviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, handle);
  if (result != CUDA_SUCCESS || able)
    return Result(result, "cuDeviceGetAttribute");
  table.deviceGetName(name, sizeof name, handle);
  return Result(
      cudaErrorNotSupported, "-gpu=mem:unified",
      "device " + std::to_string(device) + " (" + name +
          ") cannot reach all memory of the host on this machine, which needs heterogeneous memory management "
          "(HMM) or address translation services (ATS); compile with -gpu=mem:managed");
}

} // namespace

void cufortRequireHostAccess() {
  const DriverTable *table = nullptr;
  int device = 0;
  Result result = currentDevice(device);
  if (result.ok())
    result = driver(table);
  if (result.ok())
    result = checkHostAccess(*table, device);
  requireSuccess(result, "-gpu=mem:unified", nullptr, 0);
  letEmulatedDeviceUseHostMemory();
}
