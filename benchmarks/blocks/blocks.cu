// Neighbours in periodic arrays; sums, tiles and filters whose loops have the stride of a block; small inverses in local
// arrays. Twin: blocks.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int bx = 32, by = 8, reach = 3, threads = 256, order = 4;

// Upwind transport on a torus.
__global__ void advect(int nx, int ny, double cx, double cy, const double *noalias u, double *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int w = (i - 1 + nx) % nx;
  int e = (i + 1) % nx;
  int s = (j - 1 + ny) % ny;
  int n = (j + 1) % ny;
  v[j * nx + i] = u[j * nx + i] - cx * (u[j * nx + i] - u[j * nx + w]) - cy * (u[j * nx + i] - u[s * nx + i]) +
                  0.01 * (u[j * nx + e] + u[j * nx + w] + u[n * nx + i] + u[s * nx + i] - 4 * u[j * nx + i]);
}

// Seven points in a periodic cube.
__global__ void diffusePeriodic(int n, float a, const float *noalias u, float *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  auto at = [&](int i, int j, int k) { return (k * n + j) * n + i; };
  for (int k = 0; k < n; ++k)
    v[at(i, j, k)] = u[at(i, j, k)] + a * (u[at((i - 1 + n) % n, j, k)] + u[at((i + 1) % n, j, k)] +
                                           u[at(i, (j - 1 + n) % n, k)] + u[at(i, (j + 1) % n, k)] +
                                           u[at(i, j, (k - 1 + n) % n)] + u[at(i, j, (k + 1) % n)] - 6 * u[at(i, j, k)]);
}

// A block brings each column of x to mean 0 and variance 1.
__global__ void standardise(int m, const float *noalias x, float *noalias y) {
  __shared__ float part[threads], squares[threads];
  int t = threadIdx.x, j = blockIdx.x;
  float total = 0, square = 0;
  for (int i = t; i < m; i += blockDim.x) {
    total += x[j * m + i];
    square += x[j * m + i] * x[j * m + i];
  }
  part[t] = total;
  squares[t] = square;
  __syncthreads();
  for (int k = blockDim.x / 2; k >= 1; k /= 2) {
    if (t < k) {
      part[t] += part[t + k];
      squares[t] += squares[t + k];
    }
    __syncthreads();
  }
  float mean = part[0] / m;
  float scale = 1 / sqrtf(squares[0] / m - mean * mean);
  for (int i = t; i < m; i += blockDim.x)
    y[j * m + i] = (x[j * m + i] - mean) * scale;
}

// Sums along the rows of x: a block for 32 rows.
__global__ void sumRows(int n, int m, const double *noalias x, double *noalias total) {
  __shared__ double part[by][bx];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = 0;
  if (i < n)
    for (int j = threadIdx.y; j < m; j += blockDim.y)
      s += x[j * n + i];
  part[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y == 0 && i < n) {
    for (int k = 1; k < blockDim.y; ++k)
      s += part[k][threadIdx.x];
    total[i] = s;
  }
}

// A filter of 7 x 7 points; the block loads a tile with its margin.
__global__ void filterTile(int n, const float *noalias weight, const float *noalias x, float *noalias y) {
  __shared__ float tile[by + 2 * reach][bx + 2 * reach];
  int i0 = blockIdx.x * bx, j0 = blockIdx.y * by;
  for (int j = threadIdx.y; j < by + 2 * reach; j += blockDim.y)
    for (int i = threadIdx.x; i < bx + 2 * reach; i += blockDim.x)
      tile[j][i] = x[min(max(j0 + j - reach, 0), n - 1) * n + min(max(i0 + i - reach, 0), n - 1)];
  __syncthreads();
  float total = 0;
  for (int l = 0; l <= 2 * reach; ++l)
    for (int k = 0; k <= 2 * reach; ++k)
      total += weight[l * (2 * reach + 1) + k] * tile[threadIdx.y + l][threadIdx.x + k];
  y[(j0 + threadIdx.y) * n + i0 + threadIdx.x] = total;
}

