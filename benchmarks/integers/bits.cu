// Integers and their bits: sorting and prefix sums of blocks, hashes and random numbers of 64 bits, counts of bits, and
// a loop whose end nobody knows. Twin: bits.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, part = 1024;

// Sorts each part of 1024 numbers by a bitonic network in shared memory.
__global__ void sortParts(const int *noalias a, int *noalias b) {
  __shared__ int s[part];
  int t = threadIdx.x;
  int base = blockIdx.x * part;
  s[t] = a[base + t];
  __syncthreads();
  for (int width = 2; width <= part; width *= 2)
    for (int step = width / 2; step > 0; step /= 2) {
      int other = t ^ step;
      if (other > t) {
        if (((t & width) == 0) == (s[t] > s[other])) {
          int kept = s[t];
          s[t] = s[other];
          s[other] = kept;
        }
      }
      __syncthreads();
    }
  b[base + t] = s[t];
}

// Prefix sums within each part of 1024 numbers, by shuffles.
__global__ void scanParts(const int *noalias a, int *noalias b) {
  __shared__ int sums[32];
  int i = blockIdx.x * part + threadIdx.x;
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int mine = a[i];
  for (int offset = 1; offset < 32; offset *= 2) {
    int lower = __shfl_up_sync(~0u, mine, offset);
    if (lane >= offset)
      mine += lower;
  }
  if (lane == 31)
    sums[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    int lower = sums[lane];
    for (int offset = 1; offset < 32; offset *= 2) {
      int other = __shfl_up_sync(~0u, lower, offset);
      if (lane >= offset)
        lower += other;
    }
    sums[lane] = lower;
  }
  __syncthreads();
  if (warp > 0)
    mine += sums[warp - 1];
  b[i] = mine;
}

// FNV-1a over the bytes of eight words, with a multiplication of 64 bits for each byte.
__device__ uint64_t fnv(const int *words) {
  uint64_t h = 14695981039346656037u;
  for (int k = 0; k < 8; ++k)
    for (int byte = 0; byte < 4; ++byte)
      h = (h ^ ((unsigned(words[k]) >> (8 * byte)) & 255)) * 1099511628211u;
  return h;
}

__global__ void hash(int n, const int *noalias words, uint64_t *noalias hashes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    hashes[i] = fnv(words + 8 * i);
}

// The generator of Park and Miller; sums of its numbers.
__global__ void draw(int n, int draws, int64_t *noalias sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int64_t state = i + 1, total = 0;
  for (int k = 0; k < draws; ++k) {
    state = 16807 * state % 2147483647;
    total += state % 1000;
  }
  sums[i] = total;
}

// Steps of Collatz's sequence until it reaches 1.
__global__ void collatz(int n, int *noalias steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int64_t x = i + 1;
  int count = 0;
  while (x != 1) {
    if (x % 2 == 0)
      x = x / 2;
    else
      x = 3 * x + 1;
    ++count;
  }
  steps[i] = count;
}

// Bits in which a word differs from itself turned, and the places of the first and the last of them.
__global__ void distances(int n, const uint64_t *noalias a, int *noalias d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  d[i] = 0;
  for (int k = 1; k <= 8; ++k) {
    int shift = 8 * k - 3;
    uint64_t x = a[i] ^ (a[i] << shift | a[i] >> (64 - shift));
    d[i] += __popcll(x) + (__ffsll(x) - 1) - __clzll(x);
  }
}

void parts() {
  const int n = sized(1 << 25, 1 << 18, 1 << 12);
  std::vector<int> a(n);
  fill(a, 1000000, 1);
  DeviceArray<int> aD(a), bD(n);
  if (beginCase("bitonic_sort", {.bytes = 8.0 * n})) {
    while (nextSample())
      sortParts<<<n / part, part>>>(aD, bD);
    endCase(checksum(bD.onHost()));
  }

  if (beginCase("warp_scan", {.bytes = 8.0 * n})) {
    while (nextSample())
      scanParts<<<n / part, part>>>(aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void hashes() {
  const int n = sized(1 << 22, 1 << 16, 1 << 10);
  std::vector<int> words(8 * n);
  fill(words, 2147483647, 1);
  DeviceArray<int> wordsD(words);
  DeviceArray<uint64_t> hD(n);
  if (beginCase("hash", {.bytes = 40.0 * n})) {
    while (nextSample())
      hash<<<(n + threads - 1) / threads, threads>>>(n, wordsD, hD);
    std::vector<uint64_t> h = hD.onHost();
    for (uint64_t &value : h)
      value >>= 32;
    endCase(checksum(h));
  }
}

void randomNumbers() {
  const int n = sized(1 << 18, 1 << 10, 1 << 8), draws = sized(1024, 256, 64);
  DeviceArray<int64_t> sumsD(n);
  if (beginCase("park_miller", {})) {
    while (nextSample())
      draw<<<(n + threads - 1) / threads, threads>>>(n, draws, sumsD);
    endCase(checksum(sumsD.onHost()));
  }
}

void sequences() {
  const int n = sized(1 << 23, 1 << 14, 1 << 10);
  DeviceArray<int> stepsD(n);
  if (beginCase("collatz", {})) {
    while (nextSample())
      collatz<<<(n + threads - 1) / threads, threads>>>(n, stepsD);
    endCase(checksum(stepsD.onHost()));
  }
}

void words() {
  const int n = sized(1 << 24, 1 << 16, 1 << 10);
  std::vector<int> numbers(2 * n);
  fill(numbers, 2147483647, 1);
  std::vector<uint64_t> a(n);
  for (int i = 0; i < n; ++i)
    a[i] = uint64_t(numbers[i]) << 32 | unsigned(numbers[n + i]);
  DeviceArray<uint64_t> aD(a);
  DeviceArray<int> dD(n);
  if (beginCase("bit_counts", {.bytes = 12.0 * n})) {
    while (nextSample())
      distances<<<(n + threads - 1) / threads, threads>>>(n, aD, dD);
    endCase(checksum(dD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  parts();
  hashes();
  randomNumbers();
  sequences();
  words();
  return finish();
}
