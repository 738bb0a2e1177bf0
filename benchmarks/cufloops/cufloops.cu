// Kernels written by hand for the loops and array expressions of the twin, cufloops.cuf.
#include "benchmark.h"

using namespace benchmark;

struct IdealGas {
  float gamma = 1.4f, floor = 1e-3f;
};

__global__ void everySecond(int n, double a, double b, const double *noalias x, double *noalias y) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n - 1)
    y[i] = a * x[i] + b * y[i + 1];
}

__global__ void advance(int n, double dt, const double *noalias state, const double *noalias rate,
                        const double *noalias volume, double *noalias advanced) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= n || j >= n)
    return;
  int row = n + 6;
  double divisor = volume[((k + 1) * (n + 2) + j + 1) * (n + 2) + i + 1];
  for (int m = 0; m < 5; ++m) {
    int at = ((m * n + k) * n + j) * n + i;
    advanced[at] = state[((m * row + k + 3) * row + j + 3) * row + i + 3] + dt * rate[at] / divisor;
  }
}

// Along z, with weights for nine points.
__global__ void smoothZ(int n, const double *noalias c, const double *noalias u, double *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= n || j >= n || k >= n)
    return;
  double total = 0;
  for (int l = 0; l < 9; ++l)
    total += c[l] * u[((k + l) * n + j) * n + i];
  v[(k * n + j) * n + i] = total;
}

// Greatest and least numbers are stored as whole numbers of the same order, the least ones upside down: none is 0.
struct Statistics {
  double total;
  unsigned long long greatest, least, above;
  int large, zero;
};

__host__ __device__ inline unsigned long long ordered(double x) {
  unsigned long long bits;
  memcpy(&bits, &x, sizeof x);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

inline double unordered(unsigned long long key) {
  unsigned long long bits = key >> 63 ? key & ~(1ull << 63) : ~key;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Sum, greatest, least and number above a limit where the mask says so, and two statements about all.
__global__ void statistics(int count, const double *noalias a, const int *noalias mask, double limit,
                           Statistics *found) {
  double total = 0, greatest = -HUGE_VAL, least = HUGE_VAL;
  long long above = 0;
  int large = 0, zero = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    double value = a[i];
    if (mask[i]) {
      total += value;
      greatest = fmax(greatest, value);
      least = fmin(least, value);
      if (value > limit)
        ++above;
    }
    large |= !(fabs(value) < 2);
    zero |= value == 0;
  }
  __shared__ double totals[8], most[8], fewest[8];
  __shared__ long long counts[8];
  __shared__ int flags[8];
  int flag = large + 2 * zero;
  for (int offset = 16; offset > 0; offset /= 2) {
    total += __shfl_xor_sync(~0u, total, offset);
    greatest = fmax(greatest, __shfl_xor_sync(~0u, greatest, offset));
    least = fmin(least, __shfl_xor_sync(~0u, least, offset));
    above += __shfl_xor_sync(~0u, above, offset);
    flag |= __shfl_xor_sync(~0u, flag, offset);
  }
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    totals[warp] = total;
    most[warp] = greatest;
    fewest[warp] = least;
    counts[warp] = above;
    flags[warp] = flag;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int other = 1; other < 8; ++other) {
      total += totals[other];
      greatest = fmax(greatest, most[other]);
      least = fmin(least, fewest[other]);
      above += counts[other];
      flag |= flags[other];
    }
    atomicAdd(&found->total, total);
    atomicMax(&found->greatest, ordered(greatest));
    atomicMax(&found->least, ~ordered(least));
    atomicAdd(&found->above, (unsigned long long)above);
    if (flag & 1)
      atomicOr(&found->large, 1);
    if (flag & 2)
      atomicOr(&found->zero, 1);
  }
}

__global__ void productByRows(int m, int n, const double *noalias a, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  double total = 0;
  for (int j = 0; j < n; ++j)
    total += a[j * m + i] * x[j];
  y[i] = total;
}

__global__ void productByColumns(int m, int n, const double *noalias a, const double *noalias x, double *noalias y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  y[j] = 0;
  for (int i = 0; i < m; ++i)
    y[j] += a[j * m + i] * x[i];
}

__global__ void conjugateTranspose(int m, int n, const float2 *noalias a, float2 *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    b[i * n + j] = make_float2(a[j * m + i].x, -a[j * m + i].y);
}

