// MRG32k3a of P. L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number
// Generators" (1999): the difference of two linear recurrences of order three.
//
// A recurrence is jumped over by a polynomial: if x^n is c0 + c1 x + c2 x^2 modulo the characteristic polynomial of
// the recurrence, then s(i + n) is c0 s(i) + c1 s(i + 1) + c2 s(i + 2). The polynomials of n = 2^k are tabulated when
// this file is compiled.

#include "codegen/DeviceLibrary/RandomDistributions.h"
#include "codegen/DeviceLibrary/RandomPoisson.h"

namespace cufort::device {
namespace {

/// s(i + 3) = near s(i + 1 or 2) - far s(i) modulo 2^32 - gap.
template <uint32_t gapToWord, uint32_t nearFactor, unsigned nearIndex, uint32_t farFactor>
struct Recurrence {
  static constexpr uint32_t gap = gapToWord, modulus = uint32_t(-gap);

  struct Triple {
    uint32_t at[3];
  };

  /// Congruent to `value`, and shorter.
  static constexpr CUFORT_INLINE uint64_t fold(uint64_t value) { return (value >> 32) * gap + uint32_t(value); }
  static constexpr CUFORT_INLINE uint32_t reduceOnce(uint64_t value) {
    return uint32_t(value >= modulus ? value - modulus : value);
  }
  static constexpr CUFORT_INLINE uint32_t reduce(uint64_t value) { return reduceOnce(fold(fold(value))); }
  static constexpr CUFORT_INLINE uint32_t multiply(uint32_t a, uint32_t b) { return reduce(uint64_t(a) * b); }

  /// The next number of the recurrence. The sum has fewer than 54 bits, so one fold is enough for a small gap.
  static constexpr CUFORT_INLINE uint32_t next(Triple &s) {
    uint64_t sum = uint64_t(nearFactor) * s.at[nearIndex] + uint64_t(farFactor) * (modulus - s.at[0]);
    uint32_t number = gap < 512 ? reduceOnce(fold(sum)) : reduce(sum);
    s = {{s.at[1], s.at[2], number}};
    return number;
  }

  static constexpr CUFORT_INLINE uint32_t combine(const Triple &factors, uint32_t a, uint32_t b, uint32_t c) {
    uint64_t sum = uint64_t(multiply(factors.at[0], a)) + multiply(factors.at[1], b) + multiply(factors.at[2], c);
    return reduce(sum);
  }
  static constexpr CUFORT_INLINE void apply(const Triple &polynomial, Triple &s) {
    Triple later = s;
    uint32_t fourth = next(later), fifth = next(later);
    s = {{combine(polynomial, s.at[0], s.at[1], s.at[2]), combine(polynomial, s.at[1], s.at[2], fourth),
          combine(polynomial, s.at[2], fourth, fifth)}};
  }

  /// x^(2^k), k = 0 ... The coefficients of a polynomial follow the same recurrence as the numbers: that of x^(2n) is
  /// x^n, applied to the coefficients of x^n, x^(n+1), x^(n+2).
  struct Powers {
    Triple at[191];
  };
  static constexpr Triple multiplyByX(const Triple &p) {
    Triple product = {{multiply(p.at[2], modulus - farFactor), p.at[0], p.at[1]}};
    product.at[nearIndex] = reduceOnce(uint64_t(product.at[nearIndex]) + multiply(p.at[2], nearFactor));
    return product;
  }
  static constexpr Powers makePowers() {
    Powers powers = {};
    Triple power = {{0, 1, 0}};
    for (Triple &entry : powers.at) {
      entry = power;
      Triple second = multiplyByX(power), third = multiplyByX(second);
      for (unsigned i = 0; i < 3; ++i)
        power.at[i] = combine(entry, entry.at[i], second.at[i], third.at[i]);
    }
    return powers;
  }
};

using First = Recurrence<209, 1403580, 1, 810728>;
using Second = Recurrence<22853, 527612, 2, 1370589>;
constexpr First::Powers firstPowers = First::makePowers();
constexpr Second::Powers secondPowers = Second::makePowers();

/// The layout is that of cuRAND's state.
struct Mrg32k3a {
  First::Triple first;
  Second::Triple second;
  SavedKind savedKind, savedKindDouble;
  float saved;
  double savedDouble;
};

/// From 1 to the first modulus.
CUFORT_INLINE uint32_t nextResidue(Mrg32k3a &state) {
  uint32_t a = First::next(state.first), b = Second::next(state.second);
  return a <= b ? a - b + First::modulus : a - b;
}
/// The factor makes it 32 bits: cuRAND's, which has these digits.
CUFORT_INLINE uint32_t next(Mrg32k3a &state) { return uint32_t(nextResidue(state) * 1.000000048662); }
CUFORT_INLINE double uniformDouble(Mrg32k3a &state) { return nextResidue(state) * 2.3283065498378288e-10; }
CUFORT_INLINE float uniform(Mrg32k3a &state) { return float(uniformDouble(state)); }
CUFORT_INLINE Pair<float> normalPair(Mrg32k3a &state) {
  float first = uniform(state), second = uniform(state);
  return boxMuller(first, second * 0x1.921fb6p+2f);
}
CUFORT_INLINE Pair<double> normalPairDouble(Mrg32k3a &state) {
  double first = uniformDouble(state), second = uniformDouble(state);
  return boxMuller(first, second * 2.0);
}

/// Skips `count` times 2^`unit` numbers.
CUFORT_INLINE void skip(Mrg32k3a &state, uint64_t count, unsigned unit) {
#pragma clang loop unroll(disable)
  for (unsigned power = unit; count; ++power, count >>= 1)
    if (count & 1) {
      First::apply(firstPowers.at[power], state.first);
      Second::apply(secondPowers.at[power], state.second);
    }
}
constexpr unsigned subsequence = 76, sequence = 127;

/// L'Ecuyer's initial values, varied by the seed in the way of cuRAND.
CUFORT_INLINE void seedState(Mrg32k3a &state, uint64_t seed) {
  constexpr uint32_t initial = 12345;
  uint32_t low = uint32_t(seed) ^ 0x55555555u, high = uint32_t(seed >> 32) ^ 0xaaaaaaaau;
  if (seed == 0) {
    state.first = {{initial, initial, initial}};
    state.second = {{initial, initial, initial}};
  } else {
    uint32_t firstLow = First::multiply(low, initial), secondHigh = Second::multiply(high, initial);
    state.first = {{firstLow, First::multiply(high, initial), firstLow}};
    state.second = {{secondHigh, Second::multiply(low, initial), secondHigh}};
  }
  forgetSaved(state);
}

} // namespace

CUFX_ENTRY void cufort_curandInitMRG32k3a(uint64_t seed, uint64_t sequence, uint64_t offset, Mrg32k3a &state) {
  seedState(state, seed);
  skip(state, sequence, subsequence);
  skip(state, offset, 0);
}
CUFX_ENTRY void cufort_curandSkipMRG32k3a(uint64_t count, Mrg32k3a &state) { skip(state, count, 0); }
CUFX_ENTRY void cufort_curandSkipSubsequencesMRG32k3a(uint64_t count, Mrg32k3a &state) {
  skip(state, count, subsequence);
}
CUFX_ENTRY void cufort_curandSkipSequencesMRG32k3a(uint64_t count, Mrg32k3a &state) { skip(state, count, sequence); }
CUFORT_RANDOM_ENTRIES(MRG32k3a, Mrg32k3a, uint32_t)

} // namespace cufort::device
