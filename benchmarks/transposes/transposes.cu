// The transpose of a matrix of float: directly, by tiles in shared memory, and by tiles with a column more, which
// have no bank conflicts. Twin: transposes.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int tile = 32, rows = 8;

__global__ void naive(int n, const float *noalias a, float *noalias b) {
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    b[x * n + y + j] = a[(y + j) * n + x];
}

__global__ void tiled(int n, const float *noalias a, float *noalias b) {
  __shared__ float t[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    b[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}

__global__ void padded(int n, const float *noalias a, float *noalias b) {
  __shared__ float t[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    b[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(8192, 2048, 64);
  const dim3 grid(n / tile, n / tile), block(tile, rows);
  std::vector<float> a(n * n);
  fill(a, 3);
  DeviceArray<float> aD(a), bD(n * n);

  bD.clear();
  if (beginCase("transpose_naive", {.bytes = 8.0 * n * n})) {
    while (nextSample())
      naive<<<grid, block>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }

  bD.clear();
  if (beginCase("transpose_tiled", {.bytes = 8.0 * n * n})) {
    while (nextSample())
      tiled<<<grid, block>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }

  bD.clear();
  if (beginCase("transpose_padded", {.bytes = 8.0 * n * n})) {
    while (nextSample())
      padded<<<grid, block>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
  return finish();
}
