// What PACK, SPREAD and their like of Flang's runtime copy elements with. The linker finds this one first; Flang's own
// would have the host read components on the device.
#include "runtime/FlangEntries/DeepCopy.h"
#include <cstring>

using namespace cufort::rt;

namespace Fortran::runtime {

class Descriptor;
class Terminator;

void CopyElement(const Descriptor &to, const long *toSubscripts, const Descriptor &from, const long *fromSubscripts,
                 Terminator &);

} // namespace Fortran::runtime

static StridedArray elementAt(const FortranDescriptor &array, const long *subscripts) {
  StridedArray element;
  element.elementBytes = array.elementBytes;
  element.base = static_cast<char *>(array.base);
  for (int i = 0; i < array.rank; ++i)
    element.base += (subscripts[i] - array.dim[i].lowerBound) * array.dim[i].byteStride;
  return element;
}

void Fortran::runtime::CopyElement(const Descriptor &to, const long *toSubscripts, const Descriptor &from,
                                   const long *fromSubscripts, Terminator &) {
  const auto &values = reinterpret_cast<const FortranDescriptor &>(from);
  StridedArray target = elementAt(reinterpret_cast<const FortranDescriptor &>(to), toSubscripts);
  StridedArray source = elementAt(values, fromSubscripts);
  const TypeDescription *type = dynamicType(values);
  if (!type || type->needsNoDestruction) {
    std::memcpy(target.base, source.base, source.elementBytes);
    return;
  }
  std::memset(target.base, 0, source.elementBytes);
  DeepCopy copy(/*callsDefinedAssignments=*/false);
  copy.add(target, source, *type);
  copy.run();
}
