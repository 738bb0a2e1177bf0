// Mathematical functions of complex numbers, for both devices. `__cufx_c<name>_c<kind>` replaces the value that it
// is given by the function's value. Branch cuts are those of C: along the axes, continuous with the sign of zero.
//
// The inverse functions follow W. Kahan, "Branch Cuts for Complex Elementary Functions", which avoids the
// cancellation of the textbook formulas.

#include "codegen/DeviceLibrary/Complex.h"
#include "codegen/DeviceLibrary/RealFunctions.h"
#include "codegen/DeviceLibrary/ScaledRoots.h"
#include <stdint.h>

using cufort::device::absolute;
using cufort::device::Complex;
using cufort::device::exponential;
using cufort::device::Roots;
using cufort::device::scaledRoots;
using cufort::device::withSign;

extern "C" {
float __nv_hypotf(float, float);
double __nv_hypot(double, double);
float __nv_logf(float);
double __nv_log(double);
float __nv_log1pf(float);
double __nv_log1p(double);
float __nv_atan2f(float, float);
double __nv_atan2(double, double);
float __nv_tanf(float);
double __nv_tan(double);
float __nv_asinhf(float);
double __nv_asinh(double);
void __nv_sincosf(float, float *, float *);
void __nv_sincos(double, double *, double *);
void __cufx_sinh_cosh_r4(float, float *, float *);
void __cufx_sinh_cosh_r8(double, double *, double *);
}

