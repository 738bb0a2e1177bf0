// The five kernels of BabelStream on arrays of double. Twin: stream.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, dotBlocks = 1024;
constexpr double scalar = 0.4;

__global__ void copy(int n, const double *noalias a, double *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i];
}

__global__ void mul(int n, const double *noalias a, double *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = scalar * a[i];
}

__global__ void add(int n, const double *noalias a, const double *noalias b, double *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

__global__ void triad(int n, const double *noalias a, const double *noalias b, double *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + scalar * b[i];
}

__global__ void dot(int n, const double *noalias a, const double *noalias b, double *noalias sums) {
  __shared__ double part[threads];
  int t = threadIdx.x;
  part[t] = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
    part[t] += a[i] * b[i];
  for (int offset = threads / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (t < offset)
      part[t] += part[t + offset];
  }
  if (t == 0)
    sums[blockIdx.x] = part[0];
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(1 << 25, 1 << 22, 1 << 12), blocks = (n + threads - 1) / threads;
  std::vector<double> a(n), b(n);
  fill(a, 1);
  fill(b, 2);
  DeviceArray<double> aD(a), bD(b), cD(n), sumsD(dotBlocks);

  cD.clear();
  if (beginCase("copy", {.bytes = 16.0 * n})) {
    while (nextSample())
      copy<<<blocks, threads>>>(n, aD, cD);
    endCase(checksum(cD.onHost()));
  }

  cD.clear();
  if (beginCase("mul", {.bytes = 16.0 * n})) {
    while (nextSample())
      mul<<<blocks, threads>>>(n, aD, cD);
    endCase(checksum(cD.onHost()));
  }

  cD.clear();
  if (beginCase("add", {.bytes = 24.0 * n})) {
    while (nextSample())
      add<<<blocks, threads>>>(n, aD, bD, cD);
    endCase(checksum(cD.onHost()));
  }

  cD.clear();
  if (beginCase("triad", {.bytes = 24.0 * n})) {
    while (nextSample())
      triad<<<blocks, threads>>>(n, aD, bD, cD);
    endCase(checksum(cD.onHost()));
  }

  if (beginCase("dot", {.bytes = 16.0 * n})) {
    // The host gets the result, as in BabelStream.
    double total = 0;
    while (nextSample()) {
      dot<<<dotBlocks, threads>>>(n, aD, bD, sumsD);
      total = sum(sumsD.onHost());
    }
    endCase(total);
  }
  return finish();
}
