// From random words to distributions, for the generators of module curand_device.
//
// A generator is a struct `State` with a function `next(State &)`, whose value is a word of 32 or 64 bits. The
// pseudorandom ones also have saved normals (a Box-Muller transform makes two), and the functions `fourWords`,
// `uniform`, `uniformDouble` and `uniformPair`. Which words go into a number, and how it is rounded, is what cuRAND
// does: the streams are the same. Fused operations are explicit, so they do not depend on the compilation.
#pragma once

#include "codegen/DeviceLibrary/Entry.h"
#include <stdint.h>

/// Everything is inlined, so that the state of a generator that is a local variable stays in registers.
#define CUFORT_INLINE inline __attribute__((always_inline))

extern "C" {
float __nv_fmaf(float, float, float);
double __nv_fma(double, double, double);
float __nv_sqrtf(float);
double __nv_sqrt(double);
float __nv_logf(float);
double __nv_log(double);
float __nv_expf(float);
double __nv_exp(double);
void __nv_fast_sincosf(float, float *, float *);
void __nv_sincospi(double, double *, double *);
float __nv_erfcinvf(float);
double __nv_erfcinv(double);
}

namespace cufort::device {

template <typename Real>
struct Pair {
  Real first, second;
};
struct FourWords {
  uint32_t words[4];
};

/// Why a saved number was saved; the values are those of cuRAND, whose states can be used.
enum SavedKind : int32_t { nothingSaved = 0, normalSaved = 1, logNormalSaved = 2 };

/// In (0, 1]: one word.
CUFORT_INLINE float toUniform(uint32_t word) { return float(word) * 0x1p-32f + 0x1p-33f; }
CUFORT_INLINE float toUniform(uint64_t word) { return toUniform(uint32_t(word >> 32)); }
CUFORT_INLINE double toUniformDouble(uint32_t word) { return word * 0x1p-32 + 0x1p-32; }
CUFORT_INLINE double toUniformDouble(uint64_t word) { return (word >> 11) * 0x1p-53 + 0x1p-54; }
/// 53 bits of two words.
CUFORT_INLINE uint64_t joined(uint32_t low, uint32_t high) { return low ^ uint64_t(high) << 21; }
CUFORT_INLINE double toUniformDouble(uint32_t low, uint32_t high) { return joined(low, high) * 0x1p-53 + 0x1p-54; }

/// Two normal numbers of a uniform one and an angle, G. E. P. Box and M. E. Muller (1958).
CUFORT_INLINE Pair<float> boxMuller(float uniform, float angle) {
  float radius = __nv_sqrtf(-2.0f * __nv_logf(uniform)), sine, cosine;
  __nv_fast_sincosf(angle, &sine, &cosine);
  return {radius * sine, radius * cosine};
}
/// The angle is a multiple of pi.
CUFORT_INLINE Pair<double> boxMuller(double uniform, double angle) {
  double radius = __nv_sqrt(-2.0 * __nv_log(uniform)), sine, cosine;
  __nv_sincospi(angle, &sine, &cosine);
  return {radius * sine, radius * cosine};
}
CUFORT_INLINE Pair<float> toNormals(uint32_t first, uint32_t second) {
  constexpr float twoPi = 0x1.921fb6p+2f;
  return boxMuller(toUniform(first), __nv_fmaf(float(second), twoPi * 0x1p-32f, twoPi * 0x1p-33f));
}
CUFORT_INLINE Pair<double> toNormals(FourWords four) {
  uint64_t angle = joined(four.words[2], four.words[3]);
  return boxMuller(toUniformDouble(four.words[0], four.words[1]), angle * 0x1p-52 + 0x1p-53);
}

/// A normal number by the inverse of its distribution function, from the half of it that loses no digits.
CUFORT_INLINE float toNormal(uint32_t word) {
  bool upper = word > 0x80000000u;
  float probability = toUniform(upper ? ~word : word);
  return (upper ? 0x1.6a09e6p+0f : -0x1.6a09e6p+0f) * __nv_erfcinvf(2.0f * probability);
}
CUFORT_INLINE float toNormal(uint64_t word) { return toNormal(uint32_t(word >> 32)); }
CUFORT_INLINE double toNormalDouble(double probability, bool upper) {
  return (upper ? 0x1.6a09e667f3bcdp+0 : -0x1.6a09e667f3bcdp+0) * __nv_erfcinv(2.0 * probability);
}
CUFORT_INLINE double toNormalDouble(uint32_t word) {
  bool upper = word > 0x80000000u;
  return toNormalDouble((upper ? ~word : word) * 0x1p-32 + 0x1p-33, upper);
}
CUFORT_INLINE double toNormalDouble(uint64_t word) {
  uint64_t bits = word >> 11;
  bool upper = bits > uint64_t(1) << 52;
  return toNormalDouble((upper ? ((uint64_t(1) << 53) - 1) - bits : bits) * 0x1p-53 + 0x1p-54, upper);
}

/// The uniform numbers and pairs of normals of a pseudorandom generator; some have their own.
template <typename State>
CUFORT_INLINE FourWords fourWords(State &state) {
  FourWords four;
#pragma unroll
  for (uint32_t &word : four.words)
    word = next(state);
  return four;
}
template <typename State>
CUFORT_INLINE float uniform(State &state) {
  return toUniform(next(state));
}
template <typename State>
CUFORT_INLINE double uniformDouble(State &state) {
  return toUniformDouble(next(state));
}
template <typename State>
CUFORT_INLINE Pair<float> normalPair(State &state) {
  uint32_t first = next(state), second = next(state);
  return toNormals(first, second);
}
template <typename State>
CUFORT_INLINE Pair<double> normalPairDouble(State &state) {
  return toNormals(fourWords(state));
}

CUFORT_INLINE float logNormalOf(float normal, float mean, float deviation) {
  return __nv_expf(__nv_fmaf(deviation, normal, mean));
}
CUFORT_INLINE double logNormalOf(double normal, double mean, double deviation) {
  return __nv_exp(__nv_fma(deviation, normal, mean));
}

/// The second number of a pair, if the last call has left one of this kind; else the first number of the next pair.
template <typename State, typename Function>
CUFORT_INLINE float halfOfPair(State &state, SavedKind kind, Function function) {
  if (state.savedKind == kind) {
    state.savedKind = nothingSaved;
    return state.saved;
  }
  Pair<float> pair = normalPair(state);
  state.saved = function(pair.second);
  state.savedKind = kind;
  return function(pair.first);
}
template <typename State, typename Function>
CUFORT_INLINE double halfOfPairDouble(State &state, SavedKind kind, Function function) {
  if (state.savedKindDouble == kind) {
    state.savedKindDouble = nothingSaved;
    return state.savedDouble;
  }
  Pair<double> pair = normalPairDouble(state);
  state.savedDouble = function(pair.second);
  state.savedKindDouble = kind;
  return function(pair.first);
}
template <typename State>
CUFORT_INLINE void forgetSaved(State &state) {
  state.savedKind = state.savedKindDouble = nothingSaved;
  state.saved = 0;
  state.savedDouble = 0;
}

template <typename State>
CUFORT_INLINE float normal(State &state) {
  return halfOfPair(state, normalSaved, [](float value) { return value; });
}
template <typename State>
CUFORT_INLINE double normalDouble(State &state) {
  return halfOfPairDouble(state, normalSaved, [](double value) { return value; });
}
template <typename State>
CUFORT_INLINE float logNormal(State &state, float mean, float deviation) {
  return halfOfPair(state, logNormalSaved, [=](float value) { return logNormalOf(value, mean, deviation); });
}
template <typename State>
CUFORT_INLINE double logNormalDouble(State &state, double mean, double deviation) {
  return halfOfPairDouble(state, logNormalSaved, [=](double value) { return logNormalOf(value, mean, deviation); });
}

} // namespace cufort::device

