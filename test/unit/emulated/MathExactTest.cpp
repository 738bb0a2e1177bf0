// Functions of device code whose results are exact or correctly rounded: integers, rounding directions, conversions,
// classification and the other ones that work on representations.
#include "runtime/Emulated/Math/DeviceMath.h"
#include "test/unit/emulated/MathReference.h"
#include <algorithm>
#include <climits>
#include <gtest/gtest.h>

namespace cufort::rt::emulated {
namespace {

constexpr double inf = INFINITY;

template <typename Integer>
std::vector<Integer> integerSamples(unsigned count) {
  using Limits = std::numeric_limits<Integer>;
  std::mt19937_64 random(11);
  std::vector<Integer> samples{0, 1, Integer(-1), Limits::max(), Limits::min(), Integer(Limits::max() - 1), 2, 255};
  for (unsigned i = 0; i < count; ++i)
    samples.push_back(Integer(random() >> random() % 64));
  std::shuffle(samples.begin(), samples.end(), random);
  return samples;
}

TEST(MathExact, IntegersOf32Bits) {
  std::vector<int32_t> samples = integerSamples<int32_t>(2000);
  for (size_t i = 2; i < samples.size(); ++i) {
    int32_t a = samples[i], b = samples[i - 1], c = samples[i - 2];
    int64_t x = a, y = b;
    uint32_t ua = uint32_t(a), ub = uint32_t(b), uc = uint32_t(c);
    uint64_t ux = ua, uy = ub;
    EXPECT_EQ(__nv_min(a, b), std::min(x, y));
    EXPECT_EQ(__nv_max(a, b), std::max(x, y));
    EXPECT_EQ(__nv_umin(ua, ub), std::min(ux, uy));
    EXPECT_EQ(__nv_umax(ua, ub), std::max(ux, uy));
    EXPECT_EQ(__nv_mulhi(a, b), int32_t(x * y >> 32));
    EXPECT_EQ(__nv_umulhi(ua, ub), uint32_t(ux * uy >> 32));
    EXPECT_EQ(__nv_hadd(a, b), int32_t(std::floor(double(x + y) / 2)));
    EXPECT_EQ(__nv_rhadd(a, b), int32_t(std::ceil(double(x + y) / 2)));
    EXPECT_EQ(__nv_uhadd(ua, ub), uint32_t((ux + uy) / 2));
    EXPECT_EQ(__nv_urhadd(ua, ub), uint32_t((ux + uy + 1) / 2));
    EXPECT_EQ(__nv_sad(a, b, c), int32_t(uint32_t(std::llabs(x - y)) + uc));
    EXPECT_EQ(__nv_usad(ua, ub, uc), uint32_t(std::max(ux, uy) - std::min(ux, uy)) + uc);
    EXPECT_EQ(__nv_abs(a), int32_t(uint32_t(std::llabs(x))));
    int64_t a24 = (x & 0xffffff) - (x & 0x800000) * 2, b24 = (y & 0xffffff) - (y & 0x800000) * 2;
    EXPECT_EQ(__nv_mul24(a, b), int32_t(a24 * b24));
    EXPECT_EQ(__nv_umul24(ua, ub), uint32_t((ux & 0xffffff) * (uy & 0xffffff)));
    int bitsSet = 0, firstSet = 0, leadingZeros = 32;
    uint32_t reversed = 0, permuted = 0;
    for (int bit = 31; bit >= 0; --bit)
      if (ua >> bit & 1) {
        ++bitsSet;
        firstSet = bit + 1;
        leadingZeros = std::min(leadingZeros, 31 - bit);
        reversed |= 1u << (31 - bit);
      }
    EXPECT_EQ(__nv_popc(a), bitsSet);
    EXPECT_EQ(__nv_ffs(a), firstSet);
    EXPECT_EQ(__nv_clz(a), leadingZeros);
    EXPECT_EQ(__nv_brev(a), int32_t(reversed));
    for (int byte = 0; byte < 4; ++byte) {
      unsigned from = uc >> 4 * byte & 7;
      permuted |= ((from < 4 ? ua >> 8 * from : ub >> 8 * (from - 4)) & 0xff) << 8 * byte;
    }
    EXPECT_EQ(__nv_byte_perm(a, b, c), int32_t(permuted));
  }
}

TEST(MathExact, IntegersOf64Bits) {
  __extension__ typedef __int128 Wide;
  __extension__ typedef unsigned __int128 UnsignedWide;
  std::vector<int64_t> samples = integerSamples<int64_t>(2000);
  for (size_t i = 1; i < samples.size(); ++i) {
    int64_t a = samples[i], b = samples[i - 1];
    auto ua = uint64_t(a), ub = uint64_t(b);
    EXPECT_EQ(__nv_llmin(a, b), std::min(a, b));
    EXPECT_EQ(__nv_llmax(a, b), std::max(a, b));
    EXPECT_EQ(__nv_ullmin(ua, ub), std::min(ua, ub));
    EXPECT_EQ(__nv_ullmax(ua, ub), std::max(ua, ub));
    EXPECT_EQ(__nv_mul64hi(a, b), int64_t(Wide(a) * b >> 64));
    EXPECT_EQ(__nv_umul64hi(ua, ub), uint64_t(UnsignedWide(ua) * ub >> 64));
    EXPECT_EQ(__nv_llabs(a), a < 0 ? int64_t(0 - ua) : a);
    int32_t low = int32_t(uint32_t(ua)), high = int32_t(uint32_t(ua >> 32));
    EXPECT_EQ(__nv_popcll(a), __nv_popc(low) + __nv_popc(high));
    EXPECT_EQ(__nv_clzll(a), high ? __nv_clz(high) : 32 + __nv_clz(low));
    EXPECT_EQ(__nv_ffsll(a), low ? __nv_ffs(low) : high ? 32 + __nv_ffs(high) : 0);
    EXPECT_EQ(uint64_t(__nv_brevll(a)), uint64_t(uint32_t(__nv_brev(low))) << 32 | uint32_t(__nv_brev(high)));
    double real = __nv_hiloint2double(high, low);
    EXPECT_EQ(memcmp(&real, &a, 8), 0);
    EXPECT_EQ(__nv_double2hiint(real), high);
    EXPECT_EQ(__nv_double2loint(real), low);
    EXPECT_EQ(__nv_double_as_longlong(real), a);
    real = __nv_longlong_as_double(a);
    EXPECT_EQ(memcmp(&real, &a, 8), 0);
    float single = __nv_int_as_float(low), unsignedSingle = __nv_uint_as_float(uint32_t(low));
    EXPECT_EQ(memcmp(&single, &low, 4), 0);
    EXPECT_EQ(memcmp(&unsignedSingle, &low, 4), 0);
    EXPECT_EQ(__nv_float_as_int(single), low);
    EXPECT_EQ(__nv_float_as_uint(single), uint32_t(low));
  }
}

/// Rounding directions, in the order of the suffixes below.
enum Direction { Rn, Rz, Rd, Ru };

/// Rounds an exact value. The conversion of the compiler's library rounds to nearest.
template <typename Real>
Real rounded(Quad exact, int direction) {
  Real nearest = Real(exact);
  if (direction == Rn || Quad(nearest) == exact || isnanq(exact))
    return nearest;
  bool wantLess = direction == Rd || (direction == Rz && exact > 0);
  if (wantLess == (Quad(nearest) < exact))
    return nearest;
  return std::nextafter(nearest, wantLess ? Real(-INFINITY) : Real(INFINITY));
}

/// Equal, or both NaN; zeros need not have the same sign.
template <typename Real>
void expectSame(Real value, Real expected, const std::string &what) {
  EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)))
      << what << ": " << value << " instead of " << expected;
}

