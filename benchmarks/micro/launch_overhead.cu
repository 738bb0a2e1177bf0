// What a launch costs the host: batches that fit into the launch queue, timed until the last call has returned. One
// argument is an array, one a scalar. Prints microseconds per launch for each batch. Twin: launch_overhead.cuf.
#include <chrono>
#include <cstdio>

__global__ void touch(float *x, int n) {
  if (n < 0)
    x[0] = 0;
}

int main() {
  using Clock = std::chrono::steady_clock;
  const int launches = 500, warm = 5, runs = 50;
  float *x;
  int status = cudaMalloc(&x, sizeof(float));
  status += cudaMemset(x, 0, sizeof(float));
  for (int k = 1; k <= warm + runs; ++k) {
    auto first = Clock::now();
    for (int i = 1; i <= launches; ++i)
      touch<<<1, 32>>>(x, i);
    auto last = Clock::now();
    status += cudaDeviceSynchronize();
    if (k > warm)
      printf("sample %.6f\n", std::chrono::duration<double, std::micro>(last - first).count() / launches);
  }
  if (status)
    return fprintf(stderr, "a launch failed\n"), 1;
}