// The inverse of a matrix of each thread, by Gauss and Jordan.
__global__ void invert(int n, const double *noalias a, double *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x[order][order];
  for (int j = 0; j < order; ++j)
    for (int k = 0; k < order; ++k)
      x[j][k] = a[(j * order + k) * n + i];
  for (int k = 0; k < order; ++k) {
    double p = 1 / x[k][k];
    x[k][k] = 1;
    for (int j = 0; j < order; ++j)
      x[j][k] *= p;
    for (int l = 0; l < order; ++l) {
      if (l == k)
        continue;
      double f = x[k][l];
      x[k][l] = 0;
      for (int j = 0; j < order; ++j)
        x[j][l] -= f * x[j][k];
    }
  }
  for (int j = 0; j < order; ++j)
    for (int k = 0; k < order; ++k)
      b[(j * order + k) * n + i] = x[j][k];
}

void torus() {
  const int n = sized(8192, 1024, 64);
  std::vector<double> u(n * n);
  fill(u, 1);
  DeviceArray<double> uD(u), vD(n * n);
  if (beginCase("advect_periodic", {.bytes = 16.0 * n * n})) {
    while (nextSample())
      advect<<<dim3(n / bx, n / by), dim3(bx, by)>>>(n, n, 0.3, 0.2, uD, vD);
    endCase(checksum(vD.onHost()));
  }
}

void cube() {
  const int n = sized(512, 96, 32);
  std::vector<float> u(n * n * n);
  fill(u, 1);
  DeviceArray<float> uD(u), vD(n * n * n);
  if (beginCase("diffuse_periodic", {.bytes = 8.0 * n * n * n, .kind = 4})) {
    while (nextSample())
      diffusePeriodic<<<dim3(n / bx, n / by), dim3(bx, by)>>>(n, 0.1f, uD, vD);
    endCase(checksum(vD.onHost()));
  }
}

void columns() {
  const int m = 2048, n = sized(1 << 14, 1 << 8, 1 << 4);
  std::vector<float> x(m * n);
  fill(x, 1);
  DeviceArray<float> xD(x), yD(m * n);
  if (beginCase("standardise", {.bytes = 8.0 * m * n, .kind = 4})) {
    while (nextSample())
      standardise<<<n, threads>>>(m, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

void rows() {
  const int n = sized(1 << 17, 1 << 10, 1 << 8), m = 400;
  std::vector<double> x(n * m);
  fill(x, 1);
  DeviceArray<double> xD(x), totalD(n);
  if (beginCase("sum_rows", {.bytes = 8.0 * n * m})) {
    while (nextSample())
      sumRows<<<n / bx, dim3(bx, by)>>>(n, m, xD, totalD);
    endCase(checksum(totalD.onHost()));
  }
}

void filters() {
  const int n = sized(8192, 512, 64), width = 2 * reach + 1;
  std::vector<float> x(n * n), weight(width * width);
  fill(x, 1);
  fill(weight, 2);
  DeviceArray<float> xD(x), yD(n * n), weightD(weight);
  if (beginCase("filter_tile", {.bytes = 8.0 * n * n, .flops = 98.0 * n * n, .kind = 4})) {
    while (nextSample())
      filterTile<<<dim3(n / bx, n / by), dim3(bx, by)>>>(n, weightD, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

void inverses() {
  const int n = sized(1 << 20, 1 << 14, 1 << 10);
  std::vector<double> a(n * order * order);
  fill(a, 1);
  for (int k = 0; k < order; ++k)
    for (int i = 0; i < n; ++i)
      a[(k * order + k) * n + i] += 4;
  DeviceArray<double> aD(a), bD(n * order * order);
  if (beginCase("small_inverse", {.bytes = 16.0 * n * order * order})) {
    while (nextSample())
      invert<<<n / threads, threads>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  torus();
  cube();
  columns();
  rows();
  filters();
  inverses();
  return finish();
}
