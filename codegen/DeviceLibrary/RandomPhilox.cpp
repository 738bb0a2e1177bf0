// Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2,
// 3" (2011): the numbers are a counter of 128 bits, scrambled four words at a time under a key of 64 bits.
//
// The key is the seed, the upper half of the counter the sequence, and the lower half the number of the block of four.

#include "codegen/DeviceLibrary/RandomDistributions.h"
#include "codegen/DeviceLibrary/RandomPoisson.h"

namespace cufort::device {
namespace {

/// The layout is that of cuRAND's state. `output` is the counter scrambled; `position` in it is the next word.
struct Philox {
  FourWords counter, output;
  uint32_t key[2];
  uint32_t position;
  SavedKind savedKind, savedKindDouble;
  float saved;
  double savedDouble;
};

CUFORT_INLINE FourWords scramble(FourWords block, uint32_t key0, uint32_t key1) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint32_t *c = block.words;
    uint64_t left = uint64_t(0xd2511f53u) * c[0], right = uint64_t(0xcd9e8d57u) * c[2];
    block = {
        {uint32_t(right >> 32) ^ c[1] ^ key0, uint32_t(right), uint32_t(left >> 32) ^ c[3] ^ key1, uint32_t(left)}};
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  return block;
}
CUFORT_INLINE void refill(Philox &state) { state.output = scramble(state.counter, state.key[0], state.key[1]); }

CUFORT_INLINE uint64_t half(const Philox &state, unsigned first) {
  return state.counter.words[first] | uint64_t(state.counter.words[first + 1]) << 32;
}
CUFORT_INLINE void setHalf(Philox &state, unsigned first, uint64_t value) {
  state.counter.words[first] = uint32_t(value);
  state.counter.words[first + 1] = uint32_t(value >> 32);
}
CUFORT_INLINE void advance(Philox &state, uint64_t blocks) {
  uint64_t low = half(state, 0) + blocks;
  setHalf(state, 0, low);
  if (low < blocks)
    setHalf(state, 2, half(state, 2) + 1);
}

/// A word that is chosen by comparing, since registers have no index.
CUFORT_INLINE uint32_t select(uint32_t index, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return index < 2 ? (index == 0 ? a : b) : (index == 2 ? c : d);
}

CUFORT_INLINE uint32_t next(Philox &state) {
  const uint32_t *o = state.output.words;
  uint32_t word = select(state.position, o[0], o[1], o[2], o[3]);
  if (++state.position == 4) {
    state.position = 0;
    advance(state, 1);
    refill(state);
  }
  return word;
}
CUFORT_INLINE FourWords fourWords(Philox &state) {
  FourWords old = state.output;
  advance(state, 1);
  refill(state);
  const uint32_t *o = old.words, *n = state.output.words;
  uint32_t at = state.position;
  return {{select(at, o[0], o[1], o[2], o[3]), select(at, o[1], o[2], o[3], n[0]), select(at, o[2], o[3], n[0], n[1]),
           select(at, o[3], n[0], n[1], n[2])}};
}

CUFORT_INLINE void skip(Philox &state, uint64_t count) {
  state.position += count & 3;
  advance(state, count / 4 + state.position / 4);
  state.position &= 3;
}

} // namespace

CUFX_ENTRY void cufort_curandInitPhilox4_32_10(uint64_t seed, uint64_t sequence, uint64_t offset, Philox &state) {
  state.key[0] = uint32_t(seed);
  state.key[1] = uint32_t(seed >> 32);
  setHalf(state, 0, 0);
  setHalf(state, 2, sequence);
  state.position = 0;
  skip(state, offset);
  refill(state);
  forgetSaved(state);
}
CUFX_ENTRY void cufort_curandSkipPhilox4_32_10(uint64_t count, Philox &state) {
  skip(state, count);
  refill(state);
}
CUFX_ENTRY void cufort_curandSkipSequencesPhilox4_32_10(uint64_t count, Philox &state) {
  setHalf(state, 2, half(state, 2) + count);
  refill(state);
}
CUFORT_RANDOM_ENTRIES(Philox4_32_10, Philox, uint32_t)

} // namespace cufort::device
