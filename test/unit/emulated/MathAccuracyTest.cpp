// The accuracy of the real functions of device code against references of 113 bits. The bounds are those that the CUDA
// programming guide's tables of maximum errors give for a GPU.
#include "runtime/Emulated/Math/DeviceMath.h"
#include "test/unit/emulated/MathReference.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace cufort::rt::emulated {
namespace {

constexpr double huge = 1e308;
constexpr float hugef = 3e38f;
const Quad pi = acosq(-1);

// References that libquadmath does not have. Arguments of sin and cos are reduced exactly.
Quad sinPi(Quad x) {
  Quad r = fmodq(x, 2);
  r = r > 1 ? r - 2 : r < -1 ? r + 2 : r;
  r = r > Quad(0.5) ? 1 - r : r < Quad(-0.5) ? -1 - r : r;
  return sinq(pi * r);
}
Quad cosPi(Quad x) {
  Quad r = fabsq(fmodq(x, 2));
  r = r > 1 ? 2 - r : r;
  return r == Quad(0.5) ? 0 : r < Quad(0.25) || r > Quad(0.75) ? cosq(pi * r) : sinq(pi * (Quad(0.5) - r));
}
Quad exp10Of(Quad x) { return powq(10, x); }
Quad exp2Of(Quad x) { return powq(2, x); }
Quad rsqrtOf(Quad x) { return 1 / sqrtq(x); }
Quad rcbrtOf(Quad x) { return 1 / cbrtq(x); }
Quad erfcxOf(Quad x) {
  if (x < 90)
    return expq(x * x) * erfcq(x);
  Quad y = 1 / (2 * x * x); // the asymptotic series
  return (1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y * (1 - 9 * y))))) / (x * sqrtq(pi));
}
Quad normcdfOf(Quad x) { return erfcq(-x * sqrtq(Quad(0.5))) / 2; }

/// Improves `y` until erf(y) = x, or erfc(y) = complement, to all digits.
Quad solveErf(Quad x, Quad y) {
  for (int i = 0; i < 3; ++i)
    y -= (erfq(y) - x) * sqrtq(pi) / 2 * expq(y * y);
  return y;
}
Quad solveErfc(Quad x, Quad y) {
  for (int i = 0; i < 3; ++i)
    y += (erfcq(y) - x) * sqrtq(pi) / 2 * expq(y * y);
  return y;
}
Quad erfinvOf(Quad x) {
  Quad magnitude = fabsq(x);
  if (magnitude >= 1)
    return magnitude == 1 ? x * Quad(INFINITY) : Quad(NAN);
  auto start = Quad(__nv_erfinv(double(magnitude)));
  Quad y = magnitude < Quad(0.5) ? solveErf(magnitude, start) : solveErfc(1 - magnitude, start);
  return copysignq(y, x);
}
Quad erfcinvOf(Quad x) {
  if (x >= Quad(0.25) && x <= 2)
    return x == 2 ? -Quad(INFINITY) : x > Quad(1.5) ? -erfcinvOf(2 - x) : erfinvOf(1 - x);
  if (x <= 0 || x > 2)
    return x == 0 ? Quad(INFINITY) : Quad(NAN);
  return solveErfc(x, Quad(__nv_erfcinv(double(x))));
}
Quad normcdfinvOf(Quad x) { return -sqrtq(2) * erfcinvOf(2 * x); }
Quad besselI(int order, Quad x) {
  Quad term = order ? x / 2 : 1, sum = term;
  for (int k = 1; k < 2000 && fabsq(term) > fabsq(sum) * Quad(1e-36); ++k) {
    term *= x * x / 4 / (Quad(k) * (k + order));
    sum += term;
  }
  return sum;
}
Quad besselI0(Quad x) { return besselI(0, x); }
Quad besselI1(Quad x) { return besselI(1, x); }

template <typename Real>
struct UnaryCase {
  const char *name;
  Real (*function)(Real);
  Quad (*reference)(Quad);
  Real low, high;
  double maxUlps;
};

