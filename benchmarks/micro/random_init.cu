// A state of XORWOW, with a sequence of its own, for each of 2**20 threads. Prints the time of each run of the kernel.
// Twin: random_init.cuf.
#include <cstdio>
#include <curand_kernel.h>
#include <vector>

__global__ void begin(int n, unsigned long long seed, unsigned *words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  curandStateXORWOW_t state;
  curand_init(seed, i, 0, &state);
  words[i] = curand(&state);
}

int main() {
  const int n = 1 << 20, threads = 256, warm = 5, runs = 50;
  std::vector<unsigned> words(n);
  unsigned *device, parity = 0;
  float ms;
  cudaEvent_t first, last;
  int status = cudaMalloc(&device, n * sizeof(unsigned));
  status += cudaEventCreate(&first) + cudaEventCreate(&last);
  for (int k = 1; k <= warm + runs; ++k) {
    status += cudaEventRecord(first, 0);
    begin<<<(n + threads - 1) / threads, threads>>>(n, 1234, device);
    status += cudaEventRecord(last, 0);
    status += cudaEventSynchronize(last);
    status += cudaEventElapsedTime(&ms, first, last);
    if (k > warm)
      printf("sample %.6f\n", ms);
  }
  status += cudaMemcpy(words.data(), device, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned word : words)
    parity ^= word;
  if (status || int(parity) != -399749579)
    return fprintf(stderr, "wrong result\n"), 1;
}
