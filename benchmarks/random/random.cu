// XORWOW from cuRAND: 2**20 threads initialise a state each, and 2**18 threads draw 4096 words each. Twin:
// random.cuf.
#include "benchmark.h"
#include <curand_kernel.h>

using namespace benchmark;

constexpr int threads = 256;

__global__ void init(int n, unsigned long long seed, curandStateXORWOW_t *noalias states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    curand_init(seed, i, 0, &states[i]);
}

__global__ void draw(int n, int each, curandStateXORWOW_t *noalias states, unsigned *noalias words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  curandStateXORWOW_t mine = states[i];
  unsigned word = 0;
  for (int k = 0; k < each; ++k)
    word ^= curand(&mine);
  words[i] = word;
}

int parity(const std::vector<unsigned> &words, int n) {
  unsigned parity = 0;
  for (int i = 0; i < n; ++i)
    parity ^= words[i];
  return int(parity);
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(1 << 20, 1 << 12, 1 << 9), drawing = sized(1 << 18, 1 << 10, 1 << 9);
  const int each = sized(4096, 1024, 16);
  DeviceArray<curandStateXORWOW_t> statesD(n);
  DeviceArray<unsigned> wordsD(n);
  init<<<(n + threads - 1) / threads, threads>>>(n, 1234, statesD);

  if (beginCase("random_init", {})) {
    while (nextSample())
      init<<<(n + threads - 1) / threads, threads>>>(n, 1234, statesD);
    draw<<<(n + threads - 1) / threads, threads>>>(n, 1, statesD, wordsD);
    endCase(parity(wordsD.onHost(), n));
  }

  if (beginCase("random_draw", {})) {
    while (nextSample())
      draw<<<(drawing + threads - 1) / threads, threads>>>(drawing, each, statesD, wordsD);
    endCase(parity(wordsD.onHost(), drawing));
  }
  return finish();
}
