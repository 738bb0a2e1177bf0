// What functions with an array as their result have in common.
#pragma once

#include "codegen/DeviceLibrary/FortranDescriptor.h"

namespace cufort::device {

/// Type codes of descriptors. Integers are told apart by their size, and logicals of other kinds have codes of
/// integers.
constexpr signed char real2 = 25, real4 = 27, real8 = 28, complex4 = 34, complex8 = 35, logical1 = 39, character = 40;

template <typename T>
inline T elementAs(const Descriptor &array, long number) {
  return *reinterpret_cast<const T *>(elementAddress(array, number));
}

inline void storeInteger(char *address, unsigned long bytes, long value) {
  copyElement(address, (char *)&value, bytes);
}

/// True if `mask`, which can be a scalar or nothing, does not leave out element `number`.
inline bool isSelected(const Descriptor *mask, long number) {
  return !mask || integerAt(elementAddress(*mask, number), mask->elementBytes);
}

/// Allocates `result`, whose extents are set, for elements of `bytes`.
inline void allocateResult(Descriptor &result, unsigned long bytes) {
  long stride = bytes;
  result.elementBytes = bytes;
  for (int i = 0; i < result.rank; ++i) {
    result.dim[i].lower = 1;
    result.dim[i].stride = stride;
    stride *= result.dim[i].extent;
  }
  result.base = static_cast<char *>(malloc(stride ? stride : 1));
  if (!result.base)
    __builtin_trap();
}

/// The shape of a function's result: that of `array` without dimension `dim`, which counts from 1.
inline void setReducedShape(Descriptor &result, const Descriptor &array, int dim) {
  result.rank = array.rank - 1;
  for (int i = 0; i < result.rank; ++i)
    result.dim[i].extent = array.dim[i < dim - 1 ? i : i + 1].extent;
}

/// The elements of `array` along `dim` that belong to element `number` of the result, as an array of rank 1.
inline Descriptor lineOf(const Descriptor &array, int dim, long number) {
  Descriptor line = array;
  line.rank = 1;
  line.dim[0] = array.dim[dim - 1];
  for (int i = 0; i < array.rank; ++i) {
    if (i == dim - 1)
      continue;
    line.base += number % array.dim[i].extent * array.dim[i].stride;
    number /= array.dim[i].extent;
  }
  return line;
}

/// The part of `mask` that goes with such a line; a scalar goes with every one.
inline Descriptor lineOfMask(const Descriptor &mask, int dim, long number) {
  return mask.rank ? lineOf(mask, dim, number) : mask;
}

} // namespace cufort::device
