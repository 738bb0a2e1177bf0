// SELECTED_INT_KIND and SELECTED_REAL_KIND of numbers that are not constant: Fortran 2018 16.9.169 and 16.9.170. The
// kinds are those of the host, so that both sides agree.

#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

/// A kind, and the decimal digits and exponents that it has.
struct Kind {
  int kind, precision, range;
};
constexpr Kind integers[] = {{1, 0, 2}, {2, 0, 4}, {4, 0, 9}, {8, 0, 18}, {16, 0, 38}};
constexpr Kind reals[] = {{2, 3, 4}, {3, 2, 37}, {4, 6, 37}, {8, 15, 307}, {10, 18, 4931}, {16, 33, 4931}};

/// An argument, or 0 if it is left out.
long valueOf(const void *argument, int bytes) {
  return argument ? integerAt(static_cast<const char *>(argument), bytes) : 0;
}

} // namespace

extern "C" int _FortranASelectedIntKind(const char *, int, const void *range, int bytes) {
  for (const Kind &kind : integers)
    if (valueOf(range, bytes) <= kind.range)
      return kind.kind;
  return -1;
}

extern "C" int _FortranASelectedRealKind(const char *, int, const void *precision, int precisionBytes,
                                         const void *range, int rangeBytes, const void *radix, int radixBytes) {
  if (radix && valueOf(radix, radixBytes) != 2)
    return -5;
  long digits = valueOf(precision, precisionBytes), exponents = valueOf(range, rangeBytes);
  for (const Kind &kind : reals)
    if (digits <= kind.precision && exponents <= kind.range)
      return kind.kind;
  const Kind &largest = reals[5];
  return (digits > largest.precision ? -1 : 0) + (exponents > largest.range ? -2 : 0);
}
