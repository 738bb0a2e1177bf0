// Ways to hand data to kernels: arrays of one and three dimensions with their sizes, arrays of the program in device
// memory and pointers to such, structures with arrays inside, parts of arrays as arguments of device functions, and
// shared arrays whose size the launch gives. Twin: data_forms.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, largest = 2048, materials = 64;

struct Material {
  double stiffness[6][6], expansion[6], limit;
};

__device__ double height[largest][largest], flux[largest][largest], bottom[largest][largest];
__device__ double *now, *next;

__global__ void axpy(int n, double a, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}

__global__ void diffuse(int n, const float *noalias a, const float *noalias k, float *noalias b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x == 0 || x >= n - 1 || y == 0 || y >= n - 1 || z == 0 || z >= n - 1)
    return;
  int at = (z * n + y) * n + x;
  b[at] = a[at] + k[at] * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n] + a[at - n * n] + a[at + n * n] - 6 * a[at]);
}

__global__ void flow(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    flux[j][i] = (height[j][i + 1] - height[j][i - 1]) * (bottom[j + 1][i] - bottom[j - 1][i]) -
                 (height[j + 1][i] - height[j - 1][i]) * (bottom[j][i + 1] - bottom[j][i - 1]);
}

__global__ void relax(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    next[j * n + i] = 0.25 * (now[j * n + i - 1] + now[j * n + i + 1] + now[(j - 1) * n + i] + now[(j + 1) * n + i]);
}

// Stress from strain, with the material of each point.
__global__ void stress(int n, const int *noalias kinds, const Material *noalias table, const double *noalias strain,
                       const double *noalias temperature, double *noalias s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Material &m = table[kinds[i]];
  double e[6];
  for (int q = 0; q < 6; ++q)
    e[q] = strain[q * n + i] - temperature[i] * m.expansion[q];
  for (int p = 0; p < 6; ++p) {
    double total = 0;
    for (int q = 0; q < 6; ++q)
      total += m.stiffness[q][p] * e[q];
    s[p * n + i] = fmin(total, m.limit);
  }
}

__device__ double weightedNorm(int m, int stride, const double *v, const double *w = nullptr) {
  double total = 0;
  for (int k = 0; k < m; ++k)
    total += w ? w[k] * v[k * stride] * v[k * stride] : v[k * stride] * v[k * stride];
  return sqrt(total);
}

// Norms of parts of arrays: numbers that lie together, and numbers with a stride.
__global__ void norms(int n, int m, const double *noalias a, const double *noalias b, const double *noalias w,
                      double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  x[i] = weightedNorm(m, 1, a + i * m);
  y[i] = weightedNorm(m, n, b + i, w);
}

// Each block smooths its part, with a margin, in shared memory whose size the launch gives.
__global__ void smoothLine(int n, const double *noalias a, double *noalias b) {
  extern __shared__ double s[];
  int t = threadIdx.x + 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[t] = a[i];
  if (t == 1)
    s[0] = a[max(i - 1, 0)];
  if (t == blockDim.x)
    s[t + 1] = a[min(i + 1, n - 1)];
  __syncthreads();
  b[i] = 0.25 * s[t - 1] + 0.5 * s[t] + 0.25 * s[t + 1];
}