// What the neighbours across the periodic boundary have: along x, y and z.
__global__ void fillX(int n, double *noalias a) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int k = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (j > n || k > n)
    return;
  double *row = a + (k * (n + 2) + j) * (n + 2);
  row[0] = row[n];
  row[n + 1] = row[1];
}

__global__ void fillY(int n, double *noalias a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > n + 1 || k > n)
    return;
  double *plane = a + k * (n + 2) * (n + 2);
  plane[i] = plane[n * (n + 2) + i];
  plane[(n + 1) * (n + 2) + i] = plane[n + 2 + i];
}

__global__ void fillZ(int n, double *noalias a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > n + 1 || j > n + 1)
    return;
  int plane = (n + 2) * (n + 2), at = j * (n + 2) + i;
  a[at] = a[n * plane + at];
  a[(n + 1) * plane + at] = a[plane + at];
}

// A symmetric matrix, of which the lower half is stored.
__global__ void symmetricProduct(int n, const double *noalias a, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double total = 0;
  for (int j = 0; j <= i; ++j)
    total += a[j * n + i] * x[j];
  for (int j = i + 1; j < n; ++j)
    total += a[i * n + j] * x[j];
  y[i] = total;
}

__device__ inline float vanLeer(float a, float b) { return a * b > 0 ? 2 * a * b / (a + b) : 0; }

__device__ inline float sound(IdealGas gas, float r, float p) {
  return sqrtf(gas.gamma * fmaxf(p, gas.floor) / fmaxf(r, gas.floor));
}

// States at the two sides of each face, and the speed of the faster wave there.
__global__ void reconstruct(int n, int m, IdealGas gas, const float *noalias r, const float *noalias p,
                            float *noalias left, float *noalias right, float *noalias speed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y;
  if (i >= n)
    return;
  r += j * (n + 3) + i + 1;
  p += j * (n + 3) + i + 1;
  float rl = r[0] + 0.5f * vanLeer(r[0] - r[-1], r[1] - r[0]);
  float rr = r[1] - 0.5f * vanLeer(r[1] - r[0], r[2] - r[1]);
  float pl = p[0] + 0.5f * vanLeer(p[0] - p[-1], p[1] - p[0]);
  float pr = p[1] - 0.5f * vanLeer(p[1] - p[0], p[2] - p[1]);
  left[j * n + i] = rl;
  right[j * n + i] = rr;
  speed[j * n + i] = fmaxf(sound(gas, rl, pl), sound(gas, rr, pr));
}

// Sums from the top of columns, over what is no rock.
__global__ void cumulate(int nx, int ny, int nz, const signed char *noalias rock, const double *noalias q,
                         const double *noalias dz, double *noalias sums, double *noalias depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  double total = 0, wet = 0;
  for (int k = 0; k < nz; ++k) {
    int at = (k * ny + j) * nx + i;
    sums[at] = total;
    if (rock[at])
      continue;
    total += q[at] * dz[k];
    wet += dz[k];
    sums[at] = total;
  }
  depth[j * nx + i] = wet;
}

// All points of a periodic box.
__global__ void diffuse(int nx, int ny, int nz, double d, const double *noalias u, double *noalias v) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= nx * ny * nz)
    return;
  int i = at % nx, j = at / nx % ny, k = at / (nx * ny);
  auto value = [&](int x, int y, int z) { return u[(z * ny + y) * nx + x]; };
  v[at] = (1 - 6 * d) * u[at] +
          d * (value((i - 1 + nx) % nx, j, k) + value((i + 1) % nx, j, k) + value(i, (j - 1 + ny) % ny, k) +
               value(i, (j + 1) % ny, k) + value(i, j, (k - 1 + nz) % nz) + value(i, j, (k + 1) % nz));
}

__global__ void countClasses(int n, int classes, const float *noalias x, int *noalias counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[int(x[i] * classes)], 1);
}

__global__ void innerProduct(int n, const double2 *noalias x, const double2 *noalias y, double2 *z) {
  double re = 0, im = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    re += x[i].x * y[i].x + x[i].y * y[i].y;
    im += x[i].x * y[i].y - x[i].y * y[i].x;
  }
  __shared__ double2 partial[8];
  for (int offset = 16; offset > 0; offset /= 2) {
    re += __shfl_xor_sync(~0u, re, offset);
    im += __shfl_xor_sync(~0u, im, offset);
  }
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = make_double2(re, im);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 8; ++warp) {
      re += partial[warp].x;
      im += partial[warp].y;
    }
    atomicAdd(&z->x, re);
    atomicAdd(&z->y, im);
  }
}

