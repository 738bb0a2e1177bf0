// Functions that the C library lacks, computed in a wider type than that of their arguments: double for real(4),
// long double for real(8).
#pragma once

#include <cmath>

namespace cufort::rt::emulated {

/// Returns the square root of the sum of `count` squares. `Wide` must hold the square of any `Real`. An infinite
/// coordinate makes it infinite, even if another one is a NaN.
template <typename Wide, typename Real>
Wide norm(const Real *first, int count) {
  Wide sum = 0;
  for (int i = 0; i < count; ++i) {
    if (std::isinf(first[i]))
      return INFINITY;
    sum += Wide(first[i]) * first[i];
  }
  return std::sqrt(sum);
}

/// The same for coordinates that are given one by one.
template <typename Wide, typename Real, typename... Reals>
Wide normOf(Real first, Reals... others) {
  const Real list[] = {first, others...};
  return norm<Wide>(list, 1 + int(sizeof...(others)));
}

template <typename Real>
struct SinCos {
  Real sine, cosine;
};

/// Returns sin(pi x) and cos(pi x). The argument is reduced exactly, so integers and halves give exact results.
template <typename Wide, typename Real>
SinCos<Real> sinCosPi(Real x) {
  if (!std::isfinite(x))
    return {x - x, x - x};
  constexpr Wide pi = 3.141592653589793238462643383279502884L;
  Real reduced = std::fmod(x, Real(2)), quarter = std::nearbyint(2 * reduced);
  Wide rest = (reduced - quarter / 2) * pi;
  auto s = Real(std::sin(rest)), c = Real(std::cos(rest));
  const SinCos<Real> byQuarter[] = {{s, c}, {c, -s}, {-s, -c}, {-c, s}};
  SinCos<Real> result = byQuarter[int(quarter) & 3];
  // The signs of exact zeros: of the argument for the sine, positive for the cosine.
  if (result.sine == 0)
    result.sine = std::copysign(Real(0), x);
  if (result.cosine == 0)
    result.cosine = 0;
  return result;
}

/// Returns x to the power of an integer by squaring, as a GPU does it: powers of small integers are exact, others
/// round at each step.
template <typename Real>
Real integerPower(Real x, int exponent) {
  Real result = 1;
  for (unsigned rest = exponent < 0 ? -unsigned(exponent) : unsigned(exponent);; x *= x) {
    if (rest & 1)
      result *= x;
    rest >>= 1;
    if (!rest)
      return exponent < 0 ? 1 / result : result;
  }
}

/// What PTX's min and max do: -0 is less than +0, and a NaN, of either kind, gives way to a number.
template <typename Real>
Real minimum(Real x, Real y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(y) ? x : y;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}
template <typename Real>
Real maximum(Real x, Real y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(y) ? x : y;
  return x > y || (x == y && !std::signbit(x)) ? x : y;
}

/// Leaves of a quotient what remquo promises, its sign and lowest three bits, as a GPU does.
inline int lowestBits(int quotient) { return quotient < 0 ? -(-quotient & 7) : quotient & 7; }

} // namespace cufort::rt::emulated
