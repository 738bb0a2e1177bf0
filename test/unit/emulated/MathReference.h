// Comparing functions of device code with references of 113 bits.
#pragma once

#include "test/unit/emulated/QuadMath.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace cufort::rt::emulated {

/// Arguments to try: `count` numbers from `low` to `high`, half of them uniformly, half with uniform exponents, and the
/// special values that lie in between.
template <typename Real>
std::vector<Real> sampleArguments(Real low, Real high, unsigned count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Real> samples;
  auto uniform = [&] { return std::generate_canonical<double, 53>(random); };
  auto withRandomExponent = [&](Real limit) { // from the smallest normal number to the limit
    Real smallest = std::numeric_limits<Real>::min();
    if (std::fabs(limit) <= smallest)
      return limit;
    double logarithm =
        std::log(double(smallest)) + uniform() * (std::log(std::fabs(double(limit))) - std::log(double(smallest)));
    return std::copysign(Real(std::exp(logarithm)), limit);
  };
  for (unsigned i = 0; i < count; ++i) {
    double part = uniform();
    samples.push_back(Real(double(low) * (1 - part) + double(high) * part));
    samples.push_back(withRandomExponent(i % 2 ? low : high));
  }
  const double special[] = {0.0, -0.0, 0.5, -0.5, 1, -1, 1.5, 2, -2, 3, 4, 10, 1e-40, 5e-324, 1e10, 9007199254740993.0};
  for (double value : special)
    samples.push_back(Real(value));
  samples.push_back(low);
  samples.push_back(high);
  std::vector<Real> inside;
  for (Real sample : samples)
    if (sample >= low && sample <= high)
      inside.push_back(sample);
  return inside;
}

/// Returns how far `value` is from `reference`, in units of the last place of a `Real` there. Values of different
/// kinds (NaN, infinite, of the other sign) are infinitely far apart.
template <typename Real>
double errorInUlps(Real value, Quad reference) {
  using Limits = std::numeric_limits<Real>;
  if (isnanq(reference) || std::isnan(value))
    return isnanq(reference) && std::isnan(value) ? 0 : INFINITY;
  Quad overflow =
      ldexpq(1, Limits::max_exponent) * (1 - ldexpq(1, -Limits::digits - 1)); // where rounding goes to infinity
  if (fabsq(reference) >= overflow || std::isinf(value)) {
    if (fabsq(reference) >= overflow && std::isinf(value))
      return std::signbit(value) == bool(signbitq(reference)) ? 0 : INFINITY;
    return fabsq(reference) >= Quad(Limits::max()) && std::fabs(value) >= Limits::max() ? 1 : INFINITY;
  }
  if (reference == 0)
    return value == 0 ? 0 : INFINITY;
  int exponent;
  frexpq(reference, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  return double(fabsq(Quad(value) - reference) / ldexpq(1, exponent - Limits::digits));
}

/// The largest error over some arguments, and where it is.
template <typename Real>
struct Worst {
  double ulps = 0;
  Real x = 0, y = 0;
  void note(double error, Real atX, Real atY = 0) {
    if (error > ulps) {
      ulps = error;
      x = atX;
      y = atY;
    }
  }
  std::string text() const {
    char buffer[100];
    snprintf(buffer, sizeof buffer, "%g ulps at %.17g (%a), %.17g", ulps, double(x), double(x), double(y));
    return buffer;
  }
};

} // namespace cufort::rt::emulated
