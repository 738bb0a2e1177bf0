// What device code compiled for the emulated device (x86-64) asks about the processor that it runs on. Part of the
// runtime ABI: see RuntimeABI.h.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// 1 on processors of the level x86-64-v3, and 0 on others: CufortEmuKernel::blocks may have code for both.
int32_t cufortEmuHasWideVectors(void);

#ifdef __cplusplus
} // extern "C"
#endif
