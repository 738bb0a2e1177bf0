// What a device image has of the array descriptor of a variable.
#pragma once

#include "runtime/ABI/ArrayOrigin.h"
#include "runtime/FlangEntries/FortranDescriptor.h"

namespace cufort::rt {

/// The bytes for the device: the descriptor, and the array's origin if the image has room for it (ArrayOrigin.h). Then
/// the version is that of the array's strides if there is one (StrideNumbers.h).
class DeviceDescriptor {
public:
  /// `host` has `bytes` bytes, the variable of the image `room`.
  DeviceDescriptor(const void *host, size_t bytes, size_t room);

  const void *data() const { return memory; }
  size_t size() const { return used; }

  /// The version of the array's strides; 0 if there is none.
  int32_t strides() const { return version; }

private:
  alignas(8) char memory[sizeof(FortranDescriptor) + FortranDescriptor::addendumBytes + CUFORT_ORIGIN_BYTES];
  size_t used;
  int32_t version = 0;
};

} // namespace cufort::rt
