// Results of the routines of cudafor in device code, and what their arguments mean: descriptors, as in
// runtime/CudaFor/Argument.h.
#pragma once

#include "codegen/DeviceLibrary/FortranDescriptor.h"

namespace cufort::device {

/// Codes of the CUDA runtime.
enum Status {
  Success = 0,
  InvalidValue = 1,
  NoMemory = 2,
  InvalidPitch = 12,
  InvalidDevicePointer = 17,
  InvalidDirection = 21,
  InvalidDevice = 101,
  UnsupportedLimit = 215,
  InvalidHandle = 400
};

inline long integerOf(const Descriptor &integer) { return integerAt(integer.base, integer.elementBytes); }

/// Sets `bytes` to `count * unit`, and returns false if that is negative or too large.
inline bool bytesOf(long count, unsigned long unit, long &bytes) {
  return count >= 0 && !__builtin_mul_overflow(count, unit, &bytes);
}

} // namespace cufort::device
