// Parts of a model of the weather, double: transport by upwind fluxes in three dimensions with halos around the arrays,
// a step of the shallow water equations on a staggered grid, and physics of columns: condensation and radiation, level
// by level, with local arrays. Twin: weather.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 128, levels = 40;
constexpr double gravity = 9.81;

__global__ void transport(int nx, int ny, int nz, double dt, const double *noalias u, const double *noalias v,
                          const double *noalias w, const double *noalias q, double *noalias r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i > nx || j > ny || k > nz)
    return;
  int sy = nx + 2, sz = (nx + 2) * (ny + 2);
  int at = k * sz + j * sy + i;
  double west = fmax(u[at], 0.0) * q[at - 1] + fmin(u[at], 0.0) * q[at];
  double east = fmax(u[at + 1], 0.0) * q[at] + fmin(u[at + 1], 0.0) * q[at + 1];
  double south = fmax(v[at], 0.0) * q[at - sy] + fmin(v[at], 0.0) * q[at];
  double north = fmax(v[at + sy], 0.0) * q[at] + fmin(v[at + sy], 0.0) * q[at + sy];
  double bottom = fmax(w[at], 0.0) * q[at - sz] + fmin(w[at], 0.0) * q[at];
  double top = fmax(w[at + sz], 0.0) * q[at] + fmin(w[at + sz], 0.0) * q[at + sz];
  r[at] = q[at] - dt * (east - west + north - south + top - bottom);
}

// New velocities from the old ones and the depth, on a periodic grid.
__global__ void accelerate(int n, double dt, double f, const double *noalias h, const double *noalias u,
                           const double *noalias v, double *noalias un, double *noalias vn) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int im = i - 1;
  if (im < 0)
    im = n - 1;
  int ip = i + 1;
  if (ip >= n)
    ip = 0;
  int jm = j - 1;
  if (jm < 0)
    jm = n - 1;
  int jp = j + 1;
  if (jp >= n)
    jp = 0;
  auto square = [](double x) { return x * x; };
  double vMean = 0.25 * (v[j * n + i] + v[j * n + im] + v[jp * n + i] + v[jp * n + im]);
  double uMean = 0.25 * (u[j * n + i] + u[j * n + ip] + u[jm * n + i] + u[jm * n + ip]);
  double energy =
      gravity * h[j * n + i] + 0.125 * (square(u[j * n + i] + u[j * n + ip]) + square(v[j * n + i] + v[jp * n + i]));
  double west =
      gravity * h[j * n + im] + 0.125 * (square(u[j * n + im] + u[j * n + i]) + square(v[j * n + im] + v[jp * n + im]));
  double south =
      gravity * h[jm * n + i] + 0.125 * (square(u[jm * n + i] + u[jm * n + ip]) + square(v[jm * n + i] + v[j * n + i]));
  un[j * n + i] = u[j * n + i] + dt * (f * vMean - (energy - west));
  vn[j * n + i] = v[j * n + i] - dt * (f * uMean + (energy - south));
}

__global__ void continueDepth(int n, double dt, const double *noalias h, const double *noalias u,
                              const double *noalias v, double *noalias hn) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int im = i == 0 ? n - 1 : i - 1;
  int ip = i == n - 1 ? 0 : i + 1;
  int jm = j == 0 ? n - 1 : j - 1;
  int jp = j == n - 1 ? 0 : j + 1;
  hn[j * n + i] = h[j * n + i] -
                  0.5 * dt *
                      (u[j * n + ip] * (h[j * n + i] + h[j * n + ip]) - u[j * n + i] * (h[j * n + im] + h[j * n + i]) +
                       v[jp * n + i] * (h[j * n + i] + h[jp * n + i]) - v[j * n + i] * (h[jm * n + i] + h[j * n + i]));
}

// Water in a column: what is more than the air can hold becomes rain, warms the air, and partly evaporates below.
__device__ void condense(const double *p, double *t, double *q, double &rain) {
  rain = 0;
  for (int k = 0; k < levels; ++k) {
    double most = 380.0 / p[k] * exp(17.27 * (t[k] - 273.16) / (t[k] - 35.86));
    double slope = 4098.0 * most / ((t[k] - 35.86) * (t[k] - 35.86));
    double change;
    if (q[k] > most) {
      change = (q[k] - most) / (1 + 2490.0 * slope);
      rain += change;
    } else {
      change = -fmin(0.1 * rain, (most - q[k]) / (1 + 2490.0 * slope));
      rain += change;
    }
    q[k] -= change;
    t[k] += 2490.0 * change;
  }
}