namespace {

float hypotenuse(float a, float b) { return __nv_hypotf(a, b); }
double hypotenuse(double a, double b) { return __nv_hypot(a, b); }
float logarithm(float x) { return __nv_logf(x); }
double logarithm(double x) { return __nv_log(x); }
float logarithm1p(float x) { return __nv_log1pf(x); }
double logarithm1p(double x) { return __nv_log1p(x); }
float angle(float y, float x) { return __nv_atan2f(y, x); }
double angle(double y, double x) { return __nv_atan2(y, x); }
float tangent(float x) { return __nv_tanf(x); }
double tangent(double x) { return __nv_tan(x); }
float areaSine(float x) { return __nv_asinhf(x); }
double areaSine(double x) { return __nv_asinh(x); }
void sineCosine(float x, float &sine, float &cosine) { __nv_sincosf(x, &sine, &cosine); }
void sineCosine(double x, double &sine, double &cosine) { __nv_sincos(x, &sine, &cosine); }
void sinhCosh(float x, float &sinh, float &cosh) { __cufx_sinh_cosh_r4(x, &sinh, &cosh); }
void sinhCosh(double x, double &sinh, double &cosh) { __cufx_sinh_cosh_r8(x, &sinh, &cosh); }

constexpr float leastSquareable(float) { return 1e-15f; }
constexpr double leastSquareable(double) { return 1e-140; }
template <typename Real>
bool isInfinite(Real x) {
  return absolute(x) == Real(__builtin_huge_val());
}
/// i z and -i z.
template <typename Real>
Complex<Real> turnLeft(Complex<Real> z) {
  return {-z.im, z.re};
}
template <typename Real>
Complex<Real> turnRight(Complex<Real> z) {
  return {z.im, -z.re};
}

/// The exponents of a real type, as they are in the upper 32 bits of its values.
template <typename Real>
struct Exponents;
template <>
struct Exponents<float> {
  static constexpr int shift = 23, most = 0xff, ofOne = 127;
  static int bits(float x) { return __builtin_bit_cast(int, x); }
  static float power(int exponent) { return __builtin_bit_cast(float, exponent << shift); }
};
template <>
struct Exponents<double> {
  static constexpr int shift = 20, most = 0x7ff, ofOne = 1023;
  static int bits(double x) { return __builtin_bit_cast(int64_t, x) >> 32; }
  static double power(int exponent) { return __builtin_bit_cast(double, int64_t(exponent) << (shift + 32)); }
};
template <typename Real>
int exponentOf(Real x) {
  return Exponents<Real>::bits(x) >> Exponents<Real>::shift & Exponents<Real>::most;
}

/// Of zero and infinities, and of what is not a number: as C says.
template <typename Real>
Complex<Real> rootOfSpecial(Complex<Real> z) {
  if (isInfinite(z.im))
    return {absolute(z.im), z.im};
  // Zero, or not a number.
  Real im = absolute(z.im - z.im);
  if (isInfinite(z.re))
    return z.re > 0 ? Complex<Real>{z.re, withSign(im, z.im)} : Complex<Real>{im, withSign(z.re, z.im)};
  return z.re == 0 && z.im == 0 ? Complex<Real>{0, z.im} : Complex<Real>{z.re + z.im, z.re + z.im};
}

/// The larger part is brought to [1, 4) by a power of four, and the root back by one of two, both of them exactly.
template <typename Real>
Complex<Real> csqrt(Complex<Real> z) {
  using Field = Exponents<Real>;
  int re = exponentOf(z.re), im = exponentOf(z.im), exponent = re > im ? re : im;
  if (exponent == Field::most || (z.re == 0 && z.im == 0))
    return rootOfSpecial(z);
  exponent = ((exponent > 1 ? exponent : 1) - 1) | 1;
  int ofRoot = (exponent + Field::ofOne) / 2;
  Real scale = Field::power(2 * Field::ofOne - exponent), back = Field::power(ofRoot);
  Real a = absolute(z.re) * scale, b = absolute(z.im) * scale;
  Roots<Real> roots = scaledRoots(Real(0.5) * a + Real(0.5) * scaledRoots(a * a + b * b).root);
  // The smaller part may be far from what has been scaled.
  Real half = absolute(z.im) * Field::power(2 * Field::ofOne - ofRoot) * Real(0.5);
  Real larger = roots.root * back, smaller = half * roots.inverse;
  return z.re >= 0 ? Complex<Real>{larger, withSign(smaller, z.im)} : Complex<Real>{smaller, withSign(larger, z.im)};
}

template <typename Real>
Complex<Real> cexp(Complex<Real> z) {
  Real sine, cosine;
  sineCosine(z.im, sine, cosine);
  Real size = exponential(z.re);
  return {size * cosine, z.im == 0 ? z.im : size * sine};
}

/// Near the unit circle the logarithm of the size is that of 1 + (size**2 - 1), computed without cancellation.
template <typename Real>
Complex<Real> clog(Complex<Real> z) {
  Real size = hypotenuse(z.re, z.im);
  Real a = absolute(z.re), b = absolute(z.im);
  Real larger = a > b ? a : b, smaller = a > b ? b : a;
  bool nearCircle = size > Real(0.5) && size < 2;
  Real re = nearCircle ? Real(0.5) * logarithm1p((larger - 1) * (larger + 1) + smaller * smaller) : logarithm(size);
  return {re, angle(z.im, z.re)};
}

template <typename Real>
Complex<Real> cpow(Complex<Real> z, Complex<Real> w) {
  if (z.re == 0 && z.im == 0)
    return w.re == 0 && w.im == 0 ? Complex<Real>{1, 0} : Complex<Real>{0, 0};
  return cexp(w * clog(z));
}

/// 1 / z by Smith's algorithm.
template <typename Real>
Complex<Real> reciprocal(Complex<Real> z) {
  if (absolute(z.re) >= absolute(z.im)) {
    Real ratio = z.im / z.re, divisor = z.re + z.im * ratio;
    return {1 / divisor, -ratio / divisor};
  }
  Real ratio = z.re / z.im, divisor = z.re * ratio + z.im;
  return {ratio / divisor, -1 / divisor};
}

/// z ** exponent by repeated squaring; a negative exponent inverts the result.
template <typename Size, typename Real, typename Integer>
Complex<Real> integerPower(Complex<Real> z, Integer exponent) {
  auto size = static_cast<Size>(exponent);
  Size remaining = exponent < 0 ? 0 - size : size;
  Complex<Real> result{1, 0};
  for (; remaining; remaining >>= 1) {
    if (remaining & 1)
      result = result * z;
    z = z * z;
  }
  return exponent < 0 ? reciprocal(result) : result;
}

template <typename Real>
Complex<Real> csinh(Complex<Real> z) {
  Real sine, cosine, sinh, cosh;
  sineCosine(z.im, sine, cosine);
  sinhCosh(z.re, sinh, cosh);
  // Zero stays zero where the other factor overflows.
  return {sinh * cosine, z.im == 0 ? z.im : cosh * sine};
}
template <typename Real>
Complex<Real> ccosh(Complex<Real> z) {
  Real sine, cosine, sinh, cosh;
  sineCosine(z.im, sine, cosine);
  sinhCosh(z.re, sinh, cosh);
  return {cosh * cosine, z.im == 0 ? z.im * withSign(Real(1), z.re) : sinh * sine};
}
template <typename Real>
Complex<Real> ctanh(Complex<Real> z) {
  // Where the hyperbolic tangent is 1 in double precision, and its formula would overflow.
  constexpr Real saturated = 20;
  if (absolute(z.re) > saturated) {
    Real sine, cosine;
    sineCosine(z.im, sine, cosine);
    return {withSign(Real(1), z.re), 4 * sine * cosine * exponential(-2 * absolute(z.re))};
  }
  Real t = tangent(z.im), beta = 1 + t * t;
  Real sinh, cosh;
  sinhCosh(z.re, sinh, cosh);
  Real divisor = 1 + beta * sinh * sinh;
  return {beta * cosh * sinh / divisor, t / divisor};
}
template <typename Real>
Complex<Real> csin(Complex<Real> z) {
  return turnRight(csinh(turnLeft(z)));
}
template <typename Real>
Complex<Real> ccos(Complex<Real> z) {
  return ccosh(turnLeft(z));
}
template <typename Real>
Complex<Real> ctan(Complex<Real> z) {
  return turnRight(ctanh(turnLeft(z)));
}

template <typename Real>
Complex<Real> casin(Complex<Real> z) {
  Complex<Real> below = csqrt(Complex<Real>{1 - z.re, -z.im}), above = csqrt(Complex<Real>{1 + z.re, z.im});
  return {angle(z.re, below.re * above.re - below.im * above.im), areaSine(below.re * above.im - below.im * above.re)};
}
template <typename Real>
Complex<Real> cacos(Complex<Real> z) {
  Complex<Real> below = csqrt(Complex<Real>{1 - z.re, -z.im}), above = csqrt(Complex<Real>{1 + z.re, z.im});
  return {2 * angle(below.re, above.re), areaSine(above.re * below.im - above.im * below.re)};
}
template <typename Real>
Complex<Real> cacosh(Complex<Real> z) {
  Complex<Real> below = csqrt(Complex<Real>{z.re - 1, z.im}), above = csqrt(Complex<Real>{z.re + 1, z.im});
  return {areaSine(below.re * above.re + below.im * above.im), 2 * angle(below.im, above.re)};
}
/// The function is odd: near its pole at -1 it is computed as near 1.
template <typename Real>
Complex<Real> catanh(Complex<Real> z) {
  if (isInfinite(z.re) || isInfinite(z.im))
    return {withSign(Real(0), z.re), withSign(angle(Real(1), Real(0)), z.im)};
  Real a = absolute(z.re), distance = hypotenuse(1 - a, z.im);
  Real size = distance < leastSquareable(distance) ? logarithm(2 / distance) / 2
                                                   : logarithm1p(4 * (a / distance) / distance) / 4;
  return {withSign(size, z.re), angle(2 * z.im, (1 - a) * (1 + a) - z.im * z.im) / 2};
}
template <typename Real>
Complex<Real> casinh(Complex<Real> z) {
  return turnRight(casin(turnLeft(z)));
}
template <typename Real>
Complex<Real> catan(Complex<Real> z) {
  return turnRight(catanh(turnLeft(z)));
}

} // namespace

