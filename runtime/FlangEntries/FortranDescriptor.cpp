#include "runtime/FlangEntries/FortranDescriptor.h"

namespace cufort::rt {

StridedArray arrayOf(const FortranDescriptor &descriptor) {
  StridedArray array;
  array.base = static_cast<char *>(descriptor.base);
  array.elementBytes = descriptor.elementBytes;
  array.rank = descriptor.rank;
  for (int i = 0; i < descriptor.rank; ++i) {
    array.extent[i] = descriptor.dim[i].extent;
    array.stride[i] = descriptor.dim[i].byteStride;
  }
  return array;
}

bool sameShape(const FortranDescriptor &a, const FortranDescriptor &b) {
  bool same = a.rank == b.rank;
  for (int i = 0; i < a.rank && same; ++i)
    same = a.dim[i].extent == b.dim[i].extent;
  return same;
}

} // namespace cufort::rt
