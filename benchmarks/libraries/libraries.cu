// Sums and greatest elements of whole arrays by CUB, and sorting by Thrust, each time of a copy of the same numbers.
// Twin: libraries.cuf.
#include "benchmark.h"
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

using namespace benchmark;

// The result on the host, with the temporary memory that the first call asks for.
template <class Reduce>
float reduced(Reduce reduce) {
  static DeviceArray<float> result(1);
  static void *workspace = nullptr;
  static size_t bytes = 0;
  if (!workspace) {
    reduce(nullptr, bytes, (float *)result);
    cudaMalloc(&workspace, bytes);
  }
  reduce(workspace, bytes, (float *)result);
  float value;
  cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

template <class T>
void sortCopy(DeviceArray<T> &sorted, DeviceArray<T> &source, size_t n) {
  cudaMemcpy(sorted, source, n * sizeof(T), cudaMemcpyDeviceToDevice);
  thrust::sort(thrust::device, (T *)sorted, (T *)sorted + n);
}

int main(int argc, char **argv) {
  start(argc, argv);
  {
    std::vector<float> x(sized(1 << 28, 1 << 22, 1 << 13));
    int n = int(x.size());
    fill(x, 1);
    DeviceArray<float> device(x);
    float value = 0;
    if (beginCase("sum_of_array", {.bytes = 4.0 * n, .clock = Clock::Host})) {
      while (nextSample())
        value = reduced([&](void *workspace, size_t &bytes, float *result) {
          cub::DeviceReduce::Sum(workspace, bytes, (float *)device, result, n);
        });
      endCase(value);
    }
    if (beginCase("maxval_of_array", {.bytes = 4.0 * n, .clock = Clock::Host})) {
      while (nextSample())
        value = reduced([&](void *workspace, size_t &bytes, float *result) {
          cub::DeviceReduce::Max(workspace, bytes, (float *)device, result, n);
        });
      endCase(value);
    }
  }
  int n = sized(1 << 25, 1 << 18, 1 << 13);
  std::vector<int> k(n);
  fill(k, 2147483647, 3);
  DeviceArray<int> k_d(k), sorted(n);
  if (beginCase("sort_integers", {.bytes = 4.0 * n, .clock = Clock::Host})) {
    while (nextSample())
      sortCopy(sorted, k_d, n);
    k = sorted.onHost();
    endCase(checksum(std::vector<double>(k.begin(), k.end())));
  }

  std::vector<double> r(n);
  fill(r, 5);
  DeviceArray<double> r_d(r), ordered(n);
  if (beginCase("sort_reals", {.bytes = 8.0 * n, .clock = Clock::Host})) {
    while (nextSample())
      sortCopy(ordered, r_d, n);
    endCase(checksum(ordered.onHost()));
  }
  return finish();
}
