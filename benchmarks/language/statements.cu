// What statements and expressions look like: loops that end in the middle, switch, complex numbers, arrays of truth
// values, small arrays, functions for rounding and choosing, and nests of loops with a condition and reductions. Twin:
// statements.cuf.
#include "benchmark.h"
#include <cuComplex.h>

using namespace benchmark;

constexpr int threads = 256;

// Kepler's equation by Newton's method, as long as it takes.
__device__ double anomaly(double m, double e) {
  double x = e > 0.8 ? 3.14159265358979 : m;
  for (int k = 0; k < 50; ++k) {
    double change = (x - e * sin(x) - m) / (1 - e * cos(x));
    x -= change;
    if (fabs(change) < 1e-13)
      break;
  }
  return x;
}

__global__ void kepler(int n, const double *noalias m, const double *noalias e, double *noalias x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] = anomaly(m[i], e[i]);
}

// Boundary conditions and sources by the kind of each cell.
__global__ void applyKinds(int n, const int *noalias kinds, const double *noalias u, const double *noalias v,
                           double *noalias w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (kinds[i]) {
  case 0:
    w[i] = u[i];
    break;
  case 1:
    w[i] = u[i] + v[i];
    break;
  case 2:
  case 3:
    w[i] = u[i] * v[i];
    break;
  case 4:
  case 5:
  case 6:
  case 7:
    w[i] = fmax(u[i], v[i]) - kinds[i];
    break;
  case 10:
    w[i] = sqrt(u[i]) + v[i];
    break;
  default:
    w[i] = -v[i];
  }
}

// The Julia set by complex numbers; rows of pixels.
__device__ int juliaSteps(cuFloatComplex z, cuFloatComplex c) {
  int steps = 0;
  while (steps < 256) {
    z = cuCaddf(cuCmulf(z, z), c);
    if (z.x * z.x + z.y * z.y > 4)
      break;
    ++steps;
  }
  return steps;
}

__global__ void julia(int n, cuFloatComplex c, int *noalias steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    steps[j * n + i] = juliaSteps(make_cuFloatComplex(3.0f * (i + 1) / n - 1.5f, 3.0f * (j + 1) / n - 1.5f), c);
}

// Answers of a filter: a polynomial divided by another one.
__global__ void filter(int n, const cuFloatComplex *noalias p, const cuFloatComplex *noalias q,
                       const cuFloatComplex *noalias z, cuFloatComplex *noalias h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  cuFloatComplex above = p[4], below = q[4];
  for (int k = 3; k >= 0; --k) {
    above = cuCaddf(cuCmulf(above, z[i]), p[k]);
    below = cuCaddf(cuCmulf(below, z[i]), q[k]);
  }
  h[i] = cuCdivf(above, below);
}

// Cells of the sea that are next to land, and a tracer that spreads over the sea only.
__global__ void spreadOverSea(int n, const int *noalias sea, const float *noalias a, float *noalias b,
                              int *noalias coast) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i == 0 || i >= n - 1 || j == 0 || j >= n - 1)
    return;
  int at = j * n + i;
  float total = 0;
  int neighbours = 0;
  if (sea[at - 1]) {
    total += a[at - 1];
    ++neighbours;
  }
  if (sea[at + 1]) {
    total += a[at + 1];
    ++neighbours;
  }
  if (sea[at - n]) {
    total += a[at - n];
    ++neighbours;
  }
  if (sea[at + n]) {
    total += a[at + n];
    ++neighbours;
  }
  coast[at] = sea[at] && neighbours < 4;
  if (sea[at] && neighbours > 0)
    b[at] = 0.5f * a[at] + 0.5f * total / neighbours;
}

// Turns vectors and makes them as long as one.
__global__ void turn(int n, const double *noalias q, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double r[3], squares = 0;
  for (int k = 0; k < 3; ++k) {
    r[k] = 0;
    for (int l = 0; l < 3; ++l)
      r[k] += q[3 * l + k] * x[3 * i + l];
    squares += r[k] * r[k];
  }
  for (int k = 0; k < 3; ++k)
    y[3 * i + k] = r[k] / sqrt(squares);
}

// Deformation gradients: F F^T - 1, and its trace.
__global__ void strains(int n, const double *noalias f, double *noalias e, double *noalias trace) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double g[3][3], c[3][3];
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      g[k][l] = f[9 * i + 3 * k + l];
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      double total = 0;
      for (int m = 0; m < 3; ++m)
        total += g[m][l] * g[m][k];
      c[k][l] = 0.5 * total;
    }
  for (int k = 0; k < 3; ++k)
    c[k][k] -= 0.5;
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      e[9 * i + 3 * k + l] = c[k][l];
  trace[i] = c[0][0] + c[1][1] + c[2][2];
}