// A block for each column.
__global__ void scaleColumns(int m, int n, const double *noalias b, const double *noalias s, double *noalias a) {
  int j = blockIdx.x;
  for (int i = threadIdx.x; i < m; i += blockDim.x)
    a[j * m + i] = b[j * m + i] * s[j];
}

__global__ void sections(int n, const double *noalias b, const double *noalias c, double *noalias a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 2)
    a[i + 1] = b[i] + c[i + 2];
}

__global__ void stridedSections(int n, const double *noalias b, const double *noalias c, double *noalias a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2)
    a[2 * i] = b[2 * i + 1] - c[n - 1 - 2 * i];
}

__global__ void whereConstruct(int n, const double *noalias b, const double *noalias c, double *noalias a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (b[i] > 0.5)
    a[i] = sqrt(b[i]);
  else
    a[i] = c[i] * c[i];
}

__global__ void elementwise(int n, const double *noalias b, const double *noalias c, const int *noalias k,
                            double *noalias a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = exp(-b[i]) * fmax(c[i], 0.5) + double(k[i]);
}

__global__ void planeSections(int n, const double *noalias v, double *noalias u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int row = n + 2, at = (j + 1) * row + i + 1;
  u[j * n + i] = v[at] + 0.1 * (v[at - 1] + v[at + 1] + v[at - row] + v[at + row] - 4 * v[at]);
}

std::vector<double> random(size_t count, int seed, double plus = 0) {
  std::vector<double> x(count);
  fill(x, seed);
  for (double &value : x)
    value += plus;
  return x;
}

std::vector<float> randomFloats(size_t count, int seed, float plus = 0) {
  std::vector<float> x(count);
  fill(x, seed);
  for (float &value : x)
    value += plus;
  return x;
}