template <typename Real>
struct Arithmetic {
  Real (*add[4])(Real, Real), (*subtract[4])(Real, Real), (*multiply[4])(Real, Real), (*divide[4])(Real, Real);
  Real (*reciprocal[4])(Real), (*root[4])(Real);
  Real (*fused[4])(Real, Real, Real);
};

#define FOUR(name)                                                                                                     \
  { __nv_##name##_rn, __nv_##name##_rz, __nv_##name##_rd, __nv_##name##_ru }

/// Tries all directions on numbers of `digits` digits and exponents within `range`: exact in 113 bits.
template <typename Real>
void checkArithmetic(const Arithmetic<Real> &functions, int digits, int range) {
  std::mt19937_64 random(12);
  auto number = [&] {
    auto mantissa = Real(int64_t(random() >> (64 - digits)) - (int64_t(1) << (digits - 1)));
    return random() % 20 ? std::ldexp(mantissa, int(random() % unsigned(2 * range)) - range) : Real(0);
  };
  for (int i = 0; i < 20000; ++i) {
    Real a = number(), b = number(), c = number();
    Quad x = a, y = b;
    for (int d = 0; d < 4; ++d) {
      std::string what = std::to_string(double(a)) + " " + std::to_string(double(b)) + " " + std::to_string(d);
      expectSame(functions.add[d](a, b), rounded<Real>(x + y, d), "add " + what);
      expectSame(functions.subtract[d](a, b), rounded<Real>(x - y, d), "subtract " + what);
      expectSame(functions.multiply[d](a, b), rounded<Real>(x * y, d), "multiply " + what);
      expectSame(functions.fused[d](a, b, c), rounded<Real>(x * y + Quad(c), d), "fma " + what);
      // Quotients and roots that are not exact in 113 bits are not near the middle of two reals, either.
      expectSame(functions.divide[d](a, b), rounded<Real>(x / y, d), "divide " + what);
      expectSame(functions.reciprocal[d](b), rounded<Real>(1 / y, d), "reciprocal " + what);
      expectSame(functions.root[d](a), rounded<Real>(sqrtq(x), d), "root " + what);
    }
  }
}

TEST(MathExact, ArithmeticInAllDirections) {
  checkArithmetic<float>({FOUR(fadd), FOUR(fsub), FOUR(fmul), FOUR(fdiv), FOUR(frcp), FOUR(fsqrt), FOUR(fmaf)}, 24, 15);
  checkArithmetic<float>({FOUR(fadd), FOUR(fsub), FOUR(fmul), FOUR(fdiv), FOUR(frcp), FOUR(fsqrt), FOUR(fmaf_ieee)}, 24,
                         15);
  checkArithmetic<double>({FOUR(dadd), FOUR(dsub), FOUR(dmul), FOUR(ddiv), FOUR(drcp), FOUR(dsqrt), FOUR(fma)}, 40, 12);
}

TEST(MathExact, DirectionsAtTheLimits) {
  float large = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(__nv_fadd_rn(large, large), INFINITY);
  EXPECT_EQ(__nv_fadd_rz(large, large), large);
  EXPECT_EQ(__nv_fadd_rd(large, large), large);
  EXPECT_EQ(__nv_fadd_ru(-large, -large), -large);
  EXPECT_EQ(__nv_fmul_ru(tiny, tiny), tiny);
  EXPECT_EQ(__nv_fmul_rd(tiny, tiny), 0);
  EXPECT_EQ(__nv_fmul_rd(-tiny, tiny), -tiny);
  EXPECT_EQ(__nv_dadd_ru(1, 1e-300), 1 + std::numeric_limits<double>::epsilon());
  EXPECT_EQ(__nv_dadd_rd(1, -1e-300), 1 - std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(__nv_fma_ru(1, 1, 1e-300), 1 + std::numeric_limits<double>::epsilon());
  EXPECT_EQ(__nv_fma_rn(0x1p-1000, 0x1p-1000, 1), 1);
  EXPECT_TRUE(std::signbit(__nv_fadd_rd(1, -1))) << "an exact zero is negative when rounding down";
  EXPECT_FALSE(std::signbit(__nv_fadd_rn(1, -1)));
  EXPECT_EQ(__nv_frcp_rn(0), INFINITY);
  EXPECT_TRUE(std::isnan(__nv_fsqrt_rn(-1)));
  EXPECT_EQ(1.0 / 3, 0x1.5555555555555p-2) << "the caller's rounding direction is untouched";
}

template <typename Integer, typename Real>
void checkToInteger(Integer (*const functions[4])(Real), Integer ofNaN) {
  using Limits = std::numeric_limits<Integer>;
  std::mt19937_64 random(13);
  std::vector<Real> samples{Real(inf), Real(-inf), 0, Real(0.5), Real(-0.5), Real(1.5), Real(2.5), Real(-2.5)};
  for (int power = -3; power < 70; ++power)
    for (double factor : {1.0, 1 - 1e-7, 1 + 1e-7, 1 - 1.2e-16, 1 + 2.3e-16})
      for (double sign : {1.0, -1.0})
        samples.push_back(Real(sign * std::ldexp(factor, power)));
  for (int i = 0; i < 5000; ++i)
    samples.push_back(Real(std::ldexp(double(int64_t(random())), -int(random() % 66))));
  for (Real x : samples)
    for (int d = 0; d < 4; ++d) {
      Quad exact = d == Rn ? rintq(x) : d == Rz ? truncq(x) : d == Rd ? floorq(x) : ceilq(x);
      Integer expected = exact >= Quad(Limits::max())   ? Limits::max()
                         : exact <= Quad(Limits::min()) ? Limits::min()
                                                        : Integer(exact);
      EXPECT_EQ(functions[d](x), expected) << double(x) << " " << d;
    }
  for (int d = 0; d < 4; ++d)
    EXPECT_EQ(functions[d](Real(NAN)), ofNaN);
}

template <typename Integer, typename Real>
void checkFromInteger(Real (*const functions[4])(Integer)) {
  for (Integer x : integerSamples<Integer>(5000))
    for (int d = 0; d < 4; ++d)
      EXPECT_EQ(functions[d](x), rounded<Real>(Quad(x), d)) << x << " " << d;
}

#define TO_INTEGER(name, integer, real, ofNaN)                                                                         \
  {                                                                                                                    \
    integer (*const functions[4])(real) = FOUR(name);                                                                  \
    checkToInteger<integer, real>(functions, ofNaN);                                                                   \
  }
#define FROM_INTEGER(name, integer, real)                                                                              \
  {                                                                                                                    \
    real (*const functions[4])(integer) = FOUR(name);                                                                  \
    checkFromInteger<integer, real>(functions);                                                                        \
  }

TEST(MathExact, RealsToIntegers){TO_INTEGER(float2int, int32_t, float, 0) TO_INTEGER(float2uint, uint32_t, float, 0)
                                     TO_INTEGER(float2ll, int64_t, float, INT64_MIN)
                                         TO_INTEGER(float2ull, uint64_t, float, uint64_t(1) << 63)
                                             TO_INTEGER(double2int, int32_t, double, INT32_MIN)
                                                 TO_INTEGER(double2uint, uint32_t, double, uint32_t(1) << 31)
                                                     TO_INTEGER(double2ll, int64_t, double, INT64_MIN)
                                                         TO_INTEGER(double2ull, uint64_t, double, uint64_t(1) << 63)}

TEST(MathExact, IntegersToReals) {
  FROM_INTEGER(int2float, int32_t, float)
  FROM_INTEGER(uint2float, uint32_t, float)
  FROM_INTEGER(ll2float, int64_t, float)
  FROM_INTEGER(ull2float, uint64_t, float)
  FROM_INTEGER(ll2double, int64_t, double)
  FROM_INTEGER(ull2double, uint64_t, double)
  EXPECT_EQ(__nv_int2double_rn(INT_MIN), -2147483648.0);
  EXPECT_EQ(__nv_uint2double_rn(UINT_MAX), 4294967295.0);
}

TEST(MathExact, DoubleToFloat) {
  float (*const functions[4])(double) = FOUR(double2float);
  for (double x : sampleArguments(-1e300, 1e300, 20000, 14))
    for (int d = 0; d < 4; ++d)
      EXPECT_EQ(functions[d](x), rounded<float>(Quad(x), d)) << x << " " << d;
}

/// The value of a half, from its definition.
double halfValue(unsigned bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
  return bits >> 15 ? -magnitude : magnitude;
}

TEST(MathExact, Halves) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    float value = __nv_half2float(uint16_t(bits));
    if ((bits & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(value));
      continue;
    }
    EXPECT_EQ(value, (bits & 0x7fff) == 0x7c00 ? halfValue(bits) > 0 ? INFINITY : -INFINITY : halfValue(bits));
    EXPECT_EQ(__nv_float2half_rn(value), bits);
    if ((bits & 0x7fff) >= 0x7bff)
      continue;
    // Between this one and the next: ties go to the even one.
    auto next = float(halfValue(bits + 1)), middle = float((double(value) + double(next)) / 2);
    unsigned even = bits + (bits & 1);
    EXPECT_EQ(__nv_float2half_rn(middle), even);
    EXPECT_EQ(__nv_float2half_rn(std::nextafter(middle, value)), bits);
    EXPECT_EQ(__nv_float2half_rn(std::nextafter(middle, next)), bits + 1);
  }
  EXPECT_EQ(__nv_float2half_rn(65519.99f), 0x7bff);
  EXPECT_EQ(__nv_float2half_rn(65520.0f), 0x7c00);
  EXPECT_EQ(__nv_float2half_rn(-1e30f), 0xfc00);
  EXPECT_EQ(__nv_float2half_rn(1e-30f), 0);
  EXPECT_EQ(__nv_float2half_rn(NAN), 0x7fff);
}

