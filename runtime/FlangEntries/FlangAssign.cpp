#include "runtime/FlangEntries/FlangAssign.h"
#include "runtime/FlangEntries/DeepCopy.h"

namespace Fortran::runtime {

class Descriptor;

/// As Flang's runtime lays it out.
class Terminator {
public:
  const char *file;
  int line;
};

void Assign(Descriptor &to, const Descriptor &from, Terminator &terminator, int flags,
            void *(*move)(void *, const void *, size_t));
void DoFromSourceAssign(Descriptor &object, const Descriptor &source, Terminator &terminator,
                        void *(*move)(void *, const void *, size_t));

} // namespace Fortran::runtime

using Fortran::runtime::Descriptor;

void cufort::rt::flangAssign(FortranDescriptor &to, const FortranDescriptor &from, int flags, const char *file,
                             int line) {
  Fortran::runtime::Terminator terminator{file, line};
  Fortran::runtime::Assign(reinterpret_cast<Descriptor &>(to), reinterpret_cast<const Descriptor &>(from), terminator,
                           flags, moveBytes);
}

void cufort::rt::flangAssignSource(FortranDescriptor &object, const FortranDescriptor &source, const char *file,
                                   int line) {
  Fortran::runtime::Terminator terminator{file, line};
  Fortran::runtime::DoFromSourceAssign(reinterpret_cast<Descriptor &>(object),
                                       reinterpret_cast<const Descriptor &>(source), terminator, moveBytes);
}
