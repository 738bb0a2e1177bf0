// Products of n x n matrices, stored by columns: one element per thread by tiles in shared memory, several elements
// per thread in registers, and tensor cores. Twin: products.CUF.
#include "benchmark.h"
#include <cuda_fp16.h>
#include <mma.h>

using namespace benchmark;

constexpr int tile = 16, depth = 8, threads = 256;

__global__ void tiled(int n, const float *noalias a, const float *noalias b, float *noalias c) {
  __shared__ float partA[tile][tile], partB[tile][tile];
  int x = threadIdx.x, y = threadIdx.y;
  int i = blockIdx.x * tile + x;
  int j = blockIdx.y * tile + y;
  float total = 0;
  for (int step = 0; step < n; step += tile) {
    partA[y][x] = a[(step + y) * n + i];
    partB[y][x] = b[j * n + step + x];
    __syncthreads();
    for (int k = 0; k < tile; ++k)
      total += partA[k][x] * partB[y][k];
    __syncthreads();
  }
  c[j * n + i] = total;
}

template <class T, int edge, int each>
__global__ void blocked(int n, const T *noalias a, const T *noalias b, T *noalias c) {
  __shared__ T partA[depth][edge], partB[depth][edge];
  T mineA[each], mineB[each], total[each][each] = {};
  int row = edge * blockIdx.x;
  int column = edge * blockIdx.y;
  int t = threadIdx.x;
  int x = t % 16;
  int y = t / 16;
  for (int step = 0; step < n; step += depth) {
    for (int i = t; i < edge * depth; i += threads) {
      partA[i / edge][i % edge] = a[(step + i / edge) * n + row + i % edge];
      partB[i % depth][i / depth] = b[(column + i / depth) * n + step + i % depth];
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      for (int i = 0; i < each; ++i) {
        mineA[i] = partA[k][x + 16 * i];
        mineB[i] = partB[k][y + 16 * i];
      }
      for (int j = 0; j < each; ++j)
        for (int i = 0; i < each; ++i)
          total[j][i] += mineA[i] * mineB[j];
    }
    __syncthreads();
  }
  for (int j = 0; j < each; ++j)
    for (int i = 0; i < each; ++i)
      c[(column + y + 16 * j) * n + row + x + 16 * i] = total[j][i];
}

// Four warps compute 64 x 64 elements of C, each 2 x 2 submatrices.
__global__ void hgemm(int n, const half *noalias a, const half *noalias b, float *noalias c) {
  using namespace nvcuda::wmma;
  constexpr int edge = 64, threads = 128;
  __shared__ half partA[tile][edge], partB[edge][tile];
  fragment<matrix_a, 16, 16, 16, half, col_major> sa[2];
  fragment<matrix_b, 16, 16, 16, half, col_major> sb[2];
  fragment<accumulator, 16, 16, 16, float> sc[2][2];
  int row = edge * blockIdx.x;
  int column = edge * blockIdx.y;
  int warpRow = 32 * (threadIdx.x / 32 % 2);
  int warpColumn = 32 * (threadIdx.x / 64);
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      fill_fragment(sc[j][i], 0.0f);
  for (int step = 0; step < n; step += tile) {
    for (int i = threadIdx.x; i < edge * tile; i += threads) {
      partA[i / edge][i % edge] = a[(step + i / edge) * n + row + i % edge];
      partB[i / tile][i % tile] = b[(column + i / tile) * n + step + i % tile];
    }
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
      load_matrix_sync(sa[i], &partA[0][warpRow + tile * i], edge);
      load_matrix_sync(sb[i], &partB[warpColumn + tile * i][0], tile);
    }
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i)
        mma_sync(sc[j][i], sa[i], sb[j], sc[j][i]);
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      store_matrix_sync(&c[(column + warpColumn + tile * j) * n + row + warpRow + tile * i], sc[j][i], n,
                        mem_col_major);
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(4096, 256, 128);
  const double work = 2.0 * n * n * n;
  std::vector<double> a8(n * n), b8(n * n);
  std::vector<float> a4(n * n), b4(n * n);
  fill(a8, 1);
  fill(b8, 2);
  fill(a4, 1);
  fill(b4, 2);
  std::vector<half> a2(a4.begin(), a4.end()), b2(b4.begin(), b4.end());
  DeviceArray<double> a8D(a8), b8D(b8), c8D(n * n);
  DeviceArray<float> a4D(a4), b4D(b4), c4D(n * n);
  DeviceArray<half> a2D(a2), b2D(b2);

  c4D.clear();
  if (beginCase("matmul_tiled", {.flops = work, .kind = 4})) {
    dim3 grid(n / tile, n / tile);
    while (nextSample())
      tiled<<<grid, dim3(tile, tile)>>>(n, a4D, b4D, c4D);
    endCase(checksum(c4D.onHost()));
  }

  c4D.clear();
  if (beginCase("sgemm_blocked", {.flops = work, .kind = 4})) {
    dim3 grid(n / 128, n / 128);
    while (nextSample())
      blocked<float, 128, 8><<<grid, threads>>>(n, a4D, b4D, c4D);
    endCase(checksum(c4D.onHost()));
  }

  c8D.clear();
  if (beginCase("dgemm_blocked", {.flops = work, .kind = 8})) {
    dim3 grid(n / 64, n / 64);
    while (nextSample())
      blocked<double, 64, 4><<<grid, threads>>>(n, a8D, b8D, c8D);
    endCase(checksum(c8D.onHost()));
  }

  c4D.clear();
  if (beginCase("hgemm_tensor", {.flops = work, .kind = 2})) {
    dim3 grid(n / 64, n / 64);
    while (nextSample())
      hgemm<<<grid, 128>>>(n, a2D, b2D, c4D);
    endCase(checksum(c4D.onHost()));
  }
  return finish();
}