template <typename Real>
void checkUnary(const UnaryCase<Real> &test) {
  Worst<Real> worst;
  for (Real x : sampleArguments(test.low, test.high, 3000, 17))
    worst.note(errorInUlps(test.function(x), test.reference(Quad(x))), x);
  if (getenv("CUFORT_SHOW_ULPS"))
    printf("%-20s %s\n", test.name, worst.text().c_str());
  EXPECT_LE(worst.ulps, test.maxUlps) << test.name << ": " << worst.text();
}

#define FLOAT(name, reference, low, high, ulps)                                                                        \
  { #name, __nv_##name, reference, low, high, ulps }

TEST(MathAccuracy, Real4) {
  const UnaryCase<float> cases[] = {
      FLOAT(sqrtf, sqrtq, 0, hugef, 0.5),
      FLOAT(rsqrtf, rsqrtOf, 1e-38f, hugef, 2),
      FLOAT(frsqrt_rn, rsqrtOf, 1e-38f, hugef, 0.5),
      FLOAT(cbrtf, cbrtq, -hugef, hugef, 1),
      FLOAT(rcbrtf, rcbrtOf, 1e-38f, hugef, 1),
      FLOAT(expf, expq, -110, 100, 2),
      FLOAT(exp2f, exp2Of, -155, 140, 2),
      FLOAT(exp10f, exp10Of, -47, 40, 2),
      FLOAT(expm1f, expm1q, -100, 100, 1),
      FLOAT(logf, logq, 0, hugef, 1),
      FLOAT(logf, logq, 0.5f, 2, 1),
      FLOAT(log2f, log2q, 0, hugef, 1),
      FLOAT(log2f, log2q, 0.5f, 2, 1),
      FLOAT(log10f, log10q, 0, hugef, 2),
      FLOAT(log1pf, log1pq, -1, hugef, 1),
      FLOAT(log1pf, log1pq, -0.9f, 1, 1),
      FLOAT(sinf, sinq, -100, 100, 2),
      FLOAT(sinf, sinq, -hugef, hugef, 2),
      FLOAT(cosf, cosq, -100, 100, 2),
      FLOAT(cosf, cosq, -hugef, hugef, 2),
      FLOAT(tanf, tanq, -100, 100, 4),
      FLOAT(tanf, tanq, -hugef, hugef, 4),
      FLOAT(sinpif, sinPi, -50, 50, 1),
      FLOAT(sinpif, sinPi, -hugef, hugef, 1),
      FLOAT(cospif, cosPi, -50, 50, 1),
      FLOAT(cospif, cosPi, -hugef, hugef, 1),
      FLOAT(asinf, asinq, -1, 1, 2),
      FLOAT(acosf, acosq, -1, 1, 2),
      FLOAT(atanf, atanq, -hugef, hugef, 2),
      FLOAT(atanf, atanq, -5, 5, 2),
      FLOAT(sinhf, sinhq, -100, 100, 3),
      FLOAT(coshf, coshq, -100, 100, 2),
      FLOAT(tanhf, tanhq, -20, 20, 2),
      FLOAT(asinhf, asinhq, -hugef, hugef, 3),
      FLOAT(acoshf, acoshq, 1, hugef, 4),
      FLOAT(acoshf, acoshq, 1, 3, 4),
      FLOAT(atanhf, atanhq, -1, 1, 3),
      FLOAT(erff, erfq, -6, 6, 2),
      FLOAT(erfcf, erfcq, -6, 11, 4),
      FLOAT(erfcxf, erfcxOf, -10, hugef, 4),
      FLOAT(erfcxf, erfcxOf, -3, 20, 4),
      FLOAT(erfinvf, erfinvOf, -1, 1, 2),
      FLOAT(erfcinvf, erfcinvOf, 0, 2, 4),
      FLOAT(normcdff, normcdfOf, -15, 15, 5),
      FLOAT(normcdfinvf, normcdfinvOf, 0, 1, 5),
      FLOAT(tgammaf, tgammaq, -40, 36, 5),
      FLOAT(lgammaf, lgammaq, -2.2f, 1e30f, 6),
      FLOAT(j0f, j0q, -8, 8, 9),
      FLOAT(j1f, j1q, -8, 8, 9),
      FLOAT(y0f, y0q, 1e-30f, 8, 9),
      FLOAT(y1f, y1q, 1e-30f, 8, 9),
      FLOAT(cyl_bessel_i0f, besselI0, -95, 95, 6),
      FLOAT(cyl_bessel_i1f, besselI1, -95, 95, 6),
  };
  for (const UnaryCase<float> &test : cases)
    checkUnary(test);
}

TEST(MathAccuracy, Real8) {
  const UnaryCase<double> cases[] = {
      FLOAT(sqrt, sqrtq, 0, huge, 0.5),
      FLOAT(rsqrt, rsqrtOf, 1e-307, huge, 1),
      FLOAT(cbrt, cbrtq, -huge, huge, 1),
      FLOAT(rcbrt, rcbrtOf, 1e-307, huge, 1),
      FLOAT(exp, expq, -760, 720, 1),
      FLOAT(exp2, exp2Of, -1080, 1030, 1),
      FLOAT(exp10, exp10Of, -330, 310, 1),
      FLOAT(expm1, expm1q, -100, 720, 1),
      FLOAT(log, logq, 0, huge, 1),
      FLOAT(log, logq, 0.5, 2, 1),
      FLOAT(log2, log2q, 0, huge, 1),
      FLOAT(log2, log2q, 0.5, 2, 1),
      FLOAT(log10, log10q, 0, huge, 1),
      FLOAT(log10, log10q, 0.5, 2, 1),
      FLOAT(log1p, log1pq, -1, huge, 1),
      FLOAT(log1p, log1pq, -0.9, 1, 1),
      FLOAT(sin, sinq, -100, 100, 2),
      FLOAT(sin, sinq, -huge, huge, 2),
      FLOAT(cos, cosq, -100, 100, 2),
      FLOAT(cos, cosq, -huge, huge, 2),
      FLOAT(tan, tanq, -100, 100, 2),
      FLOAT(tan, tanq, -huge, huge, 2),
      FLOAT(sinpi, sinPi, -50, 50, 2),
      FLOAT(sinpi, sinPi, -huge, huge, 2),
      FLOAT(cospi, cosPi, -50, 50, 2),
      FLOAT(cospi, cosPi, -huge, huge, 2),
      FLOAT(asin, asinq, -1, 1, 2),
      FLOAT(acos, acosq, -1, 1, 2),
      FLOAT(atan, atanq, -huge, huge, 2),
      FLOAT(atan, atanq, -5, 5, 2),
      FLOAT(sinh, sinhq, -720, 720, 2),
      FLOAT(cosh, coshq, -720, 720, 1),
      FLOAT(tanh, tanhq, -30, 30, 1),
      FLOAT(asinh, asinhq, -huge, huge, 3),
      FLOAT(acosh, acoshq, 1, huge, 3),
      FLOAT(acosh, acoshq, 1, 3, 3),
      FLOAT(atanh, atanhq, -1, 1, 2),
      FLOAT(erf, erfq, -8, 8, 2),
      FLOAT(erfc, erfcq, -8, 28, 5),
      FLOAT(erfcx, erfcxOf, -27, huge, 4),
      FLOAT(erfcx, erfcxOf, -27, 30, 4),
      FLOAT(erfinv, erfinvOf, -1, 1, 5),
      FLOAT(erfcinv, erfcinvOf, 0, 2, 6),
      FLOAT(normcdf, normcdfOf, -39, 10, 5),
      FLOAT(normcdfinv, normcdfinvOf, 0, 1, 8),
      FLOAT(tgamma, tgammaq, -180, 172, 10),
      FLOAT(lgamma, lgammaq, -2.2, 1e300, 4),
      FLOAT(j0, j0q, -8, 8, 7),
      FLOAT(j1, j1q, -8, 8, 10),
      FLOAT(y0, y0q, 1e-300, 8, 7),
      FLOAT(y1, y1q, 1e-300, 8, 10),
      FLOAT(cyl_bessel_i0, besselI0, -720, 720, 6),
      FLOAT(cyl_bessel_i1, besselI1, -720, 720, 6),
  };
  for (const UnaryCase<double> &test : cases)
    checkUnary(test);
}

template <typename Real>
struct BinaryCase {
  const char *name;
  Real (*function)(Real, Real);
  Quad (*reference)(Quad, Quad);
  Real lowX, highX, lowY, highY;
  double maxUlps;
};

Quad rhypotOf(Quad x, Quad y) { return 1 / hypotq(x, y); }

template <typename Real>
void checkBinary(const BinaryCase<Real> &test) {
  std::vector<Real> xs = sampleArguments(test.lowX, test.highX, 3000, 5),
                    ys = sampleArguments(test.lowY, test.highY, 3000, 6);
  std::mt19937 random(8);
  std::shuffle(ys.begin(), ys.end(), random);
  Worst<Real> worst;
  for (size_t i = 0; i < std::min(xs.size(), ys.size()); ++i)
    worst.note(errorInUlps(test.function(xs[i], ys[i]), test.reference(Quad(xs[i]), Quad(ys[i]))), xs[i], ys[i]);
  if (getenv("CUFORT_SHOW_ULPS"))
    printf("%-20s %s\n", test.name, worst.text().c_str());
  EXPECT_LE(worst.ulps, test.maxUlps) << test.name << ": " << worst.text();
}

#define BINARY(name, reference, lowX, highX, lowY, highY, ulps)                                                        \
  { #name, __nv_##name, reference, lowX, highX, lowY, highY, ulps }

TEST(MathAccuracy, TwoArguments) {
  const BinaryCase<float> floats[] = {
      BINARY(powf, powq, 0, hugef, -20, 20, 4),
      BINARY(powf, powq, 0.5f, 2, -150, 150, 4),
      BINARY(atan2f, atan2q, -hugef, hugef, -hugef, hugef, 3),
      BINARY(hypotf, hypotq, -hugef, hugef, -hugef, hugef, 3),
      BINARY(rhypotf, rhypotOf, 1e-30f, hugef, 1e-30f, hugef, 2),
      BINARY(fmodf, fmodq, -hugef, hugef, -hugef, hugef, 0),
      BINARY(remainderf, remainderq, -hugef, hugef, -hugef, hugef, 0),
      BINARY(fdimf, fdimq, -10, 10, -10, 10, 0.5),
  };
  const BinaryCase<double> doubles[] = {
      BINARY(pow, powq, 0, huge, -20, 20, 2),
      BINARY(pow, powq, 0.5, 2, -1100, 1100, 2),
      BINARY(atan2, atan2q, -huge, huge, -huge, huge, 2),
      BINARY(hypot, hypotq, -huge, huge, -huge, huge, 2),
      BINARY(rhypot, rhypotOf, 1e-300, huge, 1e-300, huge, 1),
      BINARY(fmod, fmodq, -huge, huge, -huge, huge, 0),
      BINARY(remainder, remainderq, -huge, huge, -huge, huge, 0),
      BINARY(fdim, fdimq, -10, 10, -10, 10, 0.5),
  };
  for (const BinaryCase<float> &test : floats)
    checkBinary(test);
  for (const BinaryCase<double> &test : doubles)
    checkBinary(test);
}

/// Bessel functions beyond 8, where the tables bound the absolute error.
TEST(MathAccuracy, BesselFunctionsOfLargeArguments) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    double x = 8 + 1000 * std::generate_canonical<double, 53>(random);
    int n = int(random() % 129);
    EXPECT_NEAR(__nv_j0(x), double(j0q(x)), 5e-12);
    EXPECT_NEAR(__nv_j1(x), double(j1q(x)), 5e-12);
    EXPECT_NEAR(__nv_y0(x), double(y0q(x)), 5e-12);
    EXPECT_NEAR(__nv_y1(x), double(y1q(x)), 5e-12);
    EXPECT_NEAR(__nv_j0f(float(x)), double(j0q(float(x))), 2.2e-6);
    EXPECT_NEAR(__nv_y1f(float(x)), double(y1q(float(x))), 2.2e-6);
    EXPECT_NEAR(__nv_jn(n, x), double(jnq(n, x)), 5e-12) << n << " " << x;
    EXPECT_NEAR(__nv_jnf(n, float(x)), double(jnq(n, float(x))), 2.2e-6) << n << " " << x;
    auto y = double(ynq(n, x));
    EXPECT_NEAR(__nv_yn(n, x), y, 1e-11 * std::max(1.0, std::fabs(y))) << n << " " << x;
    auto yf = double(ynq(n, float(x)));
    if (std::fabs(yf) < hugef) {
      EXPECT_NEAR(__nv_ynf(n, float(x)), yf, 1e-5 * std::max(1.0, std::fabs(yf))) << n << " " << x;
    }
  }
}