#define COMPLEX_FUNCTION(name)                                                                                         \
  extern "C" void __cufx_##name##_c4(Complex<float> *z) { *z = name(*z); }                                             \
  extern "C" void __cufx_##name##_c8(Complex<double> *z) { *z = name(*z); }
COMPLEX_FUNCTION(csqrt)
COMPLEX_FUNCTION(cexp)
COMPLEX_FUNCTION(clog)
COMPLEX_FUNCTION(csin)
COMPLEX_FUNCTION(ccos)
COMPLEX_FUNCTION(ctan)
COMPLEX_FUNCTION(csinh)
COMPLEX_FUNCTION(ccosh)
COMPLEX_FUNCTION(ctanh)
COMPLEX_FUNCTION(casin)
COMPLEX_FUNCTION(cacos)
COMPLEX_FUNCTION(catan)
COMPLEX_FUNCTION(casinh)
COMPLEX_FUNCTION(cacosh)
COMPLEX_FUNCTION(catanh)

extern "C" void __cufx_cpow_c4(Complex<float> *z, const Complex<float> *w) { *z = cpow(*z, *w); }
extern "C" void __cufx_cpow_c8(Complex<double> *z, const Complex<double> *w) { *z = cpow(*z, *w); }
extern "C" void __cufx_powi_c4(Complex<float> *z, int exponent) { *z = integerPower<uint32_t>(*z, exponent); }
extern "C" void __cufx_powi_c8(Complex<double> *z, int exponent) { *z = integerPower<uint32_t>(*z, exponent); }
extern "C" void __cufx_powk_c4(Complex<float> *z, int64_t exponent) { *z = integerPower<uint64_t>(*z, exponent); }
extern "C" void __cufx_powk_c8(Complex<double> *z, int64_t exponent) { *z = integerPower<uint64_t>(*z, exponent); }