TEST(MathExact, RoundingToIntegers) {
  const double samples[] = {0.5,   1.5,     2.5, -0.5, -2.5, 0.49999999999999994, 4503599627370497.5,
                            1e300, -1e-300, 7,   -3.7};
  for (double x : samples) {
    EXPECT_EQ(__nv_rint(x), double(rintq(x)));
    EXPECT_EQ(__nv_nearbyint(x), double(rintq(x)));
    EXPECT_EQ(__nv_round(x), double(roundq(x)));
    EXPECT_EQ(__nv_trunc(x), double(truncq(x)));
    EXPECT_EQ(__nv_floor(x), double(floorq(x)));
    EXPECT_EQ(__nv_ceil(x), double(ceilq(x)));
    auto f = float(x);
    EXPECT_EQ(__nv_rintf(f), float(rintq(f)));
    EXPECT_EQ(__nv_nearbyintf(f), float(rintq(f)));
    EXPECT_EQ(__nv_roundf(f), float(roundq(f)));
    EXPECT_EQ(__nv_truncf(f), float(truncq(f)));
    EXPECT_EQ(__nv_floorf(f), float(floorq(f)));
    EXPECT_EQ(__nv_ceilf(f), float(ceilq(f)));
  }
  EXPECT_EQ(__nv_llrint(2.5), 2);
  EXPECT_EQ(__nv_llround(2.5), 3);
  EXPECT_EQ(__nv_llround(-2.5), -3);
  EXPECT_EQ(__nv_llrintf(-3.5f), -4);
  EXPECT_EQ(__nv_llroundf(1e30f), INT64_MAX);
  EXPECT_EQ(__nv_llrint(-inf), INT64_MIN);
}

