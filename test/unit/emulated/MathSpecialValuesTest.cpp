// Infinities, NaN, zeros and arguments outside the domain, as CUDA's documentation of each function defines them.
#include "runtime/Emulated/Math/DeviceMath.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace cufort::rt::emulated {
namespace {

constexpr double inf = INFINITY, nan = NAN;

/// One value that a function of both precisions has.
struct Special {
  const char *name;
  double (*function)(double);
  float (*functionf)(float);
  double argument, value;
};

#define SPECIAL(name, argument, value)                                                                                 \
  { #name, __nv_##name, __nv_##name##f, argument, value }

const Special specials[] = {
    SPECIAL(sqrt, -1, nan),
    SPECIAL(sqrt, inf, inf),
    SPECIAL(sqrt, -0.0, -0.0),
    SPECIAL(rsqrt, 0, inf),
    SPECIAL(rsqrt, -0.0, -inf),
    SPECIAL(rsqrt, inf, 0),
    SPECIAL(rsqrt, -1, nan),
    SPECIAL(cbrt, -inf, -inf),
    SPECIAL(cbrt, -0.0, -0.0),
    SPECIAL(rcbrt, -0.0, -inf),
    SPECIAL(rcbrt, -inf, -0.0),
    SPECIAL(exp, -inf, 0),
    SPECIAL(exp, inf, inf),
    SPECIAL(exp, 0, 1),
    SPECIAL(exp2, 10, 1024),
    SPECIAL(exp2, -inf, 0),
    SPECIAL(exp10, 3, 1000),
    SPECIAL(exp10, -inf, 0),
    SPECIAL(expm1, -inf, -1),
    SPECIAL(expm1, -0.0, -0.0),
    SPECIAL(log, 0, -inf),
    SPECIAL(log, -1, nan),
    SPECIAL(log, inf, inf),
    SPECIAL(log, 1, 0),
    SPECIAL(log2, 8, 3),
    SPECIAL(log2, 0, -inf),
    SPECIAL(log10, 1000, 3),
    SPECIAL(log10, -1, nan),
    SPECIAL(log1p, -1, -inf),
    SPECIAL(log1p, -2, nan),
    SPECIAL(log1p, -0.0, -0.0),
    SPECIAL(sin, inf, nan),
    SPECIAL(sin, -0.0, -0.0),
    SPECIAL(cos, -inf, nan),
    SPECIAL(cos, 0, 1),
    SPECIAL(tan, inf, nan),
    SPECIAL(tan, -0.0, -0.0),
    SPECIAL(sinpi, inf, nan),
    SPECIAL(sinpi, -0.0, -0.0),
    SPECIAL(sinpi, 0.5, 1),
    SPECIAL(sinpi, -1.5, 1),
    SPECIAL(sinpi, 3, 0),
    SPECIAL(sinpi, -2, -0.0),
    SPECIAL(cospi, inf, nan),
    SPECIAL(cospi, 1, -1),
    SPECIAL(cospi, 0.5, 0),
    SPECIAL(cospi, -2.5, 0),
    SPECIAL(cospi, 1e30, 1),
    SPECIAL(asin, 2, nan),
    SPECIAL(asin, -0.0, -0.0),
    SPECIAL(acos, 1, 0),
    SPECIAL(acos, -1.5, nan),
    SPECIAL(atan, -0.0, -0.0),
    SPECIAL(sinh, -inf, -inf),
    SPECIAL(cosh, -inf, inf),
    SPECIAL(cosh, 0, 1),
    SPECIAL(tanh, -inf, -1),
    SPECIAL(tanh, -0.0, -0.0),
    SPECIAL(asinh, -inf, -inf),
    SPECIAL(acosh, 1, 0),
    SPECIAL(acosh, 0.5, nan),
    SPECIAL(atanh, -1, -inf),
    SPECIAL(atanh, 1, inf),
    SPECIAL(atanh, 1.5, nan),
    SPECIAL(erf, -inf, -1),
    SPECIAL(erf, -0.0, -0.0),
    SPECIAL(erfc, -inf, 2),
    SPECIAL(erfc, inf, 0),
    SPECIAL(erfcx, -inf, inf),
    SPECIAL(erfcx, inf, 0),
    SPECIAL(erfcx, -100, inf),
    SPECIAL(erfcx, 0, 1),
    SPECIAL(erfinv, 1, inf),
    SPECIAL(erfinv, -1, -inf),
    SPECIAL(erfinv, 1.1, nan),
    SPECIAL(erfinv, -0.0, -0.0),
    SPECIAL(erfcinv, 0, inf),
    SPECIAL(erfcinv, 2, -inf),
    SPECIAL(erfcinv, -1, nan),
    SPECIAL(erfcinv, 3, nan),
    SPECIAL(erfcinv, 1, 0),
    SPECIAL(normcdf, inf, 1),
    SPECIAL(normcdf, -inf, 0),
    SPECIAL(normcdf, 0, 0.5),
    SPECIAL(normcdfinv, 0, -inf),
    SPECIAL(normcdfinv, 1, inf),
    SPECIAL(normcdfinv, 1.5, nan),
    SPECIAL(normcdfinv, 0.5, 0),
    SPECIAL(tgamma, 0, inf),
    SPECIAL(tgamma, -0.0, -inf),
    SPECIAL(tgamma, -3, nan),
    SPECIAL(tgamma, -inf, nan),
    SPECIAL(tgamma, inf, inf),
    SPECIAL(tgamma, 5, 24),
    SPECIAL(lgamma, 1, 0),
    SPECIAL(lgamma, 2, 0),
    SPECIAL(lgamma, -3, inf),
    SPECIAL(lgamma, -inf, inf),
    SPECIAL(lgamma, 0, inf),
    SPECIAL(j0, inf, 0),
    SPECIAL(j0, 0, 1),
    SPECIAL(j1, -0.0, -0.0),
    SPECIAL(j1, -inf, -0.0),
    SPECIAL(y0, 0, -inf),
    SPECIAL(y0, -1, nan),
    SPECIAL(y0, inf, 0),
    SPECIAL(y1, 0, -inf),
    SPECIAL(y1, -1, nan),
    SPECIAL(cyl_bessel_i0, -inf, inf),
    SPECIAL(cyl_bessel_i0, 0, 1),
    SPECIAL(cyl_bessel_i1, 0, 0),
    SPECIAL(cyl_bessel_i1, -inf, -inf),
};

bool same(double value, double expected) {
  if (std::isnan(expected))
    return std::isnan(value);
  return value == expected && std::signbit(value) == std::signbit(expected);
}

TEST(MathSpecialValues, OfOneArgument) {
  for (const Special &special : specials) {
    double value = special.function(special.argument);
    float valuef = special.functionf(float(special.argument));
    EXPECT_TRUE(same(value, special.value)) << special.name << "(" << special.argument << ") = " << value;
    EXPECT_TRUE(same(valuef, special.value)) << special.name << "f(" << special.argument << ") = " << valuef;
    EXPECT_TRUE(std::isnan(special.function(nan))) << special.name;
    EXPECT_TRUE(std::isnan(special.functionf(NAN))) << special.name << "f";
  }
}

TEST(MathSpecialValues, OfPowers) {
  struct {
    double x, y, power;
  } cases[] = {{0, -1, inf},    {-0.0, -3, -inf}, {-0.0, 3, -0.0}, {-1, inf, 1},     {1, nan, 1},
               {nan, 0, 1},     {-2, 0.5, nan},   {-2, 3, -8},     {0.5, -inf, inf}, {2, -inf, 0},
               {-inf, 3, -inf}, {-inf, -3, -0.0}, {inf, -1, 0},    {0, 0, 1},        {-8, 1.0 / 3, nan}};
  for (auto &test : cases) {
    EXPECT_TRUE(same(__nv_pow(test.x, test.y), test.power)) << test.x << " ** " << test.y;
    EXPECT_TRUE(same(__nv_powf(float(test.x), float(test.y)), test.power)) << test.x << " ** " << test.y;
  }
  EXPECT_TRUE(std::isnan(__nv_fast_powf(-2, 3))) << "by logarithms";
  EXPECT_FLOAT_EQ(__nv_fast_powf(2, 0.5f), std::sqrt(2.0f));
}

TEST(MathSpecialValues, OfAtan2) {
  const double pi = std::acos(-1);
  EXPECT_EQ(__nv_atan2(0, -1), pi);
  EXPECT_EQ(__nv_atan2(-0.0, -1), -pi);
  EXPECT_TRUE(same(__nv_atan2(-0.0, 1), -0.0));
  EXPECT_EQ(__nv_atan2(inf, -inf), 3 * pi / 4);
  EXPECT_EQ(__nv_atan2f(0, -1), float(pi));
  EXPECT_EQ(__nv_atan2f(-INFINITY, 1), float(-pi / 2));
}

TEST(MathSpecialValues, OfNorms) {
  const double withInfinity[] = {1, nan, inf};
  const float withInfinityf[] = {1, NAN, -INFINITY};
  EXPECT_EQ(__nv_hypot(inf, nan), inf);
  EXPECT_EQ(__nv_hypotf(-INFINITY, NAN), INFINITY);
  EXPECT_DOUBLE_EQ(__nv_hypot(3e200, 4e200), 5e200);
  EXPECT_EQ(__nv_hypot(3e-320, 4e-320), 5e-320);
  EXPECT_EQ(__nv_rhypot(0, 0), inf);
  EXPECT_EQ(__nv_rhypot(inf, 1), 0);
  EXPECT_EQ(__nv_rhypotf(0, 0), INFINITY);
  EXPECT_EQ(__nv_norm3d(inf, nan, 0), inf);
  EXPECT_EQ(__nv_rnorm3d(inf, nan, 0), 0);
  EXPECT_EQ(__nv_norm(3, withInfinity), inf);
  EXPECT_EQ(__nv_normf(3, withInfinityf), INFINITY);
  EXPECT_EQ(__nv_norm(0, nullptr), 0);
  EXPECT_TRUE(std::isnan(__nv_norm4df(1, 2, NAN, 3)));
}

TEST(MathSpecialValues, OfBesselFunctionsWithOrder) {
  EXPECT_TRUE(std::isnan(__nv_jn(-1, 2)));
  EXPECT_TRUE(std::isnan(__nv_ynf(-1, 2)));
  EXPECT_EQ(__nv_jn(3, 0), 0);
  EXPECT_EQ(__nv_yn(3, 0), -inf);
  EXPECT_TRUE(std::isnan(__nv_yn(2, -1)));
  EXPECT_EQ(__nv_jnf(0, 0), 1);
}

TEST(MathSpecialValues, BothResultsOfSinCos) {
  for (double x : {0.0, 0.3, -2.5, 100.0, 1e10}) {
    double sine, cosine;
    float sinef, cosinef;
    auto f = float(x);
    __nv_sincos(x, &sine, &cosine);
    EXPECT_EQ(sine, __nv_sin(x));
    EXPECT_EQ(cosine, __nv_cos(x));
    __nv_sincospi(x, &sine, &cosine);
    EXPECT_EQ(sine, __nv_sinpi(x));
    EXPECT_EQ(cosine, __nv_cospi(x));
    __nv_sincosf(f, &sinef, &cosinef);
    EXPECT_EQ(sinef, __nv_sinf(f));
    EXPECT_EQ(cosinef, __nv_cosf(f));
    __nv_sincospif(f, &sinef, &cosinef);
    EXPECT_EQ(sinef, __nv_sinpif(f));
    EXPECT_EQ(cosinef, __nv_cospif(f));
    __nv_fast_sincosf(f, &sinef, &cosinef);
    EXPECT_EQ(sinef, __nv_fast_sinf(f));
    EXPECT_EQ(cosinef, __nv_fast_cosf(f));
  }
}

TEST(MathSpecialValues, FastVariantsAreNotWorse) {
  for (float x : {0.1f, 0.5f, 1.0f, 3.0f, 7.5f}) {
    EXPECT_EQ(__nv_fast_expf(x), __nv_expf(x));
    EXPECT_EQ(__nv_fast_exp10f(x), __nv_exp10f(x));
    EXPECT_EQ(__nv_fast_logf(x), __nv_logf(x));
    EXPECT_EQ(__nv_fast_log2f(x), __nv_log2f(x));
    EXPECT_EQ(__nv_fast_log10f(x), __nv_log10f(x));
    EXPECT_EQ(__nv_fast_tanf(x), __nv_tanf(x));
    EXPECT_EQ(__nv_fast_tanhf(x), __nv_tanhf(x));
    EXPECT_EQ(__nv_fast_fdividef(x, 3), x / 3);
  }
}

TEST(MathSpecialValues, FusedMultiplyAddRoundsOnce) {
  EXPECT_EQ(__nv_fma(1 + 0x1p-30, 1 + 0x1p-30, -1), 0x1p-29 + 0x1p-60);
  EXPECT_EQ(__nv_fmaf(1 + 0x1p-13f, 1 + 0x1p-13f, -1), 0x1p-12f + 0x1p-26f);
}

} // namespace
} // namespace cufort::rt::emulated
