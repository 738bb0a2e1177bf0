// Waves and flows on grids: fluxes of the Euler equations with a structure for the state, electromagnetic waves by
// finite differences in time, the heat equation by tiles with a margin, and the Laplacian in three dimensions by tiles
// that march along z and with sizes and indices of 64 bits. Twin: waves.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int bx = 32, by = 8, edge = 16;
constexpr double heatRatio = 1.4;

struct State {
  double density, mx, my, energy;
};

__device__ double pressure(const State &s) {
  return (heatRatio - 1) * (s.energy - 0.5 * (s.mx * s.mx + s.my * s.my) / s.density);
}

// Rusanov's flux in x between two states.
__device__ State fluxX(const State &l, const State &r) {
  double pl = pressure(l);
  double pr = pressure(r);
  double ul = l.mx / l.density;
  double ur = r.mx / r.density;
  double speed = fmax(fabs(ul) + sqrt(heatRatio * pl / l.density), fabs(ur) + sqrt(heatRatio * pr / r.density));
  State f;
  f.density = 0.5 * (l.mx + r.mx - speed * (r.density - l.density));
  f.mx = 0.5 * (l.mx * ul + pl + r.mx * ur + pr - speed * (r.mx - l.mx));
  f.my = 0.5 * (l.my * ul + r.my * ur - speed * (r.my - l.my));
  f.energy = 0.5 * ((l.energy + pl) * ul + (r.energy + pr) * ur - speed * (r.energy - l.energy));
  return f;
}

__device__ State turned(const State &s) { return {s.density, s.my, s.mx, s.energy}; }

__global__ void eulerStep(int n, double ratio, const State *noalias old, State *noalias fresh) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i <= 0 || i >= n - 1 || j <= 0 || j >= n - 1)
    return;
  int at = j * n + i;
  State c = old[at];
  State w = fluxX(old[at - 1], c);
  State e = fluxX(c, old[at + 1]);
  State s = turned(fluxX(turned(old[at - n]), turned(c)));
  State t = turned(fluxX(turned(c), turned(old[at + n])));
  fresh[at].density = c.density - ratio * (e.density - w.density + t.density - s.density);
  fresh[at].mx = c.mx - ratio * (e.mx - w.mx + t.mx - s.mx);
  fresh[at].my = c.my - ratio * (e.my - w.my + t.my - s.my);
  fresh[at].energy = c.energy - ratio * (e.energy - w.energy + t.energy - s.energy);
}

__global__ void stepElectric(int n, float *noalias ex, float *noalias ey, float *noalias hz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  if (i > 0)
    ey[j * n + i] = ey[j * n + i] - 0.5f * (hz[j * n + i] - hz[j * n + i - 1]);
  if (j > 0)
    ex[j * n + i] = ex[j * n + i] + 0.5f * (hz[j * n + i] - hz[(j - 1) * n + i]);
}

__global__ void stepMagnetic(int n, float *noalias ex, float *noalias ey, float *noalias hz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n - 1 && j < n - 1)
    hz[j * n + i] = hz[j * n + i] - 0.7f * (ey[j * n + i + 1] - ey[j * n + i] - ex[(j + 1) * n + i] + ex[j * n + i]);
}

// A tile of 16 x 16 points with its margin is in shared memory.
__global__ void heatStep(int n, const float *noalias u, float *noalias v) {
  __shared__ float s[edge + 2][edge + 2];
  int x = threadIdx.x + 1;
  int y = threadIdx.y + 1;
  int i = blockIdx.x * edge + threadIdx.x;
  int j = blockIdx.y * edge + threadIdx.y;
  s[y][x] = u[j * n + i];
  if (x == 1 && i > 0)
    s[y][0] = u[j * n + i - 1];
  if (x == edge && i < n - 1)
    s[y][edge + 1] = u[j * n + i + 1];
  if (y == 1 && j > 0)
    s[0][x] = u[(j - 1) * n + i];
  if (y == edge && j < n - 1)
    s[edge + 1][x] = u[(j + 1) * n + i];
  __syncthreads();
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    v[j * n + i] = s[y][x] + 0.2f * (s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x] - 4 * s[y][x]);
}

