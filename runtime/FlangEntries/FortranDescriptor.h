// Array descriptors as code compiled by Flang 22 passes them: the standard's CFI_cdesc_t with Flang's use of its last
// header byte. Declared here so that the runtime builds without Flang's headers.
#pragma once

#include "runtime/Memory/Copy.h"
#include <cstddef>
#include <cstdint>

namespace cufort::rt {

struct FortranDim {
  int64_t lowerBound;
  int64_t extent;
  int64_t byteStride;
};

struct FortranDescriptor {
  void *base;
  size_t elementBytes;
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute;           ///< `pointer`, `allocatable`, or 0
  uint8_t extra;               ///< bit 0: an addendum follows the dimensions; bits 1-3: index of the allocator
  FortranDim dim[maxRank + 1]; ///< the first `rank` exist, and an addendum may follow them

  static constexpr uint8_t pointer = 1, allocatable = 2;
  bool isPointer() const { return attribute == pointer; }
  bool isAllocatable() const { return attribute == allocatable; }
  int allocator() const { return extra >> 1 & 7; }
  static constexpr size_t addendumBytes = 16;
  bool hasAddendum() const { return extra & 1; }
  /// Bytes of the descriptor itself.
  size_t sizeInBytes() const {
    return offsetof(FortranDescriptor, dim) + rank * sizeof(FortranDim) + (hasAddendum() ? addendumBytes : 0);
  }
};
static_assert(offsetof(FortranDescriptor, dim) == 24 && sizeof(FortranDim) == 24, "Flang's descriptor layout");

/// Positions in Flang's table of allocators, also the values of FortranDescriptor::allocator().
enum FlangAllocator { FlangHost = 0, FlangPinned = 1, FlangDevice = 2, FlangManaged = 3, FlangUnified = 4 };

/// Makes `copy` describe an array like `array`, with the same bounds, whose elements are next to each other. Its base
/// stays as it is. Returns its size in bytes.
size_t describeContiguous(FortranDescriptor &copy, const FortranDescriptor &array);

/// The array that `descriptor` describes.
StridedArray arrayOf(const FortranDescriptor &descriptor);

/// True if kernels can reach the array's memory, going by its allocator.
inline bool isOnDevice(const FortranDescriptor &descriptor) { return descriptor.allocator() >= FlangDevice; }

/// True if the strides of an array with elements of `elementBytes` bytes are what cufortNoteStrides says
/// (RuntimeABI.h).
bool hasPlainStrides(const FortranDescriptor &array, int64_t elementBytes);

/// Sets the description of the derived type of `object`, which its addendum names, if it has one. Returns the one
/// before.
void *exchangeType(FortranDescriptor &object, void *type);

/// Has `allocate` allocate `object` as if it were of no derived type, because the host cannot store initial values on
/// the device. Returns its status.
template <typename Allocate>
int withoutType(FortranDescriptor &object, Allocate allocate) {
  void *type = exchangeType(object, nullptr);
  int stat = allocate();
  exchangeType(object, type);
  return stat;
}

/// True if both have the same rank and extents.
bool sameShape(const FortranDescriptor &a, const FortranDescriptor &b);

} // namespace cufort::rt
