// Error function, gamma function and Bessel functions of libdevice.
#include "runtime/Emulated/Math/SpecialFunctions.h"
#include "runtime/Emulated/Math/DeviceMath.h"
#include <cmath>

namespace cufort::rt::emulated {

static constexpr long double rootPi = 1.772453850905516027298167483341145182L;
static constexpr long double twoPi = 6.283185307179586476925286766559005768L;
static constexpr long double rootHalf = 0.707106781186547524400844362104849039L;
static constexpr long double rootTwo = 1.414213562373095048801688724209698079L;

/// erfcx by its continued fraction x + (1/2) / (x + (2/2) / (x + (3/2) / ...)), for x of at least 8.
static long double erfcxFraction(long double x) {
  long double tail = x;
  for (int i = 60; i > 0; --i)
    tail = x + i / 2.0L / tail;
  return 1 / (rootPi * tail);
}

/// exp(x * x) without the error that rounding x * x would make.
static long double expOfSquare(double x) {
  long double square = static_cast<long double>(x) * x;
  long double highPart = float(x), lowPart = x - highPart; // 24 and at most 29 bits: the products are exact
  long double error = (highPart * highPart - square) + 2 * highPart * lowPart + lowPart * lowPart;
  return expl(square) * (1 + error);
}

long double scaledComplementaryError(double x) {
  if (x >= 8)
    return erfcxFraction(x);
  if (x < -27)
    return std::isinf(x) || x * x > 11000 ? INFINITY : 2 * expOfSquare(x);
  return expOfSquare(x) * erfcl(x);
}

/// A first guess for the inverse of erf, within about a thousandth. `complement` is 1 - |x|; the result is positive.
static long double guessInverse(long double complement) {
  long double logarithm = logl(complement * (2 - complement));
  constexpr long double a = 0.147L;
  long double part = 4 / (twoPi * a) + logarithm / 2;
  return sqrtl(sqrtl(part * part - logarithm / a) - part);
}

/// Solves erf(y) = x, 0 < x <= 1/2, by Halley's method.
static long double solveError(long double x) {
  long double y = x < 1e-3L ? x * rootPi / 2 : guessInverse(1 - x);
  for (int i = 0; i < 4; ++i) {
    long double step = (erfl(y) - x) * rootPi / 2 * expl(y * y);
    y -= step / (1 + y * step);
  }
  return y;
}

/// Solves erfc(y) = x, 0 < x < 1/2, by Newton's method for the logarithms of both sides, which are nearly parabolas.
static long double solveComplement(long double x) {
  long double y = guessInverse(x);
  for (int i = 0; i < 6; ++i) {
    long double value = erfcl(y);
    long double difference = log1pl((value - x) / x);
    y += difference * value * rootPi / 2 * expl(y * y);
  }
  return y;
}

long double inverseError(long double x) {
  long double magnitude = fabsl(x);
  if (!(magnitude < 1))
    return magnitude == 1 ? x * INFINITY : NAN;
  if (x == 0)
    return x;
  long double y = magnitude <= 0.5L ? solveError(magnitude) : solveComplement(1 - magnitude);
  return copysignl(y, x);
}

long double inverseComplementaryError(long double x) {
  if (x >= 0.5L && x <= 1.5L)
    return inverseError(1 - x);
  if (!(x > 0 && x < 2))
    return x == 0 ? INFINITY : x == 2 ? -INFINITY : NAN;
  return x < 1 ? solveComplement(x) : -solveComplement(2 - x);
}

/// The power series, all terms of which are positive.
static long double besselSeries(int order, long double x) {
  long double quarter = x * x / 4, term = order ? x / 2 : 1, sum = term;
  for (int k = 1; term > sum * 1e-22L; ++k) {
    term *= quarter / (static_cast<long double>(k) * (k + order));
    sum += term;
  }
  return sum;
}

/// The asymptotic series for large x, up to where its terms no longer matter.
static long double besselAsymptotic(int order, long double x) {
  long double term = 1, sum = 1;
  for (int k = 1; k < 100 && fabsl(term) > 1e-22L; ++k) {
    int odd = 2 * k - 1;
    term *= -(4.0L * order * order - static_cast<long double>(odd) * odd) / (8 * k * x);
    sum += term;
  }
  return expl(x) / sqrtl(twoPi * x) * sum;
}

long double modifiedBessel(int order, double x) {
  if (std::isnan(x))
    return x;
  long double magnitude = std::fabs(x);
  long double value = magnitude > 800  ? INFINITY
                      : magnitude < 35 ? besselSeries(order, magnitude)
                                       : besselAsymptotic(order, magnitude);
  return order && std::signbit(x) ? -value : value;
}

} // namespace cufort::rt::emulated