void runSteps() {
  const int n = sized(1 << 24, 1 << 16, 2000);
  DeviceArray<double> x(random(n, 1)), y(random(n, 2));
  if (beginCase("every_second_cuf", {.bytes = 16.0 * n})) {
    while (nextSample())
      everySecond<<<(n / 2 + 255) / 256, 256>>>(n, 2, 0.5, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runFourLoops() {
  const int n = sized(144, 32, 10);
  const size_t cells = n * n * n, wide = (n + 6) * (n + 6) * (n + 6), inner = (n + 2) * (n + 2) * (n + 2);
  DeviceArray<double> state(random(5 * wide, 1)), rate(random(5 * cells, 2)), volume(random(inner, 3, 0.5)),
      advanced(5 * cells);
  if (beginCase("advance_cuf", {.bytes = 128.0 * cells})) {
    while (nextSample())
      advance<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, 0.25, state, rate, volume, advanced);
    endCase(checksum(advanced.onHost()));
  }
}

void runSmoothing() {
  const int n = sized(256, 48, 12);
  DeviceArray<double> c(random(9, 1)), u(random(n * n * (n + 8), 2)), v(n * n * n);
  if (beginCase("smooth_z_cuf", {.bytes = 16.0 * n * n * n, .flops = 18.0 * n * n * n})) {
    while (nextSample())
      smoothZ<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), dim3(32, 4, 2)>>>(n, c, u, v);
    endCase(checksum(v.onHost()));
  }
}

void runStatistics() {
  const int count = sized(4000, 200, 50) * sized(3000, 150, 40);
  std::vector<double> a = random(count, 1);
  std::vector<int> mask(count);
  for (int i = 0; i < count; ++i) {
    mask[i] = a[i] < 0.9 && a[i] > 0.2;
    a[i] -= 0.5;
  }
  DeviceArray<double> aD(a);
  DeviceArray<int> maskD(mask);
  DeviceArray<Statistics> foundD(1);
  if (beginCase("statistics_cuf", {.bytes = 12.0 * count})) {
    Statistics found;
    while (nextSample()) {
      foundD.clear();
      statistics<<<132 * 8, 256>>>(count, aD, maskD, 0.25, foundD);
      cudaMemcpy(&found, foundD, sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(found.total + 10 * unordered(found.greatest) + 100 * unordered(~found.least) + found.above);
  }
}

void runProducts() {
  const int m = sized(1 << 16, 1024, 100), n = sized(256, 64, 20);
  DeviceArray<double> a(random(m * n, 1)), x(random(m, 2)), y(m);
  if (beginCase("product_by_rows_cuf", {.bytes = 8.0 * m * n, .flops = 2.0 * m * n})) {
    while (nextSample())
      productByRows<<<(m + 127) / 128, 128>>>(m, n, a, x, y);
    endCase(checksum(y.onHost()));
  }
  a = random(m * n, 3);
  if (beginCase("product_by_columns_cuf", {.bytes = 8.0 * m * n, .flops = 2.0 * m * n})) {
    while (nextSample())
      productByColumns<<<(m + 127) / 128, 128>>>(n, m, a, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runTranspose() {
  const int m = sized(4096, 128, 40), n = sized(3072, 96, 24);
  DeviceArray<float> a(randomFloats(2 * m * n, 1)), b(2 * m * n);
  auto *from = reinterpret_cast<float2 *>((float *)a), *to = reinterpret_cast<float2 *>((float *)b);
  if (beginCase("conjugate_transpose_cuf", {.bytes = 16.0 * m * n})) {
    while (nextSample())
      conjugateTranspose<<<dim3((m + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(m, n, from, to);
    endCase(checksum(b.onHost()));
  }
}

void runHalos() {
  const int n = sized(320, 48, 12);
  DeviceArray<double> a(random((n + 2) * (n + 2) * (n + 2), 1));
  dim3 block(32, 4), grid((n + 33) / 32, (n + 5) / 4);
  if (beginCase("fill_halos_cuf", {.bytes = 96.0 * n * n, .launches = 10})) {
    while (nextSample()) {
      fillX<<<grid, block>>>(n, a);
      fillY<<<grid, block>>>(n, a);
      fillZ<<<grid, block>>>(n, a);
    }
    endCase(checksum(a.onHost()));
  }
}

void runSymmetric() {
  const int n = sized(2048, 200, 50);
  DeviceArray<double> a(random(n * n, 1)), x(random(n, 2)), y(n);
  if (beginCase("symmetric_product_cuf", {.bytes = 4.0 * n * n, .flops = 2.0 * n * n})) {
    while (nextSample())
      symmetricProduct<<<(n + 63) / 64, 64>>>(n, a, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runReconstruction() {
  const int n = sized(4096, 128, 40), m = sized(2048, 64, 16);
  DeviceArray<float> r(randomFloats((n + 3) * m, 1, 0.25f)), p(randomFloats((n + 3) * m, 2)), left(n * m), right(n * m),
      speed(n * m);
  IdealGas gas;
  gas.gamma = 1.25f;
  if (beginCase("reconstruct_cuf", {.bytes = 20.0 * n * m, .kind = 4})) {
    while (nextSample())
      reconstruct<<<dim3((n + 127) / 128, m), 128>>>(n, m, gas, r, p, left, right, speed);
    endCase(checksum(left.onHost()) + checksum(right.onHost()) + checksum(speed.onHost()));
  }
}

void runColumns() {
  const int nx = sized(512, 64, 20), ny = sized(384, 32, 10), nz = sized(50, 20, 8), cells = nx * ny * nz;
  std::vector<double> q = random(cells, 1);
  std::vector<signed char> rock(cells);
  for (int i = 0; i < cells; ++i)
    rock[i] = q[i] > 0.75;
  DeviceArray<double> qD(q), dz(random(nz, 2)), sums(cells), depth(nx * ny);
  DeviceArray<signed char> rockD(rock);
  if (beginCase("cumulate_cuf", {.bytes = 17.0 * cells})) {
    while (nextSample())
      cumulate<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(nx, ny, nz, rockD, qD, dz, sums, depth);
    endCase(checksum(sums.onHost()));
  }
}

void runCollapsed() {
  const int nx = sized(250, 50, 10), ny = sized(270, 40, 9), nz = sized(240, 30, 8), cells = nx * ny * nz;
  DeviceArray<double> u(random(cells, 1)), v(cells);
  if (beginCase("diffuse_collapsed_cuf", {.bytes = 16.0 * cells})) {
    while (nextSample())
      diffuse<<<(cells + 127) / 128, 128>>>(nx, ny, nz, 0.1, u, v);
    endCase(checksum(v.onHost()));
  }
}

void runClasses() {
  const int n = sized(1 << 24, 1 << 16, 2000), classes = 4000;
  DeviceArray<float> x(randomFloats(n, 1));
  DeviceArray<int> counts(classes);
  counts.clear();
  if (beginCase("count_classes_cuf", {.bytes = 4.0 * n})) {
    while (nextSample())
      countClasses<<<(n + 127) / 128, 128>>>(n, classes, x, counts);
    counts.clear();
    countClasses<<<(n + 127) / 128, 128>>>(n, classes, x, counts);
    endCase(checksum(counts.onHost()));
  }
}

void runInnerProduct() {
  const int n = sized(1 << 23, 1 << 15, 2000);
  std::vector<double> parts = random(4 * n, 1), x(2 * n), y(2 * n);
  for (int i = 0; i < n; ++i)
    for (int m = 0; m < 2; ++m) {
      x[2 * i + m] = parts[4 * i + m];
      y[2 * i + m] = parts[4 * i + 2 + m];
    }
  DeviceArray<double> xD(x), yD(y), zD(2);
  auto complex = [](DeviceArray<double> &values) { return reinterpret_cast<double2 *>((double *)values); };
  if (beginCase("inner_product_cuf", {.bytes = 32.0 * n})) {
    double2 z = {};
    while (nextSample()) {
      zD.clear();
      innerProduct<<<132 * 8, 256>>>(n, complex(xD), complex(yD), complex(zD));
      cudaMemcpy(&z, complex(zD), sizeof z, cudaMemcpyDeviceToHost);
    }
    endCase(z.x);
  }
}

void runScaling() {
  const int m = sized(1000, 60, 30), n = sized(16384, 500, 50);
  DeviceArray<double> b(random(m * n, 1)), s(random(n, 2)), a(m * n);
  if (beginCase("scale_columns_cuf", {.bytes = 16.0 * m * n})) {
    while (nextSample())
      scaleColumns<<<n, 256>>>(m, n, b, s, a);
    endCase(checksum(a.onHost()));
  }
}

void runSections() {
  const int n = sized(1 << 24, 1 << 16, 2000);
  std::vector<int> k(n);
  fill(k, 10, 3);
  DeviceArray<double> a(n), b(random(n, 1)), c(random(n, 2));
  DeviceArray<int> kD(k);
  const int blocks = (n + 127) / 128;
  a.clear();
  if (beginCase("sections", {.bytes = 24.0 * n})) {
    while (nextSample())
      sections<<<blocks, 128>>>(n, b, c, a);
    endCase(checksum(a.onHost()));
  }
  a.clear();
  if (beginCase("strided_sections", {.bytes = 24.0 * n})) {
    while (nextSample())
      stridedSections<<<(n / 2 + 127) / 128, 128>>>(n, b, c, a);
    endCase(checksum(a.onHost()));
  }
  if (beginCase("where_construct", {.bytes = 24.0 * n})) {
    while (nextSample())
      whereConstruct<<<blocks, 128>>>(n, b, c, a);
    endCase(checksum(a.onHost()));
  }
  if (beginCase("elementwise", {.bytes = 28.0 * n})) {
    while (nextSample())
      elementwise<<<blocks, 128>>>(n, b, c, kD, a);
    endCase(checksum(a.onHost()));
  }
}

void runPlaneSections() {
  const int n = sized(4096, 256, 48);
  DeviceArray<double> v(random((n + 2) * (n + 2), 1)), u(n * n);
  if (beginCase("plane_sections", {.bytes = 16.0 * n * n})) {
    while (nextSample())
      planeSections<<<dim3((n + 31) / 32, (n + 3) / 4), dim3(32, 4)>>>(n, v, u);
    endCase(checksum(u.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runSteps();
  runFourLoops();
  runSmoothing();
  runStatistics();
  runProducts();
  runTranspose();
  runHalos();
  runSymmetric();
  runReconstruction();
  runColumns();
  runCollapsed();
  runClasses();
  runInnerProduct();
  runScaling();
  runSections();
  runPlaneSections();
  return finish();
}