/// What module curand_device binds to for the generator that it calls `name`.
#define CUFORT_RANDOM_ENTRIES(name, State, Word)                                                                       \
  CUFX_ENTRY Word cufort_curandGet##name(State &state) { return next(state); }                                         \
  CUFX_ENTRY float cufort_curandUniform##name(State &state) { return uniform(state); }                                 \
  CUFX_ENTRY double cufort_curandUniformDouble##name(State &state) { return uniformDouble(state); }                    \
  CUFX_ENTRY float cufort_curandNormal##name(State &state) { return normal(state); }                                   \
  CUFX_ENTRY double cufort_curandNormalDouble##name(State &state) { return normalDouble(state); }                      \
  CUFX_ENTRY float cufort_curandLogNormal##name(State &state, float mean, float deviation) {                           \
    return logNormal(state, mean, deviation);                                                                          \
  }                                                                                                                    \
  CUFX_ENTRY float cufort_curandStandardLogNormal##name(State &state) { return logNormal(state, 0, 1); }               \
  CUFX_ENTRY double cufort_curandStandardLogNormalDouble##name(State &state) { return logNormalDouble(state, 0, 1); }  \
  CUFX_ENTRY double cufort_curandLogNormalDouble##name(State &state, double mean, double deviation) {                  \
    return logNormalDouble(state, mean, deviation);                                                                    \
  }                                                                                                                    \
  CUFX_ENTRY uint32_t cufort_curandPoisson##name(State &state, double mean) { return poisson(state, mean); }