TEST(MathExact, PartsOfNumbers) {
  int32_t exponent = 7;
  double whole = 7;
  EXPECT_EQ(__nv_frexp(-40, &exponent), -0.625);
  EXPECT_EQ(exponent, 6);
  EXPECT_EQ(__nv_frexp(0x1p-1070, &exponent), 0.5);
  EXPECT_EQ(exponent, -1069);
  EXPECT_EQ(__nv_frexp(inf, &exponent), inf);
  EXPECT_EQ(exponent, 0);
  EXPECT_EQ(__nv_frexpf(0.75f, &exponent), 0.75f);
  EXPECT_EQ(exponent, 0);
  EXPECT_EQ(__nv_modf(-3.75, &whole), -0.75);
  EXPECT_EQ(whole, -3);
  EXPECT_EQ(__nv_modf(inf, &whole), 0);
  EXPECT_EQ(whole, inf);
  float wholef = 7;
  EXPECT_EQ(__nv_modff(2.5f, &wholef), 0.5f);
  EXPECT_EQ(wholef, 2);
  EXPECT_EQ(__nv_ldexp(3, -1074), 3 * std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(__nv_ldexpf(1, 200), INFINITY);
  EXPECT_EQ(__nv_scalbn(1, 10), 1024);
  EXPECT_EQ(__nv_scalbnf(1, -149), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(__nv_ilogb(0x1.8p-1060), -1060);
  EXPECT_EQ(__nv_ilogb(0), INT_MIN);
  EXPECT_EQ(__nv_ilogb(NAN), INT_MIN);
  EXPECT_EQ(__nv_ilogb(-inf), INT_MAX);
  EXPECT_EQ(__nv_ilogbf(0), INT_MIN);
  EXPECT_EQ(__nv_ilogbf(5), 2);
  EXPECT_EQ(__nv_ilogbf(INFINITY), INT_MAX);
  EXPECT_EQ(__nv_logb(0x1.8p-1060), -1060);
  EXPECT_EQ(__nv_logb(0), -inf);
  EXPECT_EQ(__nv_logbf(-9), 3);
  EXPECT_EQ(__nv_logb(-inf), inf);
}

TEST(MathExact, SignsAndKinds) {
  EXPECT_EQ(__nv_isnand(NAN), 1);
  EXPECT_EQ(__nv_isnand(inf), 0);
  EXPECT_EQ(__nv_isinfd(-inf), 1);
  EXPECT_EQ(__nv_isinfd(1), 0);
  EXPECT_EQ(__nv_isfinited(1e308), 1);
  EXPECT_EQ(__nv_isfinited(NAN), 0);
  EXPECT_EQ(__nv_signbitd(-0.0), 1);
  EXPECT_EQ(__nv_signbitd(3), 0);
  EXPECT_EQ(__nv_isnanf(NAN), 1);
  EXPECT_EQ(__nv_isinff(-INFINITY), 1);
  EXPECT_EQ(__nv_finitef(INFINITY), 0);
  EXPECT_EQ(__nv_signbitf(-0.0f), 1);
  EXPECT_EQ(__nv_fabs(-2), 2);
  EXPECT_EQ(__nv_fabsf(-2), 2);
  EXPECT_EQ(__nv_copysign(3, -0.0), -3);
  EXPECT_EQ(__nv_copysignf(-3, 1), 3);
  EXPECT_EQ(__nv_saturatef(NAN), 0);
  EXPECT_EQ(__nv_saturatef(-1), 0);
  EXPECT_EQ(__nv_saturatef(0.25f), 0.25f);
  EXPECT_EQ(__nv_saturatef(7), 1);
  EXPECT_EQ(__nv_nextafter(1, 2), 1 + std::numeric_limits<double>::epsilon());
  EXPECT_EQ(__nv_nextafterf(0, -1), -std::numeric_limits<float>::denorm_min());
  double withPayload = __nv_nan("0x123");
  EXPECT_TRUE(std::isnan(withPayload));
  EXPECT_EQ(__nv_double_as_longlong(withPayload), 0x7ff8000000000123);
  EXPECT_EQ(__nv_float_as_int(__nv_nanf("7")), 0x7fc00007);
  EXPECT_EQ(__nv_float_as_int(__nv_nanf("seven")), 0x7fc00000);
}

TEST(MathExact, MinimumAndMaximum) {
  EXPECT_EQ(__nv_fmin(NAN, 3), 3);
  EXPECT_EQ(__nv_fmax(-3, NAN), -3);
  EXPECT_TRUE(std::isnan(__nv_fmin(NAN, NAN)));
  EXPECT_TRUE(std::signbit(__nv_fmin(0.0, -0.0)));
  EXPECT_FALSE(std::signbit(__nv_fmax(-0.0, 0.0)));
  EXPECT_EQ(__nv_fminf(2, 5), 2);
  const float signaling = __nv_int_as_float(0x7f800001);
  EXPECT_EQ(__nv_fminf(2, signaling), 2);
  EXPECT_EQ(__nv_fmaxf(signaling, 2), 2);
  EXPECT_EQ(__nv_fmaxf(2, NAN), 2);
  EXPECT_TRUE(std::signbit(__nv_fminf(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(__nv_fmaxf(0.0f, -0.0f)));
}

TEST(MathExact, RemaindersWithQuotients) {
  std::mt19937_64 random(15);
  for (int i = 0; i < 3000; ++i) {
    double x = std::ldexp(double(int64_t(random())), -40), y = std::ldexp(double(int64_t(random()) | 1), -50);
    int32_t quotient = 0, quotientf = 0;
    EXPECT_EQ(__nv_remquo(x, y, &quotient), double(remainderq(x, y)));
    auto exact = int64_t(rintq(Quad(x) / y));
    EXPECT_EQ(std::abs(quotient), std::llabs(exact) & 7);
    EXPECT_TRUE(quotient == 0 || (quotient < 0) == (exact < 0));
    EXPECT_EQ(__nv_remquof(float(x), float(y), &quotientf), float(remainderq(float(x), float(y))));
    EXPECT_EQ(std::abs(quotientf), std::llabs(int64_t(rintq(Quad(float(x)) / float(y)))) & 7);
  }
}

TEST(MathExact, IntegerPowers) {
  EXPECT_EQ(__nv_powi(3, 33), 5559060566555523.0);
  EXPECT_EQ(__nv_powi(-2, 63), -0x1p63);
  EXPECT_EQ(__nv_powi(2, -10), 0x1p-10);
  EXPECT_EQ(__nv_powi(0, 0), 1);
  EXPECT_EQ(__nv_powi(2, INT_MIN), 0);
  EXPECT_EQ(__nv_powi(1, INT_MIN), 1);
  EXPECT_EQ(__nv_powif(-3, 5), -243);
  EXPECT_EQ(__nv_powif(0, -1), INFINITY);
}

TEST(MathExact, Rcp64h) {
  EXPECT_EQ(__nv_rcp64h(4), 0.25);
  EXPECT_EQ(__nv_double2loint(__nv_rcp64h(3)), 0);
  EXPECT_NEAR(__nv_rcp64h(3), 1.0 / 3, 1e-6);
  EXPECT_EQ(__nv_rcp64h(1e-310), inf) << "a subnormal number counts as zero";
  EXPECT_EQ(__nv_rcp64h(-inf), 0);
}

} // namespace
} // namespace cufort::rt::emulated
