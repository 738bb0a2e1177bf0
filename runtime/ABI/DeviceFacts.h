// What the routines of module cudafor tell about the device when device code calls them. The runtime writes it to the
// variable of that name in a module that it has loaded, if there is one, and again when the program changes a setting.
#pragma once

/// Counted from 0 as cudaLimit is: stack size, size of the buffer for output, size of the heap.
#define CUFORT_DEVICE_LIMITS 3

struct CufortDeviceFacts {
  int device, deviceCount, cacheConfig, unused;
  long limits[CUFORT_DEVICE_LIMITS];
};

#define CUFORT_DEVICE_FACTS_NAME "cufortDeviceFacts"
