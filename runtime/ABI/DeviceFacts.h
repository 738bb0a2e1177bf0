// What routines of cudafor tell device code of its device. A variable of this type is in the image of a program whose
// device code calls one of them, and only then: the runtime fills it when it loads the image into a device, and again
// when a setting of the device changes.
#pragma once

#include <stdint.h>

#define CUFORT_DEVICE_FACTS "cufortDeviceFacts"
#define CUFORT_DEVICE_PROPERTIES "cufortDeviceProperties"

/// Limits of CUDA are numbered from 0.
enum { CufortLimits = 8, CufortMostDevices = 32, CufortPropertyWords = 96 };

/// What a routine gives: its result, and the value if that is 0.
typedef struct CufortAnswer {
  int64_t value;
  int32_t result;
  int32_t reserved;
} CufortAnswer;

typedef struct CufortDeviceFacts {
  int32_t device; ///< the number of the device that the image is in
  int32_t deviceCount;
  CufortAnswer cacheConfig;
  CufortAnswer limits[CufortLimits];
} CufortDeviceFacts;

/// The properties of all devices, as cudaGetDeviceProperties gives them to host code.
typedef struct CufortDeviceProperties {
  int64_t words[CufortMostDevices][CufortPropertyWords];
} CufortDeviceProperties;
