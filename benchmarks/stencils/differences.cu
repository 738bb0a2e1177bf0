// Finite differences of float: a 25-point star in three dimensions, straight from global memory, and derivatives in
// x, y and z of 64**3 numbers by tiles in shared memory, with periodic boundaries. Twin: differences.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int m = 64, lines = 4, pencils = 32;
__constant__ float weight[5], slope[5];

__global__ void star(int n, const float *noalias u, float *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (min(min(i, j), k) < 4 || max(max(i, j), k) >= n - 4)
    return;
  int at = (k * n + j) * n + i;
  float total = weight[0] * u[at];
  for (int r = 1; r <= 4; ++r)
    total +=
        weight[r] * (u[at - r] + u[at + r] + u[at - r * n] + u[at + r * n] + u[at - r * n * n] + u[at + r * n * n]);
  v[at] = total;
}

__global__ void derivativeX(const float *noalias f, float *noalias df) {
  __shared__ float s[lines][m + 8];
  int x = threadIdx.x;
  int i = x + 4;
  int l = threadIdx.y;
  int j = blockIdx.x * lines + l;
  int k = blockIdx.y;
  s[l][i] = f[(k * m + j) * m + x];
  __syncthreads();
  if (x < 4) {
    s[l][i - 4] = s[l][m + i - 4];
    s[l][m + i] = s[l][i];
  }
  __syncthreads();
  df[(k * m + j) * m + x] = slope[1] * (s[l][i + 1] - s[l][i - 1]) + slope[2] * (s[l][i + 2] - s[l][i - 2]) +
                            slope[3] * (s[l][i + 3] - s[l][i - 3]) + slope[4] * (s[l][i + 4] - s[l][i - 4]);
}

__global__ void derivativeY(const float *noalias f, float *noalias df) {
  __shared__ float s[m + 8][pencils];
  int l = threadIdx.x;
  int i = blockIdx.x * pencils + l;
  int k = blockIdx.y;
  for (int y = threadIdx.y; y < m; y += blockDim.y)
    s[y + 4][l] = f[(k * m + y) * m + i];
  __syncthreads();
  if (threadIdx.y < 4) {
    s[threadIdx.y][l] = s[m + threadIdx.y][l];
    s[m + 4 + threadIdx.y][l] = s[threadIdx.y + 4][l];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < m; y += blockDim.y) {
    int j = y + 4;
    df[(k * m + y) * m + i] = slope[1] * (s[j + 1][l] - s[j - 1][l]) + slope[2] * (s[j + 2][l] - s[j - 2][l]) +
                              slope[3] * (s[j + 3][l] - s[j - 3][l]) + slope[4] * (s[j + 4][l] - s[j - 4][l]);
  }
}

__global__ void derivativeZ(const float *noalias f, float *noalias df) {
  __shared__ float s[m + 8][pencils];
  int l = threadIdx.x;
  int i = blockIdx.x * pencils + l;
  int j = blockIdx.y;
  for (int z = threadIdx.y; z < m; z += blockDim.y)
    s[z + 4][l] = f[(z * m + j) * m + i];
  __syncthreads();
  if (threadIdx.y < 4) {
    s[threadIdx.y][l] = s[m + threadIdx.y][l];
    s[m + 4 + threadIdx.y][l] = s[threadIdx.y + 4][l];
  }
  __syncthreads();
  for (int z = threadIdx.y; z < m; z += blockDim.y) {
    int k = z + 4;
    df[(z * m + j) * m + i] = slope[1] * (s[k + 1][l] - s[k - 1][l]) + slope[2] * (s[k + 2][l] - s[k - 2][l]) +
                              slope[3] * (s[k + 3][l] - s[k - 3][l]) + slope[4] * (s[k + 4][l] - s[k - 4][l]);
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  const float w[5] = {-2.5f, 0.5f, 0.2f, 0.1f, 0.05f}, c[5] = {0, 0.8f, -0.2f, 0.038f, -0.0035f};
  const int n = sized(384, 192, 32);
  const double points = double(n) * n * n, bytes = 8.0 * m * m * m;
  std::vector<float> u(n * n * n), f(m * m * m);
  fill(u, 1);
  fill(f, 2);
  DeviceArray<float> uD(u), vD(u.size()), fD(f), dfD(f.size());
  cudaMemcpyToSymbol(weight, w, sizeof w);
  cudaMemcpyToSymbol(slope, c, sizeof c);

  vD.clear();
  if (beginCase("star25", {.bytes = 8 * points, .flops = 29 * points, .kind = 4})) {
    dim3 grid(n / 32, n / 8, n), block(32, 8);
    while (nextSample())
      star<<<grid, block>>>(n, uD, vD);
    endCase(checksum(vD.onHost()));
  }

  dfD.clear();
  if (beginCase("derivative_x", {.bytes = bytes, .launches = sized(20, 20, 1)})) {
    dim3 grid(m / lines, m), block(m, lines);
    while (nextSample())
      derivativeX<<<grid, block>>>(fD, dfD);
    endCase(checksum(dfD.onHost()));
  }

  const dim3 grid(m / pencils, m), block(pencils, 8);
  dfD.clear();
  if (beginCase("derivative_y", {.bytes = bytes, .launches = sized(20, 20, 1)})) {
    while (nextSample())
      derivativeY<<<grid, block>>>(fD, dfD);
    endCase(checksum(dfD.onHost()));
  }

  dfD.clear();
  if (beginCase("derivative_z", {.bytes = bytes, .launches = sized(20, 20, 1)})) {
    while (nextSample())
      derivativeZ<<<grid, block>>>(fD, dfD);
    endCase(checksum(dfD.onHost()));
  }
  return finish();
}