template <typename Real>
Quad sumOfSquares(const Real *x, int count) {
  Quad sum = 0;
  for (int i = 0; i < count; ++i)
    sum += Quad(x[i]) * x[i];
  return sum;
}

template <typename Real>
std::vector<Real> randomVector(std::mt19937 &random, int size) {
  std::vector<Real> result;
  for (int i = 0; i < size; ++i)
    result.push_back(std::ldexp(Real(random() % 1000) - 500, int(random() % 100) - 50));
  return result;
}

TEST(MathAccuracy, Norms) {
  std::mt19937 random(4);
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> d = randomVector<double>(random, 9);
    std::vector<float> f = randomVector<float>(random, 9);
    EXPECT_LE(errorInUlps(__nv_norm3d(d[0], d[1], d[2]), sqrtq(sumOfSquares(d.data(), 3))), 2);
    EXPECT_LE(errorInUlps(__nv_rnorm3d(d[0], d[1], d[2]), 1 / sqrtq(sumOfSquares(d.data(), 3))), 2);
    EXPECT_LE(errorInUlps(__nv_norm4d(d[0], d[1], d[2], d[3]), sqrtq(sumOfSquares(d.data(), 4))), 2);
    EXPECT_LE(errorInUlps(__nv_rnorm4d(d[0], d[1], d[2], d[3]), 1 / sqrtq(sumOfSquares(d.data(), 4))), 2);
    EXPECT_LE(errorInUlps(__nv_norm(9, d.data()), sqrtq(sumOfSquares(d.data(), 9))), 2);
    EXPECT_LE(errorInUlps(__nv_rnorm(9, d.data()), 1 / sqrtq(sumOfSquares(d.data(), 9))), 2);
    EXPECT_LE(errorInUlps(__nv_norm3df(f[0], f[1], f[2]), sqrtq(sumOfSquares(f.data(), 3))), 2);
    EXPECT_LE(errorInUlps(__nv_rnorm3df(f[0], f[1], f[2]), 1 / sqrtq(sumOfSquares(f.data(), 3))), 2);
    EXPECT_LE(errorInUlps(__nv_norm4df(f[0], f[1], f[2], f[3]), sqrtq(sumOfSquares(f.data(), 4))), 2);
    EXPECT_LE(errorInUlps(__nv_rnorm4df(f[0], f[1], f[2], f[3]), 1 / sqrtq(sumOfSquares(f.data(), 4))), 2);
    EXPECT_LE(errorInUlps(__nv_normf(9, f.data()), sqrtq(sumOfSquares(f.data(), 9))), 2);
    EXPECT_LE(errorInUlps(__nv_rnormf(9, f.data()), 1 / sqrtq(sumOfSquares(f.data(), 9))), 2);
  }
}

} // namespace
} // namespace cufort::rt::emulated
