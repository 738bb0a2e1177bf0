// What a launch costs the host, what many tiny launches in a row cost, and what a launch and the wait for it cost.
// Twin: launches.cuf.
#include "benchmark.h"

using namespace benchmark;

__global__ void touch(float *x, int n) {
  if (n < 0)
    x[0] = 0;
}

__global__ void increment(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] + 1;
}

int main(int argc, char **argv) {
  const int n = 1024;
  DeviceArray<float> xD(n);
  start(argc, argv);
  // As many as fit into the launch queue.
  const int queued = sized(500, 500, 5);

  xD.clear();
  if (beginCase("launch_overhead", {.launches = queued, .clock = Clock::HostCalls})) {
    while (nextSample())
      touch<<<1, 32>>>(xD, n);
    endCase(0);
  }

  xD.clear();
  if (beginCase("tiny_launches", {.launches = queued, .clock = Clock::Host})) {
    while (nextSample())
      increment<<<n / 256, 256>>>(xD, n);
    endCase(0);
  }

  xD.clear();
  if (beginCase("launch_and_wait", {.launches = sized(50, 50, 5), .clock = Clock::Host})) {
    while (nextSample()) {
      increment<<<n / 256, 256>>>(xD, n);
      cudaDeviceSynchronize();
    }
    endCase(0);
  }
  return finish();
}
