// Loops of threads: over a grid with the stride of all threads, in two dimensions; over a row with the stride of a
// block; sums and greatest elements of parts of arrays; every second point; and a thread for each point. Twin:
// loops.cuf.
#include "benchmark.h"
#include <cfloat>

using namespace benchmark;

constexpr int threads = 256;

__global__ void evaluate(int nx, int ny, double dx, double dy, double *noalias f) {
  for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < ny; j += blockDim.y * gridDim.y) {
    double y = (j + 0.5) * dy;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nx; i += blockDim.x * gridDim.x) {
      double x = (i + 0.5) * dx;
      f[j * nx + i] = x * x * y - y * y * x + 1;
    }
  }
}

// A block for each column of a.
__global__ void normalise(int m, int n, const float *noalias a, float *noalias b) {
  __shared__ float part[threads];
  int t = threadIdx.x;
  int j = blockIdx.x;
  float most = -FLT_MAX;
  for (int i = t; i < m; i += blockDim.x)
    most = fmaxf(most, a[j * m + i]);
  part[t] = most;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k)
      part[t] = fmaxf(part[t], part[t + k]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float total = 0;
  for (int i = t; i < m; i += blockDim.x)
    total += expf(a[j * m + i] - most);
  part[t] = total;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k)
      part[t] += part[t + k];
    __syncthreads();
  }
  total = part[0];
  for (int i = t; i < m; i += blockDim.x)
    b[j * m + i] = expf(a[j * m + i] - most) / total;
}

// A thread for each row of a.
__global__ void rowStatistics(int n, int m, const float *noalias a, float *noalias mean, float *noalias greatest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float total = 0, most = -FLT_MAX;
  for (int k = 0; k < m; ++k)
    total += a[k * n + i];
  mean[i] = total / m;
  for (int k = 0; k < m; ++k)
    most = fmaxf(most, a[k * n + i]);
  greatest[i] = most;
}

// Points of one colour of a chessboard, by Gauss and Seidel with overrelaxation.
__global__ void relaxColour(int n, int colour, double omega, const double *noalias f, double *noalias u) {
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (j + 1 + colour) % 2;
  if (i < n - 1 && j < n - 1) {
    double r =
        u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i] - 4 * u[j * n + i] - f[j * n + i];
    u[j * n + i] += 0.25 * omega * r;
  }
}

__global__ void fivePoints(int n, const double *noalias a, double *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i < n - 1 && j < n - 1)
    b[j * n + i] = 0.25 * (a[j * n + i - 1] + a[j * n + i + 1] + a[(j - 1) * n + i] + a[(j + 1) * n + i]);
}

void grid() {
  const int n = sized(8192, 1024, 64);
  DeviceArray<double> fD(n * n);
  if (beginCase("grid_stride", {.bytes = 8.0 * n * n})) {
    while (nextSample())
      evaluate<<<dim3(64, 256), dim3(32, 8)>>>(n, n, 1.0 / n, 2.0 / n, fD);
    endCase(checksum(fD.onHost()));
  }
}

void columns() {
  const int m = 1000, n = sized(1 << 15, 1 << 9, 1 << 5);
  std::vector<float> a(m * n);
  fill(a, 1);
  DeviceArray<float> aD(a), bD(m * n);
  if (beginCase("softmax", {.bytes = 8.0 * m * n, .kind = 4})) {
    while (nextSample())
      normalise<<<n, threads>>>(m, n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void rows() {
  const int n = sized(1 << 19, 1 << 12, 1 << 9), m = 64;
  std::vector<float> a(n * m);
  fill(a, 1);
  DeviceArray<float> aD(a), meanD(n), greatestD(n);
  if (beginCase("row_statistics", {.bytes = 4.0 * n * m, .kind = 4})) {
    while (nextSample())
      rowStatistics<<<(n + threads - 1) / threads, threads>>>(n, m, aD, meanD, greatestD);
    endCase(checksum(meanD.onHost()) + checksum(greatestD.onHost()));
  }
}

void chessboard() {
  const int n = sized(4096, 512, 64);
  const dim3 grid(n / 64, n / 8), block(32, 8);
  std::vector<double> f(n * n), u(n * n);
  fill(f, 1);
  fill(u, 2);
  DeviceArray<double> fD(f), uD(u);
  if (beginCase("red_black", {.bytes = 40.0 * n * n})) {
    while (nextSample()) {
      relaxColour<<<grid, block>>>(n, 0, 0.9, fD, uD);
      relaxColour<<<grid, block>>>(n, 1, 0.9, fD, uD);
    }
    // One sweep from the beginning, since the number of samples varies.
    uD = u;
    relaxColour<<<grid, block>>>(n, 0, 0.9, fD, uD);
    relaxColour<<<grid, block>>>(n, 1, 0.9, fD, uD);
    endCase(checksum(uD.onHost()));
  }
}

void fivePointsCase() {
  const int n = sized(4096, 512, 64);
  std::vector<double> a(n * n);
  fill(a, 1);
  DeviceArray<double> aD(a), bD(a);
  if (beginCase("five_points", {.bytes = 16.0 * n * n})) {
    while (nextSample())
      fivePoints<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  grid();
  columns();
  rows();
  chessboard();
  fivePointsCase();
  return finish();
}
