// From the start of the program to the end of its first kernel: the runner takes the time until the line "ready".
// Twin: startup.cuf.
#include <cstdio>

__device__ int value;

__global__ void set(int *x) { *x = 42; }

int main() {
  int x = 0;
  void *address;
  cudaGetSymbolAddress(&address, value);
  set<<<1, 1>>>(static_cast<int *>(address));
  cudaMemcpy(&x, address, sizeof x, cudaMemcpyDeviceToHost);
  if (x != 42)
    return fprintf(stderr, "wrong result\n"), 1;
  puts("ready");
  fflush(stdout);
}
