// The hyperbolic sine and cosine of the same number, which cost little more than one of them.

#include "codegen/DeviceLibrary/RealFunctions.h"

using cufort::device::absolute;
using cufort::device::exponential;
using cufort::device::withSign;

namespace {

/// The quotient of sinh(x) and x, by the powers of x**2: for |x| up to 1.
float sinhQuotient(float square) {
  constexpr float factorials[] = {362880, 5040, 120, 6, 1};
  float sum = 1 / 39916800.f;
  for (float factorial : factorials)
    sum = sum * square + 1 / factorial;
  return sum;
}
double sinhQuotient(double square) {
  constexpr double factorials[] = {1307674368000, 6227020800, 39916800, 362880, 5040, 120, 6, 1};
  double sum = 1 / 355687428096000.;
  for (double factorial : factorials)
    sum = sum * square + 1 / factorial;
  return sum;
}

/// From where on the exponential function overflows, but not half of it, and from where on what is subtracted from that
/// makes no difference.
template <typename Real>
constexpr Real largeArgument = sizeof(Real) == 4 ? 88 : 709;
template <typename Real>
constexpr Real largeHalf = 1e18;

/// One exponential for both: half of it, and half of its reciprocal.
template <typename Real>
void sinhCosh(Real x, Real &sine, Real &cosine) {
  constexpr Real e = 2.718281828459045235;
  Real size = absolute(x);
  bool isLarge = size > largeArgument<Real>;
  Real half = exponential(isLarge ? size - 1 : size) * (isLarge ? e / 2 : Real(0.5));
  Real other = Real(0.25) / (half < largeHalf<Real> ? half : largeHalf<Real>);
  sine = size < 1 ? x * sinhQuotient(x * x) : withSign(half - other, x);
  cosine = half + other;
}

} // namespace

extern "C" void __cufx_sinh_cosh_r4(float x, float *sinh, float *cosh) { sinhCosh(x, *sinh, *cosh); }
extern "C" void __cufx_sinh_cosh_r8(double x, double *sinh, double *cosh) { sinhCosh(x, *sinh, *cosh); }