// Wraps positions into a box, rounds them to cells and finds the nearest image.
__global__ void wrap(int n, double box, const double *noalias x, int *noalias cell, double *noalias image) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double inside = fmod(x[i], box);
  if (inside < 0)
    inside += box;
  cell[i] = (int(inside * 16) + int(lround(x[i]))) % 97 + int(floor(x[i]));
  image[i] = copysign(1.0, x[i]) * fabs(x[i] - box * round(x[i] / box)) + (inside < 0.5 ? 1.0 : 0.0);
}

struct Sums {
  double total;
  unsigned long long greatest; // positive numbers have the order of their bits
  int above;
};

// Sum, greatest and number of some elements. A thread takes several; a block adds by shuffles and then once to
// `result`.
__global__ void conditionalSums(int n, const double *noalias a, Sums *noalias result) {
  __shared__ double sums[threads / 32], greatests[threads / 32];
  __shared__ int aboves[threads / 32];
  double total = 0, most = 0;
  int number = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    if (a[i] > 0.25) {
      total += a[i];
      most = fmax(most, a[i] * (1 - a[i]));
      ++number;
    }
  for (int mask = 16; mask > 0; mask /= 2) {
    total += __shfl_xor_sync(~0u, total, mask);
    most = fmax(most, __shfl_xor_sync(~0u, most, mask));
    number += __shfl_xor_sync(~0u, number, mask);
  }
  int t = threadIdx.x;
  if (t % 32 == 0) {
    sums[t / 32] = total;
    greatests[t / 32] = most;
    aboves[t / 32] = number;
  }
  __syncthreads();
  if (t > 0)
    return;
  for (int w = 1; w < threads / 32; ++w) {
    total += sums[w];
    most = fmax(most, greatests[w]);
    number += aboves[w];
  }
  atomicAdd(&result->total, total);
  atomicMax(&result->greatest, (unsigned long long)__double_as_longlong(most));
  atomicAdd(&result->above, number);
}

__global__ void threeLoops(int n, const float *noalias u, float *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i >= n - 1 || j >= n - 1 || k >= n - 1)
    return;
  int at = (k * n + j) * n + i;
  v[at] = u[at] + 0.1f * (u[at - 1] + u[at + 1] + u[at - n] + u[at + n] + u[at - n * n] + u[at + n * n] - 6 * u[at]);
}

void newton() {
  const int n = sized(1 << 22, 1 << 16, 1 << 10);
  std::vector<double> m(n), e(n);
  fill(m, 1);
  fill(e, 2);
  for (int i = 0; i < n; ++i) {
    m[i] *= 3;
    e[i] *= 0.95;
  }
  DeviceArray<double> mD(m), eD(e), xD(n);
  if (beginCase("newton", {.bytes = 24.0 * n})) {
    while (nextSample())
      kepler<<<2048, threads>>>(n, mD, eD, xD);
    endCase(checksum(xD.onHost()));
  }
}

void cases() {
  const int n = sized(1 << 24, 1 << 18, 1 << 10);
  std::vector<int> kinds(n);
  std::vector<double> u(n), v(n);
  fill(kinds, 12, 1);
  fill(u, 2);
  fill(v, 3);
  DeviceArray<int> kindsD(kinds);
  DeviceArray<double> uD(u), vD(v), wD(n);
  if (beginCase("select_case", {.bytes = 28.0 * n})) {
    while (nextSample())
      applyKinds<<<(n + threads - 1) / threads, threads>>>(n, kindsD, uD, vD, wD);
    endCase(checksum(wD.onHost()));
  }
}

