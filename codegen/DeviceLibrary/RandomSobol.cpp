// Sobol's quasirandom sequences, one dimension per state, in the order of the Gray code (I. A. Antonov and
// V. M. Saleev, 1979): each point is the one before with one direction number added to it without carry. A scrambled
// sequence starts from another word than 0.

#include "codegen/DeviceLibrary/RandomDistributions.h"
#include "codegen/DeviceLibrary/RandomPoisson.h"

namespace cufort::device {
namespace {

/// The layout is that of cuRAND's states.
template <typename Word>
struct Sobol {
  static constexpr unsigned bits = 8 * sizeof(Word);
  Word index, point, scramble;
  Word directions[bits];
};
using Sobol32 = Sobol<uint32_t>;
using Sobol64 = Sobol<uint64_t>;

CUFORT_INLINE unsigned lowestBit(uint32_t word) { return __builtin_ctz(word); }
CUFORT_INLINE unsigned lowestBit(uint64_t word) { return __builtin_ctzll(word); }

/// The bit that changes in the Gray code is the lowest 0 of the index; the last index of all changes the highest.
template <typename Word>
CUFORT_INLINE Word next(Sobol<Word> &state) {
  constexpr Word highest = Word(1) << (Sobol<Word>::bits - 1);
  Word point = state.point;
  state.point ^= state.directions[lowestBit(Word(~state.index | highest))];
  ++state.index;
  return point;
}

template <typename Word>
CUFORT_INLINE void skip(Sobol<Word> &state, Word count) {
  state.index += count;
  state.point = state.scramble;
  Word grayCode = state.index ^ state.index >> 1;
#pragma clang loop unroll_count(4)
  for (unsigned bit = 0; bit < Sobol<Word>::bits; ++bit)
    state.point ^= state.directions[bit] & -(grayCode >> bit & 1);
}

template <typename Word>
CUFORT_INLINE void initialise(const Word *directions, Word scramble, Word offset, Sobol<Word> &state) {
  for (unsigned bit = 0; bit < Sobol<Word>::bits; ++bit)
    state.directions[bit] = directions[bit];
  state.index = 0;
  state.scramble = scramble;
  skip(state, offset);
}

/// One point makes one number, whatever the distribution.
template <typename Word>
CUFORT_INLINE float normal(Sobol<Word> &state) {
  return toNormal(next(state));
}
template <typename Word>
CUFORT_INLINE double normalDouble(Sobol<Word> &state) {
  return toNormalDouble(next(state));
}
template <typename Word>
CUFORT_INLINE float logNormal(Sobol<Word> &state, float mean, float deviation) {
  return logNormalOf(normal(state), mean, deviation);
}
template <typename Word>
CUFORT_INLINE double logNormalDouble(Sobol<Word> &state, double mean, double deviation) {
  return logNormalOf(normalDouble(state), mean, deviation);
}
template <typename Word>
CUFORT_INLINE uint32_t poisson(Sobol<Word> &state, double mean) {
  return poissonOfWord(next(state), mean);
}

} // namespace

#define CUFORT_SOBOL_ENTRIES(bits)                                                                                     \
  CUFX_ENTRY void cufort_curandInitSobol##bits(const uint##bits##_t *directions, uint##bits##_t offset,                \
                                               Sobol##bits &state) {                                                   \
    initialise(directions, uint##bits##_t(0), offset, state);                                                          \
  }                                                                                                                    \
  CUFX_ENTRY void cufort_curandInitScrambledSobol##bits(const uint##bits##_t *directions, uint##bits##_t scramble,     \
                                                        uint##bits##_t offset, Sobol##bits &state) {                   \
    initialise(directions, scramble, offset, state);                                                                   \
  }                                                                                                                    \
  CUFX_ENTRY void cufort_curandSkipSobol##bits(uint##bits##_t count, Sobol##bits &state) { skip(state, count); }       \
  CUFX_ENTRY void cufort_curandSkipScrambledSobol##bits(uint##bits##_t count, Sobol##bits &state) {                    \
    skip(state, count);                                                                                                \
  }                                                                                                                    \
  CUFORT_RANDOM_ENTRIES(Sobol##bits, Sobol##bits, uint##bits##_t)                                                      \
  CUFORT_RANDOM_ENTRIES(ScrambledSobol##bits, Sobol##bits, uint##bits##_t)

CUFORT_SOBOL_ENTRIES(32)
CUFORT_SOBOL_ENTRIES(64)

} // namespace cufort::device