// Heat that columns radiate: transmission of the layers, then fluxes down and up.
__device__ void radiate(const double *p, const double *t, const double *q, double *heat) {
  auto fourth = [](double x) { return (x * x) * (x * x); };
  double passes[levels], source[levels], down[levels + 1];
  down[0] = 0;
  for (int k = 0; k < levels; ++k) {
    passes[k] = exp(-1.66 * q[k] * p[k] * 1e-2) * (1 - 0.02 * log(p[k]));
    source[k] = 5.67e-8 * fourth(t[k]);
    down[k + 1] = down[k] * passes[k] + source[k] * (1 - passes[k]);
  }
  double up = 5.67e-8 * fourth(t[levels - 1] + 2);
  for (int k = levels - 1; k >= 0; --k) {
    heat[k] = up + down[k];
    up = up * passes[k] + source[k] * (1 - passes[k]);
    heat[k] = heat[k] - up - down[k + 1];
  }
}

// A thread for each column; the numbers of a level lie together.
__global__ void physics(int n, const double *noalias p, const double *noalias t, const double *noalias q,
                        double *noalias tNew, double *noalias qNew, double *noalias rain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double pl[levels], tl[levels], ql[levels], heat[levels];
  for (int k = 0; k < levels; ++k) {
    pl[k] = p[k * n + i];
    tl[k] = t[k * n + i];
    ql[k] = q[k * n + i];
  }
  condense(pl, tl, ql, rain[i]);
  radiate(pl, tl, ql, heat);
  for (int k = 0; k < levels; ++k) {
    tNew[k * n + i] = tl[k] + 1e-3 * heat[k];
    qNew[k * n + i] = ql[k];
  }
}

void winds() {
  const int n = sized(256, 64, 32), points = (n + 2) * (n + 2) * (n + 2);
  std::vector<double> u(points), v(points), w(points), q(points);
  fill(u, 1);
  fill(v, 2);
  fill(w, 3);
  fill(q, 4);
  for (std::vector<double> *speed : {&u, &v, &w})
    for (double &value : *speed)
      value -= 0.5;
  DeviceArray<double> uD(u), vD(v), wD(w), qD(q), rD(points);
  rD.clear();
  if (beginCase("transport", {.bytes = 40.0 * n * n * n})) {
    while (nextSample())
      transport<<<dim3(n / 32, n / 4, n), dim3(32, 4)>>>(n, n, n, 0.1, uD, vD, wD, qD, rD);
    endCase(checksum(rD.onHost()));
  }
}

void waters() {
  const int n = sized(4096, 512, 64);
  const dim3 grid(n / 32, n / 4), block(32, 4);
  std::vector<double> h(n * n), u(n * n), v(n * n);
  fill(h, 1);
  fill(u, 2);
  fill(v, 3);
  for (double &value : h)
    value += 10;
  DeviceArray<double> hD(h), uD(u), vD(v), unD(n * n), vnD(n * n), hnD(n * n);
  if (beginCase("shallow_water", {.bytes = 72.0 * n * n})) {
    while (nextSample()) {
      accelerate<<<grid, block>>>(n, 0.01, 0.1, hD, uD, vD, unD, vnD);
      continueDepth<<<grid, block>>>(n, 0.01, hD, unD, vnD, hnD);
    }
    endCase(checksum(hnD.onHost()) + checksum(unD.onHost()) + checksum(vnD.onHost()));
  }
}

void columns() {
  const int n = sized(1 << 18, 1 << 11, 1 << 8);
  std::vector<double> p(n * levels), t(n * levels), q(n * levels);
  fill(p, 1);
  fill(t, 2);
  fill(q, 3);
  for (int k = 0; k < levels; ++k)
    for (int i = k * n; i < (k + 1) * n; ++i) {
      p[i] = 2500 * (k + 1 + p[i]);
      t[i] = 220 + 2 * (k + 1) + 5 * t[i];
      q[i] = 0.02 * q[i];
    }
  DeviceArray<double> pD(p), tD(t), qD(q), tNewD(n * levels), qNewD(n * levels), rainD(n);
  if (beginCase("column_physics", {.bytes = 40.0 * n * levels})) {
    while (nextSample())
      physics<<<(n + threads - 1) / threads, threads>>>(n, pD, tD, qD, tNewD, qNewD, rainD);
    endCase(checksum(tNewD.onHost()) + checksum(qNewD.onHost()) + checksum(rainD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  winds();
  waters();
  columns();
  return finish();
}
