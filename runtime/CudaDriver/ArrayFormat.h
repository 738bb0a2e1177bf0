// Element formats of CUDA arrays.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include <cstddef>

namespace cufort::rt {

/// Returns the bytes of one channel, or 0 for a format that does not exist.
inline size_t channelBytes(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return 1;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 2;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 4;
  }
  return 0;
}

} // namespace cufort::rt
