// Sums of float by shared memory, by shuffles, and by one atomic per block; an inclusive scan; a histogram with
// atomics in shared memory. Twin: reductions.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, blocks = 2048, chunk = 1024, bins = 256;
// Kernels that add to numbers in memory get others for every launch.
constexpr int mostLaunches = 32;

__global__ void sumShared(int n, const float *noalias x, float *noalias sums) {
  __shared__ float part[threads];
  int t = threadIdx.x;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
    mine += x[i];
  part[t] = mine;
  for (int offset = threads / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (t < offset)
      part[t] += part[t + offset];
  }
  if (t == 0)
    sums[blockIdx.x] = part[0];
}

// The sum of a block, in its first warp.
__device__ float blockSum(float x) {
  __shared__ float part[32];
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  for (int mask = 16; mask > 0; mask /= 2)
    x += __shfl_xor_sync(~0u, x, mask);
  if (lane == 0)
    part[warp] = x;
  __syncthreads();
  if (warp > 0)
    return 0;
  x = 0;
  if (lane < blockDim.x / 32)
    x = part[lane];
  for (int mask = 16; mask > 0; mask /= 2)
    x += __shfl_xor_sync(~0u, x, mask);
  return x;
}

__global__ void sumShuffle(int n, const float *noalias x, float *noalias sums) {
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    mine += x[i];
  mine = blockSum(mine);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = mine;
}

__global__ void sumAtomic(int n, const float *noalias x, double *noalias total) {
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    mine += x[i];
  mine = blockSum(mine);
  if (threadIdx.x == 0)
    atomicAdd(total, double(mine));
}

// The inclusive scan of each chunk, and the sum of each chunk.
__global__ void scanChunks(const int *noalias x, int *noalias y, int *noalias sums) {
  __shared__ int s[chunk];
  int t = threadIdx.x;
  int i = blockIdx.x * chunk + t;
  s[t] = x[i];
  for (int offset = 1; offset < chunk; offset *= 2) {
    __syncthreads();
    int before = 0;
    if (t >= offset)
      before = s[t - offset];
    __syncthreads();
    s[t] += before;
  }
  y[i] = s[t];
  if (t == chunk - 1)
    sums[blockIdx.x] = s[t];
}

__global__ void addBefore(int *noalias y, const int *noalias before) {
  int i = blockIdx.x * chunk + threadIdx.x;
  if (blockIdx.x > 0)
    y[i] += before[blockIdx.x - 1];
}

__global__ void histogram(int n, const int *noalias x, int *noalias counts) {
  __shared__ int mine[bins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[x[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

int main(int argc, char **argv) {
  start(argc, argv);
  int n = sized(1 << 26, 1 << 22, 1 << 13);
  std::vector<float> x(n);
  fill(x, 1);
  DeviceArray<float> xD(x), sumsD(blocks);
  DeviceArray<double> totalsD(mostLaunches);

  sumsD.clear();
  if (beginCase("sum_shared", {.bytes = 4.0 * n})) {
    while (nextSample())
      sumShared<<<blocks, threads>>>(n, xD, sumsD);
    endCase(sum(sumsD.onHost()));
  }

  sumsD.clear();
  if (beginCase("sum_shuffle", {.bytes = 4.0 * n})) {
    while (nextSample())
      sumShuffle<<<blocks, threads>>>(n, xD, sumsD);
    endCase(sum(sumsD.onHost()));
  }

  totalsD.clear();
  int launch = 0;
  if (beginCase("sum_atomic", {.bytes = 4.0 * n})) {
    while (nextSample())
      sumAtomic<<<blocks, threads>>>(n, xD, totalsD + launch++);
    endCase(totalsD.onHost()[launch - 1]);
  }

  std::vector<int> k(n);
  fill(k, bins, 3);
  DeviceArray<int> kD(k), countsD(bins * mostLaunches);
  countsD.clear();
  launch = 0;
  if (beginCase("histogram", {.bytes = 4.0 * n})) {
    while (nextSample())
      histogram<<<blocks, bins>>>(n, kD, countsD + bins * launch++);
    std::vector<int> counts = countsD.onHost();
    endCase(sum(std::vector<int>(counts.begin() + bins * (launch - 1), counts.begin() + bins * launch)));
  }

  n = sized(1 << 24, 1 << 20, 1 << 13);
  k.resize(n);
  fill(k, 10, 4);
  kD = k;
  // Sums of chunks and their scan; the same of chunks of chunks.
  const int more = (n / chunk + chunk - 1) / chunk;
  DeviceArray<int> scannedD(n), sums1D(more * chunk), scanned1D(more * chunk), sums2D(chunk), scanned2D(chunk),
      sum3D(1);
  sums1D.clear();
  sums2D.clear();
  if (beginCase("scan", {.bytes = 8.0 * n})) {
    while (nextSample()) {
      scanChunks<<<n / chunk, chunk>>>(kD, scannedD, sums1D);
      scanChunks<<<more, chunk>>>(sums1D, scanned1D, sums2D);
      scanChunks<<<1, chunk>>>(sums2D, scanned2D, sum3D);
      addBefore<<<more, chunk>>>(scanned1D, scanned2D);
      addBefore<<<n / chunk, chunk>>>(scannedD, scanned1D);
    }
    endCase(scannedD.onHost()[n - 1]);
  }
  return finish();
}
