// Going through the elements of an array.
#pragma once

#include "runtime/Memory/Copy.h"

namespace cufort::rt {

/// The addresses of the elements of an array, in array element order. Those of a scalar do not end.
class Elements {
public:
  explicit Elements(const StridedArray &array) : array(array) {}

  char *next() {
    char *address = array.base;
    for (int i = 0; i < array.rank; ++i)
      address += subscripts[i] * array.stride[i];
    for (int i = 0; i < array.rank && ++subscripts[i] == array.extent[i]; ++i)
      subscripts[i] = 0;
    return address;
  }

private:
  const StridedArray array;
  int64_t subscripts[maxRank] = {}; ///< of the next one, from 0
};

} // namespace cufort::rt
