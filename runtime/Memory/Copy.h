// Copies and fills of arrays between host and device, in the order that a Fortran assignment promises. All calls are
// complete when they return.
#pragma once

#include "runtime/Context/Context.h"
#include <cstddef>
#include <cstdint>

namespace cufort::rt {

/// Values are those that Flang's generated code passes.
enum class CopyMode : unsigned { HostToDevice = 0, DeviceToHost = 1, DeviceToDevice = 2, HostToHost = 3 };

constexpr int maxRank = 15;

/// An array in host or device memory: extents in elements, strides in bytes (may be negative or zero).
struct StridedArray {
  char *base = nullptr; ///< first element
  size_t elementBytes = 0;
  int rank = 0;
  int64_t extent[maxRank] = {};
  int64_t stride[maxRank] = {};

  /// Number of elements; 1 for a scalar, 0 if any extent is 0.
  size_t elements() const;
  /// True if the elements follow one another without gaps in array element order.
  bool isContiguous() const;
};

/// True for null, and for other addresses at which neither the device nor the host has memory and which elements of an
/// array that is not allocated have: they are as far from 0 as the elements from where the array begins.
bool isUnallocated(const Current &current, const void *address);

/// Copies `bytes` bytes. On stream 0 (the legacy default stream) the call waits for earlier work of the device and is
/// complete on return; on another stream it is queued there, and pageable host memory is read before it returns.
Result copyBytes(const Current &current, void *dst, const void *src, size_t bytes, CopyMode mode, int64_t stream);

/// Copies element by element in array element order: `dst` and `src` have the same extents and element size but any
/// strides. Splits into the fewest driver copies of up to three dimensions; where elements are scattered it packs
/// through a buffer, as it does where source and target share elements (see mayOverlap).
Result copyArray(const Current &current, const StridedArray &dst, const StridedArray &src, CopyMode mode,
                 int64_t stream);

/// Stores the element at host address `value` into every element of `dst`, which is device or managed memory if
/// `dstOnDevice`.
Result fillArray(const Current &current, const StridedArray &dst, const void *value, bool dstOnDevice, int64_t stream);

/// Waits until the host may look at `dst`, which earlier calls on `stream` have written: for managed and unified memory
/// on stream 0; for other memory and streams it does nothing, because the program synchronizes before it looks.
Result settleTarget(const Current &current, const void *dst, int64_t stream);

/// Stores the `elementBytes` bytes at host address `value` into `count` consecutive elements of device memory.
Result fillElements(const Current &current, CUdeviceptr dst, const void *value, size_t elementBytes, size_t count,
                    int64_t stream);

/// True if what is ordered on `stream` goes into a graph.
bool isCaptured(const Current &current, int64_t stream);

} // namespace cufort::rt
