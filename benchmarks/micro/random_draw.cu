// 2**18 threads draw 4096 words each from XORWOW, from states in memory. Prints the time of each run of the kernel.
// Twin: random_draw.cuf.
#include <cstdio>
#include <curand_kernel.h>
#include <vector>

__global__ void begin(int n, unsigned long long seed, curandStateXORWOW_t *states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    curand_init(seed, i, 0, &states[i]);
}

__global__ void draw(int n, int each, curandStateXORWOW_t *states, unsigned *words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  curandStateXORWOW_t mine = states[i];
  unsigned word = 0;
  for (int k = 0; k < each; ++k)
    word ^= curand(&mine);
  words[i] = word;
  states[i] = mine;
}

int main() {
  const int n = 1 << 18, each = 4096, threads = 256, warm = 5, runs = 50;
  std::vector<unsigned> words(n);
  curandStateXORWOW_t *states;
  unsigned *device, parity = 0;
  float ms;
  cudaEvent_t first, last;
  int status = cudaMalloc(&states, n * sizeof(curandStateXORWOW_t)) + cudaMalloc(&device, n * sizeof(unsigned));
  begin<<<(n + threads - 1) / threads, threads>>>(n, 1234, states);
  status += cudaEventCreate(&first) + cudaEventCreate(&last);
  for (int k = 1; k <= warm + runs; ++k) {
    status += cudaEventRecord(first, 0);
    draw<<<(n + threads - 1) / threads, threads>>>(n, each, states, device);
    status += cudaEventRecord(last, 0);
    status += cudaEventSynchronize(last);
    status += cudaEventElapsedTime(&ms, first, last);
    if (k > warm)
      printf("sample %.6f\n", ms);
  }
  status += cudaMemcpy(words.data(), device, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned word : words)
    parity ^= word;
  if (status || int(parity) != 1554448208)
    return fprintf(stderr, "wrong result\n"), 1;
}
