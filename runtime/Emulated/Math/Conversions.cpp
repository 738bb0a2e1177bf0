// Conversions between integers, real(2), real(4) and real(8) in a given rounding direction, as PTX's cvt defines them:
// a number that does not fit becomes the nearest one that does.
#include "runtime/Emulated/Math/DeviceMath.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace {

enum class Direction { Nearest, TowardsZero, Down, Up };

template <typename Real>
Real toIntegral(Real x, Direction direction) {
  switch (direction) {
  case Direction::Nearest:
    return std::nearbyint(x);
  case Direction::TowardsZero:
    return std::trunc(x);
  case Direction::Down:
    return std::floor(x);
  case Direction::Up:
    break;
  }
  return std::ceil(x);
}

/// What PTX makes of a NaN: 0 from real(4) to 32 bits, else the integer with only the highest bit set.
template <typename Integer, typename Real>
constexpr Integer fromNaN() {
  if (sizeof(Integer) == 4 && sizeof(Real) == 4)
    return 0;
  return Integer(uint64_t(1) << (sizeof(Integer) * 8 - 1));
}

template <typename Integer, typename Real>
Integer toInteger(Real x, Direction direction) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(x))
    return fromNaN<Integer, Real>();
  x = toIntegral(x, direction);
  // 2 to the power of the digits is the first value above the range, and exact in every real type.
  Real above = std::ldexp(Real(1), Limits::digits);
  if (x >= above)
    return Limits::max();
  if (x <= (Limits::is_signed ? -above : Real(0)))
    return Limits::min();
  return Integer(x);
}

/// Rounds a magnitude to the digits of `Real`. `direction` is relative to the magnitude: TowardsZero or Up cut or
/// raise.
template <typename Real>
Real roundMagnitude(uint64_t magnitude, Direction direction) {
  constexpr int digits = std::numeric_limits<Real>::digits;
  int excess = magnitude ? 64 - __builtin_clzll(magnitude) - digits : 0;
  if (excess <= 0)
    return Real(magnitude);
  uint64_t kept = magnitude >> excess, rest = magnitude & ((uint64_t(1) << excess) - 1);
  uint64_t half = uint64_t(1) << (excess - 1);
  bool raise = direction == Direction::Nearest ? rest > half || (rest == half && (kept & 1))
                                               : direction == Direction::Up && rest != 0;
  return std::ldexp(Real(kept + raise), excess);
}

template <typename Real>
Real fromUnsigned(uint64_t x, Direction direction) {
  return roundMagnitude<Real>(x, direction == Direction::Down ? Direction::TowardsZero : direction);
}

template <typename Real>
Real fromSigned(int64_t x, Direction direction) {
  if (x >= 0)
    return fromUnsigned<Real>(uint64_t(x), direction);
  Direction mirrored = direction == Direction::Down ? Direction::Up
                       : direction == Direction::Up ? Direction::TowardsZero
                                                    : direction;
  return -roundMagnitude<Real>(-uint64_t(x), mirrored);
}

uint16_t halfFromFloat(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  auto sign = uint16_t(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return 0x7fff;        // the NaN of PTX
  if (bits >= 0x477ff000) // 65520, half way from the largest number to the next power of two
    return sign | 0x7c00;
  if (bits < 0x38800000) { // below 2**-14: units of 2**-24, the sum of which rounds to nearest even
    float magnitude;
    memcpy(&magnitude, &bits, sizeof bits);
    return sign | uint16_t(std::nearbyint(magnitude * 0x1p24f));
  }
  uint32_t rounded = bits + 0xfff + (bits >> 13 & 1);
  return sign | uint16_t((rounded - 0x38000000) >> 13);
}

float floatFromHalf(uint16_t half) {
  int exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff;
  float magnitude;
  if (exponent == 31)
    magnitude = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(float(mantissa), -24);
  else
    magnitude = std::ldexp(float(mantissa + 1024), exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

} // namespace

#define CUFORT_FOUR_CONVERSIONS(name, result, argument, function)                                                      \
  result __nv_##name##_rn(argument x) { return function(x, Direction::Nearest); }                                      \
  result __nv_##name##_rz(argument x) { return function(x, Direction::TowardsZero); }                                  \
  result __nv_##name##_rd(argument x) { return function(x, Direction::Down); }                                         \
  result __nv_##name##_ru(argument x) { return function(x, Direction::Up); }

extern "C" {

CUFORT_FOUR_CONVERSIONS(double2int, int32_t, double, toInteger<int32_t>)
CUFORT_FOUR_CONVERSIONS(double2uint, uint32_t, double, toInteger<uint32_t>)
CUFORT_FOUR_CONVERSIONS(double2ll, int64_t, double, toInteger<int64_t>)
CUFORT_FOUR_CONVERSIONS(double2ull, uint64_t, double, toInteger<uint64_t>)
CUFORT_FOUR_CONVERSIONS(float2int, int32_t, float, toInteger<int32_t>)
CUFORT_FOUR_CONVERSIONS(float2uint, uint32_t, float, toInteger<uint32_t>)
CUFORT_FOUR_CONVERSIONS(float2ll, int64_t, float, toInteger<int64_t>)
CUFORT_FOUR_CONVERSIONS(float2ull, uint64_t, float, toInteger<uint64_t>)
CUFORT_FOUR_CONVERSIONS(int2float, float, int32_t, fromSigned<float>)
CUFORT_FOUR_CONVERSIONS(uint2float, float, uint32_t, fromUnsigned<float>)
CUFORT_FOUR_CONVERSIONS(ll2float, float, int64_t, fromSigned<float>)
CUFORT_FOUR_CONVERSIONS(ull2float, float, uint64_t, fromUnsigned<float>)
CUFORT_FOUR_CONVERSIONS(ll2double, double, int64_t, fromSigned<double>)
CUFORT_FOUR_CONVERSIONS(ull2double, double, uint64_t, fromUnsigned<double>)

double __nv_int2double_rn(int32_t x) { return x; }
double __nv_uint2double_rn(uint32_t x) { return x; }
uint16_t __nv_float2half_rn(float x) { return halfFromFloat(x); }
float __nv_half2float(uint16_t x) { return floatFromHalf(x); }

int64_t __nv_llrintf(float x) { return toInteger<int64_t>(x, Direction::Nearest); }
int64_t __nv_llrint(double x) { return toInteger<int64_t>(x, Direction::Nearest); }
int64_t __nv_llroundf(float x) { return toInteger<int64_t>(std::round(x), Direction::TowardsZero); }
int64_t __nv_llround(double x) { return toInteger<int64_t>(std::round(x), Direction::TowardsZero); }

} // extern "C"
