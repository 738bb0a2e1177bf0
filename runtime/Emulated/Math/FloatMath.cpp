// real(4) functions of libdevice. Where the C library's function of that precision is not accurate to an ulp or so, the
// one of double precision is rounded, which is nearly always the correctly rounded result.
#include "runtime/Emulated/Math/DeviceMath.h"
#include "runtime/Emulated/Math/NanPayload.h"
#include "runtime/Emulated/Math/WideMath.h"
#include <climits>
#include <cmath>
#include <cstring>

using namespace cufort::rt::emulated;

extern "C" {

float __nv_floorf(float x) { return floorf(x); }
float __nv_ceilf(float x) { return ceilf(x); }
float __nv_truncf(float x) { return truncf(x); }
float __nv_roundf(float x) { return roundf(x); }
float __nv_rintf(float x) { return rintf(x); }
float __nv_nearbyintf(float x) { return nearbyintf(x); }
float __nv_fabsf(float x) { return fabsf(x); }
float __nv_copysignf(float x, float y) { return copysignf(x, y); }
float __nv_saturatef(float x) { return x >= 1 ? 1 : x > 0 ? x : 0; }
float __nv_fdimf(float x, float y) { return fdimf(x, y); }
float __nv_fmaf(float x, float y, float z) { return fmaf(x, y, z); }
float __nv_fmodf(float x, float y) { return fmodf(x, y); }
float __nv_remainderf(float x, float y) { return remainderf(x, y); }
float __nv_remquof(float x, float y, int32_t *quotient) {
  float remainder = remquof(x, y, quotient);
  *quotient = lowestBits(*quotient);
  return remainder;
}
float __nv_modff(float x, float *whole) { return modff(x, whole); }
float __nv_nextafterf(float x, float y) { return nextafterf(x, y); }
float __nv_ldexpf(float x, int32_t exponent) { return ldexpf(x, exponent); }
float __nv_scalbnf(float x, int32_t exponent) { return scalbnf(x, exponent); }
float __nv_logbf(float x) { return logbf(x); }
float __nv_fminf(float x, float y) { return minimum(x, y); }
float __nv_fmaxf(float x, float y) { return maximum(x, y); }

float __nv_frexpf(float x, int32_t *exponent) {
  *exponent = 0;
  return std::isfinite(x) ? frexpf(x, exponent) : x;
}

int32_t __nv_ilogbf(float x) {
  if (x == 0 || std::isnan(x))
    return INT_MIN;
  return std::isinf(x) ? INT_MAX : ilogbf(x);
}

int32_t __nv_isnanf(float x) { return std::isnan(x); }
int32_t __nv_isinff(float x) { return std::isinf(x); }
int32_t __nv_finitef(float x) { return std::isfinite(x); }
int32_t __nv_signbitf(float x) { return std::signbit(x); }

float __nv_nanf(const char *tag) {
  uint32_t bits = 0x7fc00000 | uint32_t(nanPayload(tag) & 0x3fffff);
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

float __nv_sqrtf(float x) { return sqrtf(x); }
float __nv_rsqrtf(float x) { return float(1 / sqrt(double(x))); }
float __nv_cbrtf(float x) { return float(cbrt(double(x))); }
float __nv_rcbrtf(float x) { return float(1 / cbrt(double(x))); }
float __nv_hypotf(float x, float y) { return float(normOf<double>(x, y)); }
float __nv_rhypotf(float x, float y) { return float(1 / normOf<double>(x, y)); }
float __nv_norm3df(float a, float b, float c) { return float(normOf<double>(a, b, c)); }
float __nv_rnorm3df(float a, float b, float c) { return float(1 / normOf<double>(a, b, c)); }
float __nv_norm4df(float a, float b, float c, float d) { return float(normOf<double>(a, b, c, d)); }
float __nv_rnorm4df(float a, float b, float c, float d) { return float(1 / normOf<double>(a, b, c, d)); }
float __nv_normf(int32_t dim, const float *t) { return float(norm<double>(t, dim)); }
float __nv_rnormf(int32_t dim, const float *t) { return float(1 / norm<double>(t, dim)); }

float __nv_sinf(float x) { return sinf(x); }
float __nv_cosf(float x) { return cosf(x); }
float __nv_tanf(float x) { return float(tan(double(x))); }
void __nv_sincosf(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
float __nv_asinf(float x) { return float(asin(double(x))); }
float __nv_acosf(float x) { return float(acos(double(x))); }
float __nv_atanf(float x) { return float(atan(double(x))); }
float __nv_atan2f(float x, float y) { return float(atan2(double(x), double(y))); }

float __nv_sinpif(float x) { return sinCosPi<double>(x).sine; }
float __nv_cospif(float x) { return sinCosPi<double>(x).cosine; }
void __nv_sincospif(float x, float *sine, float *cosine) {
  SinCos<float> both = sinCosPi<double>(x);
  *sine = both.sine;
  *cosine = both.cosine;
}

float __nv_expf(float x) { return expf(x); }
float __nv_exp2f(float x) { return exp2f(x); }
float __nv_exp10f(float x) { return float(exp10(double(x))); }
float __nv_expm1f(float x) { return float(expm1(double(x))); }
float __nv_logf(float x) { return logf(x); }
float __nv_log2f(float x) { return log2f(x); }
float __nv_log10f(float x) { return float(log10(double(x))); }
float __nv_log1pf(float x) { return float(log1p(double(x))); }
float __nv_sinhf(float x) { return float(sinh(double(x))); }
float __nv_coshf(float x) { return float(cosh(double(x))); }
float __nv_tanhf(float x) { return float(tanh(double(x))); }
float __nv_asinhf(float x) { return float(asinh(double(x))); }
float __nv_acoshf(float x) { return float(acosh(double(x))); }
float __nv_atanhf(float x) { return float(atanh(double(x))); }
float __nv_powf(float x, float y) { return powf(x, y); }

float __nv_powif(float x, int32_t exponent) { return integerPower(x, exponent); }

float __nv_fast_sinf(float x) { return sinf(x); }
float __nv_fast_cosf(float x) { return cosf(x); }
void __nv_fast_sincosf(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
float __nv_fast_tanf(float x) { return __nv_tanf(x); }
float __nv_fast_tanhf(float x) { return __nv_tanhf(x); }
float __nv_fast_expf(float x) { return expf(x); }
float __nv_fast_exp10f(float x) { return __nv_exp10f(x); }
float __nv_fast_logf(float x) { return logf(x); }
float __nv_fast_log2f(float x) { return log2f(x); }
float __nv_fast_log10f(float x) { return __nv_log10f(x); }
float __nv_fast_fdividef(float x, float y) { return x / y; }
// By logarithms: a negative base gives a NaN, and so does 0 to the power of 0.
float __nv_fast_powf(float x, float y) { return float(exp2(y * log2(double(x)))); }

} // extern "C"
