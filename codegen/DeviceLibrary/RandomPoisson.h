// Poisson numbers, by the methods that cuRAND chooses by the mean; see RandomDistributions.h for the generators.
#pragma once

#include "codegen/DeviceLibrary/RandomDistributions.h"

extern "C" float __nv_floorf(float);

namespace cufort::device {

//===-- A GPU's approximate functions, which decide what the numbers are ------------------------------------------===//

#ifdef __NVPTX__
CUFORT_INLINE float roughInverseRoot(float x) { return __nvvm_rsqrt_approx_ftz_f(x); }
CUFORT_INLINE float roughReciprocal(float x) { return __nvvm_rcp_approx_ftz_f(x); }
CUFORT_INLINE float roughExp(float x) { return __nvvm_ex2_approx_ftz_f(float(x * 0x1.71547652b82fep+0)); }
CUFORT_INLINE float roughLog(float x) { return float(__nvvm_lg2_approx_ftz_f(x) * 0x1.62e42fefa39efp-1); }
#else
CUFORT_INLINE float roughInverseRoot(float x) { return 1 / __nv_sqrtf(x); }
CUFORT_INLINE float roughReciprocal(float x) { return 1 / x; }
CUFORT_INLINE float roughExp(float x) { return __nv_expf(x); }
CUFORT_INLINE float roughLog(float x) { return __nv_logf(x); }
#endif

//===-- Means below 64: D. E. Knuth, The Art of Computer Programming, 3.4.1 ---------------------------------------===//

template <typename State>
CUFORT_INLINE uint32_t poissonByProducts(State &state, float mean) {
  uint32_t count = 0;
#pragma clang loop unroll(disable)
  for (float product = __nv_expf(mean) * uniform(state); product > 1; product *= uniform(state))
    ++count;
  return count;
}

//===-- Means to 4000: rejection from a distribution like the incomplete gamma function's -------------------------===//

/// y = (1 + exp(slope (mean - x) - shift))^-2 comes close to the probability of a gamma number of that mean below x.
struct GammaFit {
  float mean, slope, shift;
};
CUFORT_INLINE GammaFit fitGamma(float mean) {
  constexpr float small = 0.00025361074907033f;
  float slope = __nv_fmaf(1.43248035075540910f, roughInverseRoot(mean - 0.12400979329415655f), small);
  float shift = __nv_fmaf(0.21096734870196546f, roughInverseRoot(mean - 1.97381164089999420f), 0.94201734077887530f);
  return {mean, slope, shift};
}
CUFORT_INLINE float probabilityBelow(const GammaFit &fit, float x) {
  float root = 1 + roughExp(__nv_fmaf(fit.slope, fit.mean - x, -fit.shift));
  return roughReciprocal(root * root);
}
CUFORT_INLINE float quantile(const GammaFit &fit, float probability) {
  float distance = fit.shift + roughLog(roughInverseRoot(probability) - 1);
  return __nv_fmaf(-distance, roughReciprocal(fit.slope), fit.mean);
}

/// log((n - 1)!), for n > 8 by Stirling's series.
CUFORT_INLINE double logFactorialBelow(int n) {
  if (n <= 8) {
    double factorial = 1;
#pragma clang loop unroll(disable)
    for (int i = 2; i < n; ++i)
      factorial *= i;
    return __nv_log(factorial);
  }
  constexpr double series[] = {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
  double inverse = 1.0 / n, square = inverse * inverse, sum = 1.0 / 156;
#pragma unroll
  for (double coefficient : series)
    sum = __nv_fma(sum, square, coefficient);
  constexpr double halfLogTwoPi = 0.91893853320467274178;
  return __nv_fma(sum, inverse, halfLogTwoPi) + __nv_fma(__nv_log(double(n)), n - 0.5, -double(n));
}

template <typename State>
CUFORT_INLINE uint32_t poissonByRejection(State &state, float mean) {
  const GammaFit fit = fitGamma(mean);
  const float logMean = roughLog(mean);
  while (true) {
    float count = __nv_floorf(quantile(fit, uniform(state)));
    float bound = (probabilityBelow(fit, count + 1) - probabilityBelow(fit, count)) * 1.3f;
    float height = uniform(state) * bound;
    int below = int(1 + count);
    float logFactorial = float(logFactorialBelow(below < 0 ? -below : below));
    float probability = roughExp(__nv_fmaf(count, logMean, -mean) - logFactorial);
    if (height < probability && bound >= 1e-20)
      return uint32_t(count);
  }
}

//===-- Large means, and one word for one number ------------------------------------------------------------------===//

CUFORT_INLINE uint32_t poissonOfNormal(double normal, double mean) {
  return uint32_t(__nv_fma(__nv_sqrt(mean), normal, mean) + 0.5);
}

/// In (0, 1), never 1.
CUFORT_INLINE double openUniform(uint32_t word) { return word * 0x1p-32 + 0x1p-33; }
CUFORT_INLINE double openUniform(uint64_t word) { return (word >> 11) * 0x1p-53 + 0x1p-55; }

/// Adds up probabilities until they exceed a uniform number. exp(-mean) comes in factors that do not underflow.
template <typename Word>
CUFORT_INLINE uint32_t poissonByInversion(Word word, double mean) {
  constexpr int part = 500;
  const double target = openUniform(word);
  double probability = 1, sum = 1;
  uint32_t count = 0;
  int done = 0;
  do {
    double factor = __nv_exp(mean > done + part ? -double(part) : done - mean);
    probability *= factor;
    sum *= factor;
    done += part;
#pragma clang loop unroll(disable)
    while (target > sum) {
      double ratio = mean / ++count;
      sum = __nv_fma(probability, ratio, sum);
      probability *= ratio;
    }
  } while (done < mean);
  return count;
}
template <typename Word>
CUFORT_INLINE uint32_t poissonOfWord(Word word, double mean) {
  return mean < 1000 ? poissonByInversion(word, mean) : poissonOfNormal(toNormalDouble(word), mean);
}

template <typename State>
CUFORT_INLINE uint32_t poisson(State &state, double mean) {
  if (mean < 64)
    return poissonByProducts(state, float(mean));
  if (mean > 4000)
    return poissonOfNormal(normalDouble(state), mean);
  return poissonByRejection(state, float(mean));
}

} // namespace cufort::device
