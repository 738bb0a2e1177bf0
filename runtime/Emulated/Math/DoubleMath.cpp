// real(8) functions of libdevice. Where the C library's double precision is not accurate to an ulp or so, its extended
// precision (64 bits) is rounded, which is nearly always the correctly rounded result.
#include "runtime/Emulated/Math/DeviceMath.h"
#include "runtime/Emulated/Math/NanPayload.h"
#include "runtime/Emulated/Math/WideMath.h"
#include <climits>
#include <cmath>
#include <cstring>

using namespace cufort::rt::emulated;

extern "C" {

double __nv_floor(double x) { return floor(x); }
double __nv_ceil(double x) { return ceil(x); }
double __nv_trunc(double x) { return trunc(x); }
double __nv_round(double x) { return round(x); }
double __nv_rint(double x) { return rint(x); }
double __nv_nearbyint(double x) { return nearbyint(x); }
double __nv_fabs(double x) { return fabs(x); }
double __nv_copysign(double x, double y) { return copysign(x, y); }
double __nv_fdim(double x, double y) { return fdim(x, y); }
double __nv_fma(double x, double y, double z) { return fma(x, y, z); }
double __nv_fmod(double x, double y) { return fmod(x, y); }
double __nv_remainder(double x, double y) { return remainder(x, y); }
double __nv_remquo(double x, double y, int32_t *quotient) {
  double remainder = remquo(x, y, quotient);
  *quotient = lowestBits(*quotient);
  return remainder;
}
double __nv_modf(double x, double *whole) { return modf(x, whole); }
double __nv_nextafter(double x, double y) { return nextafter(x, y); }
double __nv_ldexp(double x, int32_t exponent) { return ldexp(x, exponent); }
double __nv_scalbn(double x, int32_t exponent) { return scalbn(x, exponent); }
double __nv_logb(double x) { return logb(x); }
double __nv_fmin(double x, double y) { return minimum(x, y); }
double __nv_fmax(double x, double y) { return maximum(x, y); }

double __nv_frexp(double x, int32_t *exponent) {
  *exponent = 0;
  return std::isfinite(x) ? frexp(x, exponent) : x;
}

int32_t __nv_ilogb(double x) {
  if (x == 0 || std::isnan(x))
    return INT_MIN;
  return std::isinf(x) ? INT_MAX : ilogb(x);
}

int32_t __nv_isnand(double x) { return std::isnan(x); }
int32_t __nv_isinfd(double x) { return std::isinf(x); }
int32_t __nv_isfinited(double x) { return std::isfinite(x); }
int32_t __nv_signbitd(double x) { return std::signbit(x); }

double __nv_nan(const char *tag) {
  uint64_t bits = 0x7ff8000000000000 | (nanPayload(tag) & 0x7ffffffffffff);
  double result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

double __nv_sqrt(double x) { return sqrt(x); }
double __nv_rsqrt(double x) { return double(1 / sqrtl(x)); }
double __nv_cbrt(double x) { return double(cbrtl(x)); }
double __nv_rcbrt(double x) { return double(1 / cbrtl(x)); }
double __nv_hypot(double x, double y) { return double(normOf<long double>(x, y)); }
double __nv_rhypot(double x, double y) { return double(1 / normOf<long double>(x, y)); }
double __nv_norm3d(double a, double b, double c) { return double(normOf<long double>(a, b, c)); }
double __nv_rnorm3d(double a, double b, double c) { return double(1 / normOf<long double>(a, b, c)); }
double __nv_norm4d(double a, double b, double c, double d) { return double(normOf<long double>(a, b, c, d)); }
double __nv_rnorm4d(double a, double b, double c, double d) { return double(1 / normOf<long double>(a, b, c, d)); }
double __nv_norm(int32_t dim, const double *t) { return double(norm<long double>(t, dim)); }
double __nv_rnorm(int32_t dim, const double *t) { return double(1 / norm<long double>(t, dim)); }

// The processor's approximation uses and gives the upper 32 bits only, and knows no subnormal numbers.
double __nv_rcp64h(double x) {
  auto upper = [](double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= 0xffffffff00000000;
    memcpy(&value, &bits, sizeof bits);
    return std::fpclassify(value) == FP_SUBNORMAL ? copysign(0, value) : value;
  };
  return upper(1 / upper(x));
}

double __nv_sin(double x) { return sin(x); }
double __nv_cos(double x) { return cos(x); }
double __nv_tan(double x) { return tan(x); }
void __nv_sincos(double x, double *sine, double *cosine) { sincos(x, sine, cosine); }
double __nv_asin(double x) { return asin(x); }
double __nv_acos(double x) { return acos(x); }
double __nv_atan(double x) { return atan(x); }
double __nv_atan2(double x, double y) { return atan2(x, y); }

double __nv_sinpi(double x) { return sinCosPi<long double>(x).sine; }
double __nv_cospi(double x) { return sinCosPi<long double>(x).cosine; }
void __nv_sincospi(double x, double *sine, double *cosine) {
  SinCos<double> both = sinCosPi<long double>(x);
  *sine = both.sine;
  *cosine = both.cosine;
}

double __nv_exp(double x) { return exp(x); }
double __nv_exp2(double x) { return exp2(x); }
double __nv_exp10(double x) { return double(exp10l(x)); }
double __nv_expm1(double x) { return double(expm1l(x)); }
double __nv_log(double x) { return log(x); }
double __nv_log2(double x) { return log2(x); }
double __nv_log10(double x) { return double(log10l(x)); }
double __nv_log1p(double x) { return double(log1pl(x)); }
double __nv_sinh(double x) { return double(sinhl(x)); }
double __nv_cosh(double x) { return double(coshl(x)); }
double __nv_tanh(double x) { return double(tanhl(x)); }
double __nv_asinh(double x) { return double(asinhl(x)); }
double __nv_acosh(double x) { return double(acoshl(x)); }
double __nv_atanh(double x) { return double(atanhl(x)); }
double __nv_pow(double x, double y) { return pow(x, y); }

double __nv_powi(double x, int32_t exponent) { return integerPower(x, exponent); }

} // extern "C"