// A tile of one plane with its margin is in shared memory, the neighbours above and below in registers.
__global__ void laplacianMarching(int n, const double *noalias u, double *noalias v) {
  __shared__ double s[by + 2][bx + 2];
  int x = threadIdx.x + 1;
  int y = threadIdx.y + 1;
  int i = blockIdx.x * bx + threadIdx.x;
  int j = blockIdx.y * by + threadIdx.y;
  bool inside = i > 0 && i < n - 1 && j > 0 && j < n - 1;
  double here = u[j * n + i];
  double above = u[(n + j) * n + i];
  for (int k = 1; k < n - 1; ++k) {
    double below = here;
    here = above;
    above = u[((k + 1) * n + j) * n + i];
    __syncthreads();
    s[y][x] = here;
    if (x == 1 && i > 0)
      s[y][0] = u[(k * n + j) * n + i - 1];
    if (x == bx && i < n - 1)
      s[y][bx + 1] = u[(k * n + j) * n + i + 1];
    if (y == 1 && j > 0)
      s[0][x] = u[(k * n + j - 1) * n + i];
    if (y == by && j < n - 1)
      s[by + 1][x] = u[(k * n + j + 1) * n + i];
    __syncthreads();
    if (inside)
      v[(k * n + j) * n + i] = s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x] + below + above - 6 * here;
  }
}

__global__ void laplacianLong(int64_t nx, int64_t ny, int64_t nz, const double *noalias u, double *noalias v) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  int64_t j = blockIdx.y * blockDim.y + threadIdx.y;
  int64_t k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
    int64_t at = (k * ny + j) * nx + i;
    v[at] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - nx * ny] + u[at + nx * ny] - 6 * u[at];
  }
}

void gas() {
  const int n = sized(2048, 256, 64);
  std::vector<double> numbers(4 * n * n);
  fill(numbers, 1);
  std::vector<State> old(n * n);
  for (int i = 0; i < n * n; ++i)
    old[i] = {1 + numbers[4 * i], numbers[4 * i + 1] - 0.5, numbers[4 * i + 2] - 0.5, 2 + numbers[4 * i + 3]};
  DeviceArray<State> oldD(old), newD(old);
  if (beginCase("euler_fluxes", {.bytes = 64.0 * n * n})) {
    while (nextSample())
      eulerStep<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(n, 0.1, oldD, newD);
    std::vector<State> fresh = newD.onHost();
    double total = 0;
    for (int i = 0; i < n * n; ++i)
      total += (fresh[i].density + fresh[i].energy) * (i / n + 1) + fabs(fresh[i].mx) + fabs(fresh[i].my);
    endCase(total);
  }
}

void fields() {
  const int n = sized(8192, 512, 64);
  const dim3 grid(n / 32, n / 8), block(32, 8);
  std::vector<float> ex(n * n), ey(n * n), hz(n * n);
  fill(ex, 1);
  fill(ey, 2);
  fill(hz, 3);
  DeviceArray<float> exD(ex), eyD(ey), hzD(hz);
  if (beginCase("fdtd2d", {.bytes = 36.0 * n * n, .kind = 4})) {
    while (nextSample()) {
      stepElectric<<<grid, block>>>(n, exD, eyD, hzD);
      stepMagnetic<<<grid, block>>>(n, exD, eyD, hzD);
    }
    // One step from the beginning, since the number of samples varies.
    exD = ex;
    eyD = ey;
    hzD = hz;
    stepElectric<<<grid, block>>>(n, exD, eyD, hzD);
    stepMagnetic<<<grid, block>>>(n, exD, eyD, hzD);
    endCase(checksum(exD.onHost()) + checksum(eyD.onHost()) + checksum(hzD.onHost()));
  }
}

void heat() {
  const int n = sized(8192, 512, 64);
  std::vector<float> u(n * n);
  fill(u, 1);
  DeviceArray<float> uD(u), vD(u);
  if (beginCase("heat_tiles", {.bytes = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      heatStep<<<dim3(n / edge, n / edge), dim3(edge, edge)>>>(n, uD, vD);
    endCase(checksum(vD.onHost()));
  }
}

void laplacians() {
  const int n = sized(320, 64, 32);
  const double points = double(n) * n * n;
  std::vector<double> u(n * n * n);
  fill(u, 1);
  DeviceArray<double> uD(u), vD(u.size());
  auto result = [&] {
    std::vector<double> v = vD.onHost();
    for (double &value : v)
      value = fabs(value);
    return checksum(v);
  };

  vD.clear();
  if (beginCase("laplacian_marching", {.bytes = 16 * points})) {
    while (nextSample())
      laplacianMarching<<<dim3(n / bx, n / by), dim3(bx, by)>>>(n, uD, vD);
    endCase(result());
  }

  vD.clear();
  if (beginCase("laplacian_long", {.bytes = 16 * points})) {
    while (nextSample())
      laplacianLong<<<dim3(n / 32, n / 4, n), dim3(32, 4)>>>(n, n, n, uD, vD);
    endCase(result());
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  gas();
  fields();
  heat();
  laplacians();
  return finish();
}