void complexNumbers() {
  int n = sized(4096, 512, 64);
  DeviceArray<int> stepsD(n * n);
  if (beginCase("julia", {})) {
    while (nextSample())
      julia<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, make_cuFloatComplex(-0.4f, 0.6f), stepsD);
    endCase(sum(stepsD.onHost()));
  }

  n = sized(1 << 24, 1 << 18, 1 << 10);
  std::vector<float> numbers(2 * n);
  fill(numbers, 1);
  std::vector<cuFloatComplex> z(n), p(5), q(5);
  for (int i = 0; i < n; ++i)
    z[i] = make_cuFloatComplex(numbers[i], numbers[n + i]);
  for (int i = 0; i < 5; ++i) {
    p[i] = make_cuFloatComplex(1, i);
    q[i] = make_cuFloatComplex(i == 0 ? 60 : i + 2, 1); // no zeros where z is
  }
  DeviceArray<cuFloatComplex> pD(p), qD(q), zD(z), hD(n);
  if (beginCase("complex_filter", {.bytes = 16.0 * n, .kind = 4})) {
    while (nextSample())
      filter<<<(n + threads - 1) / threads, threads>>>(n, pD, qD, zD, hD);
    std::vector<float> re, im;
    for (cuFloatComplex h : hD.onHost()) {
      re.push_back(h.x);
      im.push_back(h.y);
    }
    endCase(checksum(re) + checksum(im));
  }
}

void logicalArrays() {
  const int n = sized(4096, 512, 64);
  std::vector<int> sea(n * n);
  std::vector<float> a(n * n);
  fill(sea, 10, 1);
  fill(a, 2);
  for (int &value : sea)
    value = value > 1;
  DeviceArray<int> seaD(sea), coastD(n * n);
  DeviceArray<float> aD(a), bD(n * n);
  bD.clear();
  coastD.clear();
  if (beginCase("logical_arrays", {.bytes = 16.0 * n * n, .kind = 4})) {
    while (nextSample())
      spreadOverSea<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, seaD, aD, bD, coastD);
    endCase(checksum(bD.onHost()) + sum(coastD.onHost()));
  }
}

void smallArrays() {
  int n = sized(1 << 23, 1 << 16, 1 << 10);
  std::vector<double> q(9), x(3 * n);
  fill(q, 1);
  fill(x, 2);
  if (DeviceArray<double> qD(q), xD(x), yD(3 * n); beginCase("matmul_small", {.bytes = 48.0 * n})) {
    while (nextSample())
      turn<<<(n + threads - 1) / threads, threads>>>(n, qD, xD, yD);
    endCase(checksum(yD.onHost()));
  }

  n = sized(1 << 21, 1 << 14, 1 << 8);
  std::vector<double> f(9 * n);
  fill(f, 1);
  DeviceArray<double> fD(f), eD(9 * n), traceD(n);
  if (beginCase("array_expressions", {.bytes = 152.0 * n})) {
    while (nextSample())
      strains<<<(n + threads - 1) / threads, threads>>>(n, fD, eD, traceD);
    endCase(checksum(eD.onHost()) + checksum(traceD.onHost()));
  }
}

void rounding() {
  const int n = sized(1 << 24, 1 << 18, 1 << 10);
  std::vector<double> x(n);
  fill(x, 1);
  for (double &value : x)
    value = 40 * (value - 0.5);
  DeviceArray<double> xD(x), imageD(n);
  DeviceArray<int> cellD(n);
  if (beginCase("rounding", {.bytes = 20.0 * n})) {
    while (nextSample())
      wrap<<<(n + threads - 1) / threads, threads>>>(n, 3.7, xD, cellD, imageD);
    endCase(checksum(imageD.onHost()) + checksum(cellD.onHost()));
  }
}

void loopNests() {
  int n = sized(8192, 1024, 64);
  std::vector<double> a(n * n);
  fill(a, 1);
  DeviceArray<double> aD(a);
  DeviceArray<Sums> sumsD(1);
  if (beginCase("conditional_sums", {.bytes = 8.0 * n * n})) {
    std::vector<Sums> sums;
    while (nextSample()) {
      sumsD.clear();
      conditionalSums<<<1056, threads>>>(n * n, aD, sumsD);
      sums = sumsD.onHost();
    }
    double greatest;
    memcpy(&greatest, &sums[0].greatest, sizeof greatest);
    endCase(sums[0].total + greatest + sums[0].above);
  }

  n = sized(384, 128, 32);
  std::vector<float> u(n * n * n);
  fill(u, 2);
  DeviceArray<float> uD(u), vD(u.size());
  vD.clear();
  if (beginCase("three_loops", {.bytes = 8.0 * n * n * n, .kind = 4})) {
    while (nextSample())
      threeLoops<<<dim3(n / 32, n / 8, n - 2), dim3(32, 8)>>>(n, uD, vD);
    endCase(checksum(vD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  newton();
  cases();
  complexNumbers();
  logicalArrays();
  smallArrays();
  rounding();
  loopNests();
  return finish();
}
