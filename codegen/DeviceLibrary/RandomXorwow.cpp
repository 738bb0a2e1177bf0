// XORWOW of G. Marsaglia, "Xorshift RNGs" (2003): five words of a xorshift generator and a Weyl sequence.
//
// The xorshift step is a linear map T of 160 bits. T^n, for n far too large to step, is the polynomial x^n mod p(T),
// where p is the characteristic polynomial of T: 160 coefficients that 160 steps apply to a state (H. Haramoto,
// M. Matsumoto, T. Nishimura, F. Panneton and P. L'Ecuyer, "Efficient Jump Ahead for F2-Linear Random Number
// Generators", 2008). They are tabulated for the hexadecimal digits of n, when this file is compiled.

#include "codegen/DeviceLibrary/RandomDistributions.h"
#include "codegen/DeviceLibrary/RandomPoisson.h"

namespace cufort::device {
namespace {

constexpr unsigned wordCount = 5;

/// Five words: the state of the xorshift generator, or the coefficients of a polynomial, lowest first.
struct Words {
  uint32_t at[wordCount];
};

/// The layout is that of cuRAND's state.
struct Xorwow {
  uint32_t weyl;
  Words words;
  SavedKind savedKind, savedKindDouble;
  float saved;
  double savedDouble;
};

constexpr CUFORT_INLINE void step(Words &words) {
  uint32_t *x = words.at;
  uint32_t t = x[0] ^ x[0] >> 2;
  x[0] = x[1];
  x[1] = x[2];
  x[2] = x[3];
  x[3] = x[4];
  x[4] = x[4] ^ x[4] << 4 ^ t ^ t << 1;
}
constexpr CUFORT_INLINE void add(Words &sum, const Words &words, uint32_t mask = ~0u) {
#pragma unroll
  for (unsigned i = 0; i < wordCount; ++i)
    sum.at[i] ^= words.at[i] & mask;
}

/// The polynomial, applied to T, applied to `words`.
constexpr CUFORT_INLINE void apply(const Words &polynomial, Words &words) {
  Words sum = {};
#pragma clang loop unroll(disable)
  for (unsigned i = 0; i < wordCount; ++i) {
    uint32_t coefficients = polynomial.at[i];
#pragma clang loop unroll_count(4)
    for (unsigned bit = 0; bit < 32; ++bit, coefficients >>= 1) {
      add(sum, words, -(coefficients & 1));
      step(words);
    }
  }
  words = sum;
}

//===-- Polynomials modulo the characteristic one -----------------------------------------------------------------===//

/// p without its leading x^160.
constexpr Words characteristic = {{0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e}};

/// True if p(T), applied to a state, is zero; p is irreducible, so one state that is not zero decides.
constexpr bool isCharacteristic() {
  Words words = {{1, 2, 3, 4, 5}}, leading = words;
  for (unsigned i = 0; i < 32 * wordCount; ++i)
    step(leading);
  apply(characteristic, words);
  add(words, leading);
  return !(words.at[0] | words.at[1] | words.at[2] | words.at[3] | words.at[4]);
}
static_assert(isCharacteristic());

constexpr void multiplyByX(Words &a) {
  uint32_t overflow = a.at[wordCount - 1] >> 31;
  for (unsigned i = wordCount - 1; i > 0; --i)
    a.at[i] = a.at[i] << 1 | a.at[i - 1] >> 31;
  a.at[0] <<= 1;
  add(a, characteristic, -overflow);
}
constexpr Words multiply(const Words &a, const Words &b) {
  Words product = {};
  for (unsigned i = 32 * wordCount; i-- > 0;) {
    multiplyByX(product);
    if (b.at[i / 32] >> i % 32 & 1)
      add(product, a);
  }
  return product;
}

/// x^(d 16^k 2^first) for the digits d from 1 to 15 and the places k of a number of 64 bits.
struct Jumps {
  Words polynomials[16][15];
};
constexpr Jumps makeJumps(unsigned first) {
  Jumps jumps = {};
  Words unit = {{2}};
  for (unsigned i = 0; i < first; ++i)
    unit = multiply(unit, unit);
  for (auto &place : jumps.polynomials) {
    Words power = unit;
    for (Words &entry : place) {
      entry = power;
      power = multiply(power, unit);
    }
    unit = power;
  }
  return jumps;
}

constexpr Jumps numbers = makeJumps(0);
/// A sequence has 2^67 numbers.
constexpr Jumps sequences = makeJumps(67);

CUFORT_INLINE void jump(Words &words, uint64_t count, const Jumps &jumps) {
#pragma clang loop unroll(disable)
  for (unsigned place = 0; count; ++place, count >>= 4)
    if (unsigned digit = count & 15)
      apply(jumps.polynomials[place][digit - 1], words);
}

//===-- The generator ---------------------------------------------------------------------------------------------===//

constexpr uint32_t weylStep = 362437;

CUFORT_INLINE uint32_t next(Xorwow &state) {
  step(state.words);
  state.weyl += weylStep;
  return state.words.at[wordCount - 1] + state.weyl;
}
CUFORT_INLINE double uniformDouble(Xorwow &state) {
  uint32_t low = next(state), high = next(state);
  return toUniformDouble(low, high);
}
CUFORT_INLINE void skip(Xorwow &state, uint64_t count) {
  jump(state.words, count, numbers);
  state.weyl += weylStep * uint32_t(count);
}
/// The Weyl sequence has come round to where it was.
CUFORT_INLINE void skipSequences(Xorwow &state, uint64_t count) { jump(state.words, count, sequences); }

/// Marsaglia's initial values, varied by the seed in the way of cuRAND.
CUFORT_INLINE void seedState(Xorwow &state, uint64_t seed) {
  uint32_t low = (uint32_t(seed) ^ 0xaad26b49u) * 1099087573u;
  uint32_t high = (uint32_t(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
  state.weyl = 6615241u + high + low;
  state.words = {{123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low}};
  forgetSaved(state);
}

} // namespace

CUFX_ENTRY void cufort_curandInitXORWOW(uint64_t seed, uint64_t sequence, uint64_t offset, Xorwow &state) {
  seedState(state, seed);
  skipSequences(state, sequence);
  skip(state, offset);
}
CUFX_ENTRY void cufort_curandSkipXORWOW(uint64_t count, Xorwow &state) { skip(state, count); }
CUFX_ENTRY void cufort_curandSkipSequencesXORWOW(uint64_t count, Xorwow &state) { skipSequences(state, count); }
CUFORT_RANDOM_ENTRIES(XORWOW, Xorwow, uint32_t)

} // namespace cufort::device
