// ERFC_SCALED (Fortran 2018 16.9.73), and BESSEL_JN and BESSEL_YN of all orders from n1 to n2 (16.9.31, 16.9.34). For
// these the caller has the two values that the recurrence begins with: those of the highest orders for J and of the
// lowest for Y, because it is stable in these directions.

#include "codegen/DeviceLibrary/ArrayResults.h"

using namespace cufort::device;

extern "C" float __nv_erfcxf(float);
extern "C" double __nv_erfcx(double);

extern "C" float _FortranAErfcScaled4(float x) { return __nv_erfcxf(x); }
extern "C" double _FortranAErfcScaled8(double x) { return __nv_erfcx(x); }

namespace {

/// Makes room for the orders `first` to `last`; returns how many.
template <typename Real>
long allocateOrders(Descriptor &result, int first, int last) {
  result.rank = 1;
  result.dim[0].extent = last < first ? 0 : last - first + 1;
  allocateResult(result, sizeof(Real));
  return result.dim[0].extent;
}

template <typename Real>
void storeFirstKind(Descriptor &result, int first, int last, Real x, Real highest, Real nextHighest) {
  long count = allocateOrders<Real>(result, first, last);
  auto *values = reinterpret_cast<Real *>(result.base);
  for (long i = count - 1; i >= 0; --i)
    values[i] = i == count - 1   ? highest
                : i == count - 2 ? nextHighest
                                 : 2 * Real(first + i + 1) / x * values[i + 1] - values[i + 2];
}

template <typename Real>
void storeSecondKind(Descriptor &result, int first, int last, Real x, Real lowest, Real nextLowest) {
  long count = allocateOrders<Real>(result, first, last);
  auto *values = reinterpret_cast<Real *>(result.base);
  for (long i = 0; i < count; ++i)
    values[i] = i == 0 ? lowest : i == 1 ? nextLowest : 2 * Real(first + i - 1) / x * values[i - 1] - values[i - 2];
}

/// At 0 the function of the first kind and order 0 is 1, all others are 0.
template <typename Real>
void storeFirstKindAtZero(Descriptor &result, int first, int last) {
  long count = allocateOrders<Real>(result, first, last);
  for (long i = 0; i < count; ++i)
    reinterpret_cast<Real *>(result.base)[i] = first + i == 0;
}

template <typename Real>
void storeSecondKindAtZero(Descriptor &result, int first, int last) {
  long count = allocateOrders<Real>(result, first, last);
  for (long i = 0; i < count; ++i)
    reinterpret_cast<Real *>(result.base)[i] = -__builtin_huge_val();
}

} // namespace

#define CUFORT_BESSEL_SEQUENCES(kind, Real)                                                                            \
  extern "C" void _FortranABesselJn_##kind(Descriptor *result, int first, int last, Real x, Real highest,              \
                                           Real nextHighest, const char *, int) {                                      \
    storeFirstKind(*result, first, last, x, highest, nextHighest);                                                     \
  }                                                                                                                    \
  extern "C" void _FortranABesselYn_##kind(Descriptor *result, int first, int last, Real x, Real lowest,               \
                                           Real nextLowest, const char *, int) {                                       \
    storeSecondKind(*result, first, last, x, lowest, nextLowest);                                                      \
  }                                                                                                                    \
  extern "C" void _FortranABesselJnX0_##kind(Descriptor *result, int first, int last, const char *, int) {             \
    storeFirstKindAtZero<Real>(*result, first, last);                                                                  \
  }                                                                                                                    \
  extern "C" void _FortranABesselYnX0_##kind(Descriptor *result, int first, int last, const char *, int) {             \
    storeSecondKindAtZero<Real>(*result, first, last);                                                                 \
  }
CUFORT_BESSEL_SEQUENCES(4, float)
CUFORT_BESSEL_SEQUENCES(8, double)
