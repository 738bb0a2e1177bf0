#include "runtime/FlangEntries/FortranDescriptor.h"
#include <cstring>

namespace cufort::rt {

size_t describeContiguous(FortranDescriptor &copy, const FortranDescriptor &array) {
  copy.elementBytes = array.elementBytes;
  copy.version = array.version;
  copy.rank = array.rank;
  copy.type = array.type;
  copy.attribute = 0;
  copy.extra = 0;
  auto bytes = static_cast<int64_t>(array.elementBytes);
  for (int i = 0; i < array.rank; ++i) {
    copy.dim[i] = {array.dim[i].lowerBound, array.dim[i].extent, bytes};
    bytes *= array.dim[i].extent;
  }
  return static_cast<size_t>(bytes);
}

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

bool hasPlainStrides(const FortranDescriptor &array, int64_t elementBytes) {
  int64_t all = 0;
  for (int i = 1; i < array.rank; ++i)
    all |= array.dim[i].byteStride;
  int64_t factor = (elementBytes | 16) & -(elementBytes | 16);
  return array.rank > 0 && array.dim[0].byteStride == elementBytes && all >= 0 && all <= INT32_MAX &&
         (all & (factor - 1)) == 0;
}

void *exchangeType(FortranDescriptor &object, void *type) {
  if (!object.hasAddendum())
    return nullptr;
  void *before;
  std::memcpy(&before, &object.dim[object.rank], sizeof before);
  std::memcpy(&object.dim[object.rank], &type, sizeof type);
  return before;
}

bool sameShape(const FortranDescriptor &a, const FortranDescriptor &b) {
  bool same = a.rank == b.rank;
  for (int i = 0; i < a.rank && same; ++i)
    same = a.dim[i].extent == b.dim[i].extent;
  return same;
}

} // namespace cufort::rt
