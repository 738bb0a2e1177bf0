// Flang's array descriptor as the device library reads it.
#pragma once

extern "C" void *malloc(unsigned long);
extern "C" void free(void *);

namespace cufort::device {

/// The part of Flang's array descriptor that does not depend on the rank, and one dimension of it. Strides in bytes.
struct Dimension {
  long lower, extent, stride;
};
struct Descriptor {
  char *base;
  unsigned long elementBytes;
  int version;
  signed char rank, type, attribute, extra;
  Dimension dim[15];
};

/// The constant that stands for a derived type (mlir-dialects/Cufx/Transforms/DescribeTypes.cpp).
struct TypeDescription {
  const TypeDescription *parent;
  void (*reset)(void *record); ///< destroys and initialises a record; may be null
};

inline bool hasType(const Descriptor &object) {
  constexpr signed char hasAddendum = 1;
  return object.extra & hasAddendum;
}
/// The description of the dynamic type, behind the dimensions, if there is one.
inline const TypeDescription *&typeOf(Descriptor &object) {
  return *reinterpret_cast<const TypeDescription **>(&object.dim[object.rank]);
}

inline long elementCount(const Descriptor &array) {
  long count = 1;
  for (int i = 0; i < array.rank; ++i)
    count *= array.dim[i].extent;
  return count;
}

/// Address of element `number` in array element order; a scalar is every element.
inline char *elementAddress(const Descriptor &array, long number) {
  char *address = array.base;
  for (int i = 0; i < array.rank; ++i) {
    address += number % array.dim[i].extent * array.dim[i].stride;
    number /= array.dim[i].extent;
  }
  return address;
}

/// Lets the elements lie one behind the other; returns their bytes.
inline long makeContiguous(Descriptor &array) {
  long bytes = array.elementBytes;
  for (int i = 0; i < array.rank; ++i) {
    array.dim[i].stride = bytes;
    bytes *= array.dim[i].extent;
  }
  return bytes;
}

/// A value of a type that Fortran has in several kinds: an integer or a logical.
inline long integerAt(const char *address, unsigned long bytes) {
  switch (bytes) {
  case 1:
    return *reinterpret_cast<const signed char *>(address);
  case 2:
    return *reinterpret_cast<const short *>(address);
  case 4:
    return *reinterpret_cast<const int *>(address);
  default:
    return *reinterpret_cast<const long *>(address);
  }
}

template <unsigned unit>
inline void copyUnits(char *to, const char *from, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; i += unit)
    __builtin_memcpy(__builtin_assume_aligned(to + i, unit), __builtin_assume_aligned(from + i, unit), unit);
}

/// Copies in the largest units that addresses and size allow.
inline void copyElement(char *to, const char *from, unsigned long bytes) {
  unsigned long places = reinterpret_cast<unsigned long>(to) | reinterpret_cast<unsigned long>(from) | bytes;
  if (places % 8 == 0)
    copyUnits<8>(to, from, bytes);
  else if (places % 4 == 0)
    copyUnits<4>(to, from, bytes);
  else
    copyUnits<1>(to, from, bytes);
}

} // namespace cufort::device
