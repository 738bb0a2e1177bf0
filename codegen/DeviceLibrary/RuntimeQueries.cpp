// What routines of cudafor tell of devices: the runtime has put it into variables here, and only programs that ask have
// these.

#include "codegen/DeviceLibrary/RuntimeStatus.h"
#include "runtime/ABI/DeviceFacts.h"

using namespace cufort::device;

extern "C" {

// Read as volatile: no compiler may think that they keep their initial value.
volatile CufortDeviceFacts cufortDeviceFacts = {};
volatile CufortDeviceProperties cufortDeviceProperties = {};

int cufort_cudaGetDevice(int *device) {
  *device = cufortDeviceFacts.device;
  return Success;
}

int cufort_cudaGetDeviceCount(int *count) {
  *count = cufortDeviceFacts.deviceCount;
  return Success;
}

int cufort_cudaDeviceGetCacheConfig(int *config) {
  *config = static_cast<int>(cufortDeviceFacts.cacheConfig.value);
  return cufortDeviceFacts.cacheConfig.result;
}

int cufort_cudaDeviceGetLimit(int64_t *value, int limit) {
  *value = 0;
  if (limit < 0 || limit >= CufortLimits)
    return InvalidValue;
  *value = cufortDeviceFacts.limits[limit].value;
  return cufortDeviceFacts.limits[limit].result;
}

int cufort_cudaGetDeviceProperties(int64_t *properties, int device) {
  if (device < 0 || device >= cufortDeviceFacts.deviceCount)
    return InvalidDevice;
  for (unsigned i = 0; i < CufortPropertyWords; ++i)
    properties[i] = cufortDeviceProperties.words[device][i];
  return Success;
}

} // extern "C"
