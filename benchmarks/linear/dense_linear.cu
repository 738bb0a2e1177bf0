// Dense linear algebra as programs write it themselves: matrix times vector along rows and columns, the product of
// matrices straight from global memory, a 5 x 5 convolution with weights in constant memory, factors of many 8 x 8
// matrices in local arrays, and the product of matrices of double-complex numbers. Twin: dense_linear.cuf.
#include "benchmark.h"
#include <cuComplex.h>

using namespace benchmark;

constexpr int threads = 256, tile = 16, small = 8;
__constant__ float weight[5][5];

__global__ void timesVector(int m, int n, const double *noalias a, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  double total = 0;
  for (int j = 0; j < n; ++j)
    total += a[j * m + i] * x[j];
  y[i] = total;
}

// The product with the transpose: a block for each column.
__global__ void transposeTimesVector(int m, int n, const double *noalias a, const double *noalias x,
                                     double *noalias y) {
  __shared__ double part[threads];
  int t = threadIdx.x;
  int j = blockIdx.x;
  double total = 0;
  for (int i = t; i < m; i += blockDim.x)
    total += a[j * m + i] * x[i];
  part[t] = total;
  __syncthreads();
  for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
    if (t < offset)
      part[t] += part[t + offset];
    __syncthreads();
  }
  if (t == 0)
    y[j] = part[0];
}

__global__ void simpleProduct(int n, const float *noalias a, const float *noalias b, float *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float total = 0;
  for (int k = 0; k < n; ++k)
    total += a[k * n + i] * b[j * n + k];
  c[j * n + i] = total;
}

__global__ void convolve(int n, const float *noalias a, float *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 2 || i >= n - 2 || j < 2 || j >= n - 2)
    return;
  float total = 0;
  for (int q = -2; q <= 2; ++q)
    for (int p = -2; p <= 2; ++p)
      total += weight[q + 2][p + 2] * a[(j + q) * n + i + p];
  b[j * n + i] = total;
}

// A thread factors one matrix; element (i, j) of all matrices lie together.
__global__ void factor(int count, const double *noalias a, double *noalias lu) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count)
    return;
  double m[small][small];
  for (int j = 0; j < small; ++j)
    for (int i = 0; i < small; ++i)
      m[j][i] = a[(j * small + i) * count + s];
  for (int k = 0; k < small - 1; ++k) {
    double r = 1 / m[k][k];
    for (int i = k + 1; i < small; ++i)
      m[k][i] *= r;
    for (int j = k + 1; j < small; ++j)
      for (int i = k + 1; i < small; ++i)
        m[j][i] -= m[k][i] * m[j][k];
  }
  for (int j = 0; j < small; ++j)
    for (int i = 0; i < small; ++i)
      lu[(j * small + i) * count + s] = m[j][i];
}

__global__ void tiledProduct(int n, const cuDoubleComplex *noalias a, const cuDoubleComplex *noalias b,
                             cuDoubleComplex *noalias c) {
  __shared__ cuDoubleComplex partA[tile][tile], partB[tile][tile];
  int x = threadIdx.x;
  int y = threadIdx.y;
  int i = blockIdx.x * tile + x;
  int j = blockIdx.y * tile + y;
  cuDoubleComplex total = make_cuDoubleComplex(0, 0);
  for (int step = 0; step < n; step += tile) {
    partA[y][x] = a[(step + y) * n + i];
    partB[y][x] = b[j * n + step + x];
    __syncthreads();
    for (int k = 0; k < tile; ++k)
      total = cuCadd(total, cuCmul(partA[k][x], partB[y][k]));
    __syncthreads();
  }
  c[j * n + i] = total;
}

void vectors() {
  const int m = sized(1 << 16, 1 << 11, 1 << 9), n = sized(1 << 10, 1 << 9, 1 << 6);
  std::vector<double> a(m * n), x(m);
  fill(a, 1);
  fill(x, 2);
  DeviceArray<double> aD(a), xD(x), yD(m);

  if (beginCase("gemv", {.bytes = 8.0 * m * n, .flops = 2.0 * m * n})) {
    while (nextSample())
      timesVector<<<(m + threads - 1) / threads, threads>>>(m, n, aD, xD, yD);
    endCase(checksum(yD.onHost()));
  }

  if (beginCase("gemv_transposed", {.bytes = 8.0 * m * n, .flops = 2.0 * m * n})) {
    while (nextSample())
      transposeTimesVector<<<n, threads>>>(m, n, aD, xD, yD);
    std::vector<double> y = yD.onHost();
    y.resize(n);
    endCase(checksum(y));
  }
}

void realProduct() {
  const int n = sized(2048, 256, 64);
  std::vector<float> a(n * n), b(n * n);
  fill(a, 1);
  fill(b, 2);
  DeviceArray<float> aD(a), bD(b), cD(n * n);
  if (beginCase("matmul_simple", {.flops = 2.0 * n * n * n, .kind = 4})) {
    while (nextSample())
      simpleProduct<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, aD, bD, cD);
    endCase(checksum(cD.onHost()));
  }
}

void convolution() {
  const int n = sized(8192, 1024, 64);
  std::vector<float> a(n * n), w(25);
  fill(a, 1);
  fill(w, 2);
  DeviceArray<float> aD(a), bD(n * n);
  bD.clear();
  cudaMemcpyToSymbol(weight, w.data(), sizeof weight);
  if (beginCase("convolution", {.bytes = 8.0 * n * n, .flops = 50.0 * n * n, .kind = 4})) {
    while (nextSample())
      convolve<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void smallMatrices() {
  const int count = sized(1 << 18, 1 << 12, 1 << 9);
  std::vector<double> a(count * small * small);
  fill(a, 1);
  for (int i = 0; i < small; ++i)
    for (int s = 0; s < count; ++s)
      a[(i * small + i) * count + s] += small;
  DeviceArray<double> aD(a), luD(a.size());
  if (beginCase("small_lu", {.bytes = 16.0 * count * small * small})) {
    while (nextSample())
      factor<<<(count + 127) / 128, 128>>>(count, aD, luD);
    endCase(checksum(luD.onHost()));
  }
}

void complexProduct() {
  const int n = sized(2048, 256, 64);
  std::vector<double> numbers(4 * n * n);
  fill(numbers, 1);
  std::vector<cuDoubleComplex> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = make_cuDoubleComplex(numbers[i], numbers[n * n + i]);
    b[i] = make_cuDoubleComplex(numbers[2 * n * n + i], numbers[3 * n * n + i]);
  }
  DeviceArray<cuDoubleComplex> aD(a), bD(b), cD(n * n);
  if (beginCase("complex_product", {.flops = 8.0 * n * n * n, .kind = 8})) {
    while (nextSample())
      tiledProduct<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(n, aD, bD, cD);
    std::vector<double> re, im;
    for (cuDoubleComplex c : cD.onHost()) {
      re.push_back(c.x);
      im.push_back(c.y);
    }
    endCase(checksum(re) + checksum(im));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  vectors();
  realProduct();
  convolution();
  smallMatrices();
  complexProduct();
  return finish();
}