void oneDimension() {
  const int n = sized(1 << 25, 1 << 20, 1 << 12);
  std::vector<double> x(n), y(n);
  fill(x, 1);
  fill(y, 2);
  DeviceArray<double> xD(x), yD(y);
  if (beginCase("axpy", {.bytes = 24.0 * n})) {
    while (nextSample())
      axpy<<<(n + threads - 1) / threads, threads>>>(n, 0.5, xD, yD);
    yD = y;
    axpy<<<(n + threads - 1) / threads, threads>>>(n, 0.5, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

void threeDimensions() {
  const int n = sized(384, 128, 32);
  const double points = double(n) * n * n;
  std::vector<float> a(n * n * n), k(a.size());
  fill(a, 1);
  fill(k, 2);
  DeviceArray<float> aD(a), kD(k), bD(a.size());
  bD.clear();
  if (beginCase("diffuse", {.bytes = 12 * points, .kind = 4})) {
    while (nextSample())
      diffuse<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(n, aD, kD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void arraysOfProgram() {
  int n = sized(largest, 512, 64);
  std::vector<double> h(n * n), b(n * n);
  fill(h, 1);
  fill(b, 2);
  const dim3 block(32, 8);
  void *target;
  for (auto [symbol, source] : {std::pair(&height, h.data()), std::pair(&bottom, b.data())}) {
    cudaGetSymbolAddress(&target, *symbol);
    cudaMemcpy2D(target, sizeof(height[0]), source, n * sizeof(double), n * sizeof(double), n, cudaMemcpyHostToDevice);
  }
  cudaGetSymbolAddress(&target, flux);
  cudaMemset(target, 0, sizeof flux);
  if (beginCase("module_arrays", {.bytes = 24.0 * n * n})) {
    while (nextSample())
      flow<<<dim3(n / 32, n / 8), block>>>(n);
    std::vector<double> got(n * n);
    cudaMemcpy2D(got.data(), n * sizeof(double), target, sizeof(flux[0]), n * sizeof(double), n,
                 cudaMemcpyDeviceToHost);
    for (double &value : got)
      value = fabs(value);
    endCase(checksum(got));
  }

  n = sized(2 * largest, 512, 64);
  h.resize(n * n);
  fill(h, 3);
  DeviceArray<double> nowD(h), nextD(h);
  double *nowPointer = nowD, *nextPointer = nextD;
  cudaMemcpyToSymbol(now, &nowPointer, sizeof now);
  cudaMemcpyToSymbol(next, &nextPointer, sizeof next);
  if (beginCase("module_allocatables", {.bytes = 16.0 * n * n})) {
    while (nextSample())
      relax<<<dim3(n / 32, n / 8), block>>>(n);
    endCase(checksum(nextD.onHost()));
  }
}

void structures() {
  const int n = sized(1 << 22, 1 << 16, 1 << 10);
  std::vector<double> numbers(43 * materials), strain(6 * n), temperature(n);
  std::vector<int> kinds(n);
  fill(numbers, 1);
  std::vector<Material> table(materials);
  memcpy(table.data(), numbers.data(), numbers.size() * sizeof(double));
  fill(kinds, materials, 2);
  fill(strain, 3);
  fill(temperature, 4);
  DeviceArray<Material> tableD(table);
  DeviceArray<int> kindsD(kinds);
  DeviceArray<double> strainD(strain), temperatureD(temperature), sD(6 * n);
  if (beginCase("material_tables", {.bytes = 108.0 * n})) {
    while (nextSample())
      stress<<<(n + threads - 1) / threads, threads>>>(n, kindsD, tableD, strainD, temperatureD, sD);
    endCase(checksum(sD.onHost()));
  }
}

void sections() {
  const int m = 8, n = sized(1 << 22, 1 << 16, 1 << 10);
  std::vector<double> a(m * n), b(m * n), w(m);
  fill(a, 1);
  fill(b, 2);
  fill(w, 3);
  DeviceArray<double> aD(a), bD(b), wD(w), xD(n), yD(n);
  if (beginCase("section_arguments", {.bytes = 16.0 * n * (m + 1)})) {
    while (nextSample())
      norms<<<(n + threads - 1) / threads, threads>>>(n, m, aD, bD, wD, xD, yD);
    endCase(checksum(xD.onHost()) + checksum(yD.onHost()));
  }
}

void sharedLines() {
  const int n = sized(1 << 25, 1 << 20, 1 << 12);
  std::vector<double> a(n);
  fill(a, 1);
  DeviceArray<double> aD(a), bD(n);
  if (beginCase("automatic_shared", {.bytes = 16.0 * n})) {
    while (nextSample())
      smoothLine<<<n / threads, threads, 8 * (threads + 2)>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  oneDimension();
  threeDimensions();
  arraysOfProgram();
  structures();
  sections();
  sharedLines();
  return finish();
}