using namespace cufort::rt::emulated;

namespace {

long double logGamma(long double x) {
  int sign;
  return lgammal_r(x, &sign);
}

/// The normal distribution and its inverse, by the error function.
long double normalDistribution(long double x) { return erfcl(-x * rootHalf) / 2; }
long double inverseNormal(long double p) { return p == 0.5L ? 0 : -rootTwo * inverseComplementaryError(2 * p); }

} // namespace

extern "C" {

float __nv_erff(float x) { return float(erf(double(x))); }
float __nv_erfcf(float x) { return float(erfc(double(x))); }
float __nv_erfcxf(float x) { return float(scaledComplementaryError(x)); }
float __nv_erfinvf(float x) { return float(inverseError(x)); }
float __nv_erfcinvf(float x) { return float(inverseComplementaryError(x)); }
float __nv_normcdff(float x) { return float(normalDistribution(x)); }
float __nv_normcdfinvf(float p) { return float(inverseNormal(p)); }
double __nv_erf(double x) { return double(erfl(x)); }
double __nv_erfc(double x) { return double(erfcl(x)); }
double __nv_erfcx(double x) { return double(scaledComplementaryError(x)); }
double __nv_erfinv(double x) { return double(inverseError(x)); }
double __nv_erfcinv(double x) { return double(inverseComplementaryError(x)); }
double __nv_normcdf(double x) { return double(normalDistribution(x)); }
double __nv_normcdfinv(double p) { return double(inverseNormal(p)); }

float __nv_tgammaf(float x) { return float(tgammal(x)); }
float __nv_lgammaf(float x) { return float(logGamma(x)); }
double __nv_tgamma(double x) { return double(tgammal(x)); }
double __nv_lgamma(double x) { return double(logGamma(x)); }

// Of negative order they are NaN on a GPU.
float __nv_j0f(float x) { return float(j0(double(x))); }
float __nv_j1f(float x) { return float(j1(double(x))); }
float __nv_jnf(int32_t n, float x) { return n < 0 ? NAN : float(jn(n, double(x))); }
float __nv_y0f(float x) { return float(y0(double(x))); }
float __nv_y1f(float x) { return float(y1(double(x))); }
float __nv_ynf(int32_t n, float x) { return n < 0 ? NAN : float(yn(n, double(x))); }
double __nv_j0(double x) { return double(j0l(x)); }
double __nv_j1(double x) { return double(j1l(x)); }
double __nv_jn(int32_t n, double x) { return n < 0 ? NAN : double(jnl(n, x)); }
double __nv_y0(double x) { return double(y0l(x)); }
double __nv_y1(double x) { return double(y1l(x)); }
double __nv_yn(int32_t n, double x) { return n < 0 ? NAN : double(ynl(n, x)); }
float __nv_cyl_bessel_i0f(float x) { return float(modifiedBessel(0, x)); }
float __nv_cyl_bessel_i1f(float x) { return float(modifiedBessel(1, x)); }
double __nv_cyl_bessel_i0(double x) { return double(modifiedBessel(0, x)); }
double __nv_cyl_bessel_i1(double x) { return double(modifiedBessel(1, x)); }

} // extern "C"
