// Kernels written by hand for the loops and array expressions of the twin, flow_codes.cuf.
#include "codes_common.h"

// Density, velocity and pressure everywhere, and the fastest wave. A block goes through all of z for its columns.
__global__ void toPrimitives(int nx, int ny, int nz, double gamma, const double *noalias q, double *noalias w,
                             double *fastest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int all = nx * ny * nz;
  double speed = 0;
  if (i < nx && j < ny)
    for (int k = blockIdx.z; k < nz; k += gridDim.z) {
      int at = (k * ny + j) * nx + i;
      double rho = fmax(q[at], 1e-6), ri = 1 / rho;
      double u = q[at + all] * ri, v = q[at + 2 * all] * ri, z = q[at + 3 * all] * ri;
      double p = (gamma - 1) * (q[at + 4 * all] - 0.5 * rho * (u * u + v * v + z * z));
      p = fmax(p, 1e-6);
      double c = sqrt(gamma * p * ri);
      w[at] = rho;
      w[at + all] = u;
      w[at + 2 * all] = v;
      w[at + 3 * all] = z;
      w[at + 4 * all] = p;
      speed = fmax(speed, fmax(fabs(u), fmax(fabs(v), fabs(z))) + c);
    }
  speed = overBlock(speed, Greater());
  if (firstThread())
    atomicGreatest(fastest, speed);
}

__device__ inline double square(double x) { return x * x; }

// The value at a face by three parabolas with the weights of WENO-Z.
__device__ inline double wenoZ5(double a, double b, double c, double d, double e) {
  const double eps = 1e-20;
  double b0 = 13.0 / 12 * square(a - 2 * b + c) + 0.25 * square(a - 4 * b + 3 * c);
  double b1 = 13.0 / 12 * square(b - 2 * c + d) + 0.25 * square(b - d);
  double b2 = 13.0 / 12 * square(c - 2 * d + e) + 0.25 * square(3 * c - 4 * d + e);
  double tau = fabs(b0 - b2);
  double w0 = 0.1 * (1 + square(tau / (b0 + eps)));
  double w1 = 0.6 * (1 + square(tau / (b1 + eps)));
  double w2 = 0.3 * (1 + square(tau / (b2 + eps)));
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
}

__device__ inline double fp(double x, double alpha) { return 0.5 * (0.5 * x * x + alpha * x); }
__device__ inline double fm(double x, double alpha) { return 0.5 * (0.5 * x * x - alpha * x); }

// Burgers' equation along y in a periodic box, by split fluxes.
__global__ void wenoRhs(int nx, int ny, int nz, double alpha, double dyi, const double *noalias u,
                        double *noalias rhs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  u += k * ny * nx + i;
  double um3 = u[(j - 3 + ny) % ny * nx], um2 = u[(j - 2 + ny) % ny * nx], um1 = u[(j - 1 + ny) % ny * nx];
  double u0 = u[j * nx];
  double up1 = u[(j + 1) % ny * nx], up2 = u[(j + 2) % ny * nx], up3 = u[(j + 3) % ny * nx];
  double right = wenoZ5(fp(um2, alpha), fp(um1, alpha), fp(u0, alpha), fp(up1, alpha), fp(up2, alpha)) +
                 wenoZ5(fm(up3, alpha), fm(up2, alpha), fm(up1, alpha), fm(u0, alpha), fm(um1, alpha));
  double left = wenoZ5(fp(um3, alpha), fp(um2, alpha), fp(um1, alpha), fp(u0, alpha), fp(up1, alpha)) +
                wenoZ5(fm(up2, alpha), fm(up1, alpha), fm(u0, alpha), fm(um1, alpha), fm(um2, alpha));
  rhs[(k * ny + j) * nx + i] = -dyi * (right - left);
}

// Velocities without divergence, for a density that varies.
__global__ void pressureCorrect(int n, double dt, double dxi, double dyi, const double *noalias dzi,
                                const double *noalias rho, const double *noalias p, const double *noalias us,
                                const double *noalias vs, const double *noalias ws, double *noalias u,
                                double *noalias v, double *noalias w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i > n || j > n)
    return;
  int row = n + 2, plane = row * row, at = k * plane + j * row + i;
  double p0 = p[at], r0 = rho[at];
  u[at] = us[at] - 2 * dt * dxi * (p[at + 1] - p0) / (rho[at + 1] + r0);
  v[at] = vs[at] - 2 * dt * dyi * (p[at + row] - p0) / (rho[at + row] + r0);
  w[at] = k < n ? ws[at] - 2 * dt * dzi[k] * (p[at + plane] - p0) / (rho[at + plane] + r0) : 0;
}

constexpr int kmMax = 48;

// Implicit mixing of columns down to the ground, with arrays in each thread.
__global__ void verticalDiffusion(int imt, int jmt, double dt, const int *noalias kmt, const double *noalias tracer,
                                  const double *noalias vdc, const double *noalias dzr, const double *noalias dzwr,
                                  double *noalias mixed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= imt || j >= jmt)
    return;
  int column = j * imt + i, plane = imt * jmt;
  int kb = kmt[column];
  if (kb == 0)
    return;
  double e[kmMax], f[kmMax];
  double a = 0;
  for (int k = 0; k < kb; ++k) {
    int at = k * plane + column;
    double c = k < kb - 1 ? dt * vdc[at] * dzwr[k] : 0;
    double d = 1 + dzr[k] * (a + c);
    if (k > 0) {
      d = 1 / (d - dzr[k] * a * e[k - 1]);
      f[k] = (tracer[at] + dzr[k] * a * f[k - 1]) * d;
    } else {
      d = 1 / d;
      f[k] = tracer[at] * d;
    }
    e[k] = dzr[k] * c * d;
    a = c;
  }
  double next = f[kb - 1];
  mixed[(kb - 1) * plane + column] = next;
  for (int k = kb - 2; k >= 0; --k) {
    next = f[k] + e[k] * next;
    mixed[k * plane + column] = next;
  }
}

constexpr int nq = 15;
__device__ constexpr int ex[nq] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, -1, 1};
__device__ constexpr int ey[nq] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1};
__device__ constexpr int ez[nq] = {0, 0, 0, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1, 1, -1};
__device__ constexpr int opposite[nq] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13};
__device__ constexpr float weight[nq] = {2 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f,
                                         1 / 9.0f,  1 / 9.0f,  1 / 72.0f, 1 / 72.0f, 1 / 72.0f,
                                         1 / 72.0f, 1 / 72.0f, 1 / 72.0f, 1 / 72.0f, 1 / 72.0f};

// Fifteen velocities come from the neighbours, or back from walls, and collide.
__global__ void pull(int nx, int ny, int nz, float omega, const signed char *noalias solid, const float *noalias f,
                     float *noalias g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  int at = (k * ny + j) * nx + i, all = nx * ny * nz;
  if (solid[at])
    return;
  float l[nq];
#pragma unroll
  for (int q = 0; q < nq; ++q) {
    int is = (i - ex[q] + nx) % nx, js = (j - ey[q] + ny) % ny, ks = (k - ez[q] + nz) % nz;
    int from = (ks * ny + js) * nx + is;
    l[q] = solid[from] ? f[opposite[q] * all + at] : f[q * all + from];
  }
  float rho = 0, u = 0, v = 0, w = 0;
#pragma unroll
  for (int q = 0; q < nq; ++q) {
    rho += l[q];
    u += ex[q] * l[q];
    v += ey[q] * l[q];
    w += ez[q] * l[q];
  }
  u /= rho;
  v /= rho;
  w /= rho;
  float uu = 1.5f * (u * u + v * v + w * w);
#pragma unroll
  for (int q = 0; q < nq; ++q) {
    float eu = 3 * (ex[q] * u + ey[q] * v + ez[q] * w);
    g[q * all + at] = l[q] - omega * (l[q] - weight[q] * rho * (1 + eu + 0.5f * eu * eu - uu));
  }
}

// What flows through a face by a limited scheme of second order.
__device__ inline float superbeeFlux(float cuu, float cu, float cd, float courant) {
  float delta = cd - cu, phi = 0;
  if (!(fabsf(delta) < 1e-10f)) {
    float r = (cu - cuu) / delta;
    phi = fmaxf(0.0f, fmaxf(fminf(1.0f, 2 * r), fminf(2.0f, r)));
  }
  return courant * (cu + 0.5f * (1 - fabsf(courant)) * phi * delta);
}

// Transport of several tracers by limited fluxes, periodic in x and y.
__global__ void advectTracers(int nx, int ny, int nt, const float *noalias cx, const float *noalias cy,
                              const float *noalias c, float *noalias cn) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int im = (i - 1 + nx) % nx, imm = (i - 2 + nx) % nx, ip = (i + 1) % nx, ipp = (i + 2) % nx;
  int jm = (j - 1 + ny) % ny, jmm = (j - 2 + ny) % ny, jp = (j + 1) % ny, jpp = (j + 2) % ny;
  float ue = cx[j * nx + i], uw = cx[j * nx + im], vn = cy[j * nx + i], vs = cy[jm * nx + i];
  for (int n = 0; n < nt; ++n) {
    const float *t = c + n * nx * ny;
    auto at = [=](int i, int j) { return t[j * nx + i]; };
    float east = ue >= 0 ? superbeeFlux(at(im, j), at(i, j), at(ip, j), ue)
                         : superbeeFlux(at(ipp, j), at(ip, j), at(i, j), ue);
    float west = uw >= 0 ? superbeeFlux(at(imm, j), at(im, j), at(i, j), uw)
                         : superbeeFlux(at(ip, j), at(i, j), at(im, j), uw);
    float north = vn >= 0 ? superbeeFlux(at(i, jm), at(i, j), at(i, jp), vn)
                          : superbeeFlux(at(i, jpp), at(i, jp), at(i, j), vn);
    float south = vs >= 0 ? superbeeFlux(at(i, jmm), at(i, jm), at(i, j), vs)
                          : superbeeFlux(at(i, jp), at(i, j), at(i, jm), vs);
    cn[(n * ny + j) * nx + i] = at(i, j) - (east - west) - (north - south);
  }
}

struct Norms {
  double square, greatest;
};

// The residual of Poisson's equation at every second point, and its norms.
__global__ void injectResidual(int m, double h, const double *noalias u, const double *noalias f,
                               double *noalias coarse, Norms *norms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int row = 2 * m + 1, plane = row * row;
  double h2i = 1 / (h * h), total = 0, greatest = 0;
  if (i < m && j < m)
    for (int k = blockIdx.z; k < m; k += gridDim.z) {
      int at = (2 * k + 1) * plane + (2 * j + 1) * row + 2 * i + 1;
      double r = f[at] + h2i * (6 * u[at] - u[at - 1] - u[at + 1] - u[at - row] - u[at + row] - u[at - plane] -
                                u[at + plane]);
      coarse[(k * m + j) * m + i] = r;
      total += r * r;
      greatest = fmax(greatest, fabs(r));
    }
  total = overBlock(total, Add());
  greatest = overBlock(greatest, Greater());
  if (firstThread()) {
    atomicAdd(&norms->square, total);
    atomicGreatest(&norms->greatest, greatest);
  }
}

struct MhdStatistics {
  double kinetic = 0, magnetic = 0, divergence = 0, beta = 1.7976931348623157e308;
};

// Energies of a magnetised gas, the greatest divergence and the least ratio of pressures.
__global__ void mhdStatistics(int n, const double *noalias rho, const double *noalias p, const double *noalias v,
                              const double *noalias b, MhdStatistics *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int all = n * n * n, row = n + 1, plane = row * row;
  const double *bx = b, *by = b + plane * row, *bz = b + 2 * plane * row;
  double kinetic = 0, magnetic = 0, divergence = 0, beta = 1.7976931348623157e308;
  if (i < n && j < n)
    for (int k = blockIdx.z; k < n; k += gridDim.z) {
      int at = (k * n + j) * n + i, to = (k + 1) * plane + (j + 1) * row + i + 1;
      kinetic += 0.5 * rho[at] * (v[at] * v[at] + v[at + all] * v[at + all] + v[at + 2 * all] * v[at + 2 * all]);
      double x0 = bx[to - 1], x1 = bx[to], y0 = by[to - row], y1 = by[to], z0 = bz[to - plane], z1 = bz[to];
      double x = 0.5 * (x0 + x1), y = 0.5 * (y0 + y1), z = 0.5 * (z0 + z1);
      double b2 = x * x + y * y + z * z;
      magnetic += 0.5 * b2;
      divergence = fmax(divergence, fabs(x1 - x0 + y1 - y0 + z1 - z0));
      if (b2 > 1e-2)
        beta = fmin(beta, 2 * p[at] / b2);
    }
  kinetic = overBlock(kinetic, Add());
  magnetic = overBlock(magnetic, Add());
  divergence = overBlock(divergence, Greater());
  beta = overBlock(beta, Less());
  if (firstThread()) {
    atomicAdd(&found->kinetic, kinetic);
    atomicAdd(&found->magnetic, magnetic);
    atomicGreatest(&found->divergence, divergence);
    atomicLeast(&found->beta, beta);
  }
}

// Thermal radiation up and down for columns and wave bands, along two directions.
__global__ void longwave(int columns, int layers, int bands, const double *noalias tau, const double *noalias levels,
                         const double *noalias surface, double *noalias up, double *noalias down) {
  int ic = blockIdx.x * blockDim.x + threadIdx.x, ib = blockIdx.y;
  if (ic >= columns)
    return;
  const double secant[2] = {1.18350343, 2.81649655}, share[2] = {0.3180413817, 0.1819586183};
  tau += ib * layers * columns + ic;
  levels += ib * (layers + 1) * columns + ic;
  up += ib * (layers + 1) * columns + ic;
  down += ib * (layers + 1) * columns + ic;
  double emissivity = surface[ib * columns + ic];
  double trans[64], source[64];
  for (int m = 0; m < 2; ++m) {
    double radiance = 0;
    if (m == 0)
      down[0] = 0;
    for (int k = 0; k < layers; ++k) {
      double x = tau[k * columns] * secant[m];
      double t = exp(-x);
      double fact = x > 1e-3 ? (1 - t) / x - t : x * (0.5 - x / 3);
      double above = levels[k * columns], below = levels[(k + 1) * columns];
      trans[k] = t;
      source[k] = (1 - t) * above + fact * (below - above);
      radiance = t * radiance + (1 - t) * below + fact * (above - below);
      double *to = down + (k + 1) * columns;
      *to = m == 0 ? share[m] * radiance : *to + share[m] * radiance;
    }
    radiance = emissivity * levels[layers * columns] + (1 - emissivity) * radiance;
    for (int k = layers; k >= 0; --k) {
      if (k < layers)
        radiance = trans[k] * radiance + source[k];
      double *to = up + k * columns;
      *to = m == 0 ? share[m] * radiance : *to + share[m] * radiance;
    }
  }
}

// Saturated vapour over water.
__device__ inline float qsat(float t, float p) {
  float es = 610.78f * expf(17.269f * (t - 273.16f) / (t - 35.86f));
  return 0.622f * es / fmaxf(p - 0.378f * es, 1.0f);
}

// Warm rain: conversion, collection, condensation and evaporation.
__global__ void kessler(int nx, int ny, int nz, float dt, const float *noalias pk, const float *noalias rho,
                        const float *noalias th, const float *noalias qv, const float *noalias qc,
                        const float *noalias qr, float *noalias th1, float *noalias qv1, float *noalias qc1,
                        float *noalias qr1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  int at = (k * ny + j) * nx + i;
  const float lcp = 2490.4f, f5 = 4217.4f * 2.5e6f / 1003.0f;
  float c = qc[at], r = qr[at], v = qv[at], pi = pk[at], density = rho[at];
  float aut = c > 1e-3f ? 1e-3f * dt * (c - 1e-3f) : 0;
  float accr = r > 0 ? dt * 2.2f * c * powf(r, 0.875f) : 0;
  accr = fminf(c, aut + accr);
  c -= accr;
  r += accr;
  float t = th[at] * pi;
  float p = 1e5f * powf(pi, 3.5f);
  float qs = qsat(t, p);
  float prod = (v - qs) / (1 + f5 * qs / ((t - 35.86f) * (t - 35.86f)));
  float ern = 0;
  if (v < qs && r > 0) {
    float vent = 1.6f + 30.39f * powf(density * r, 0.2046f);
    ern = dt * vent * powf(density * r, 0.525f) * (1 - v / qs) / (5.4e5f + 2.55e6f / (p * qs)) / density;
    ern = fminf(ern, fminf(r, fmaxf(-prod - c, 0.0f)));
  }
  prod = fmaxf(prod, -c);
  th1[at] = th[at] + lcp / pi * (prod - ern);
  qv1[at] = fmaxf(v - prod + ern, 0.0f);
  qc1[at] = c + prod;
  qr1[at] = r - ern;
}

// A step with a filter of three levels of time.
__global__ void asselin(int n, double dt, double nu, const double *noalias before, const double *noalias now,
                        const double *noalias rate, double *noalias next, double *noalias filtered) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double b = before[i], c = now[i], x = b + 2 * dt * rate[i];
  next[i] = x;
  filtered[i] = c + nu * (b - 2 * c + x);
}

// A filter along x within the sea, and a copy of the coast.
__global__ void shapiro(int nx, int ny, int nz, const int *noalias sea, const float *noalias a, float *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i >= nx - 1 || j >= ny)
    return;
  int at = (k * ny + j) * nx + i;
  x[at] = sea[at] ? 0.5f * a[at] + 0.25f * (a[at - 1] + a[at + 1]) : a[at];
}

void runPrimitives() {
  const int n = sized(160, 32, 10), row = n + 6, all = row * row * row;
  std::vector<double> q = random<double>(5 * size_t(all), 1);
  for (int i = 0; i < all; ++i) {
    q[i] += 0.5;
    for (int m = 1; m < 4; ++m)
      q[m * all + i] -= 0.5;
    q[4 * all + i] += 1;
  }
  DeviceArray<double> qD(q), w(5 * size_t(all)), fastestD(1);
  if (beginCase("primitives_cuf", {.bytes = 80.0 * all})) {
    double fastest = 0;
    while (nextSample()) {
      fastestD.clear();
      toPrimitives<<<tiles(row, row, 16), tile>>>(row, row, row, 1.4, qD, w, fastestD);
      cudaMemcpy(&fastest, fastestD, sizeof fastest, cudaMemcpyDeviceToHost);
    }
    endCase(checksum(w.onHost()) * fastest);
  }
}

void runWeno() {
  const int nx = sized(192, 40, 9), ny = sized(160, 32, 12), nz = sized(160, 16, 5), all = nx * ny * nz;
  DeviceArray<double> u(random<double>(all, 1)), rhs(all);
  if (beginCase("weno_z_cuf", {.bytes = 16.0 * all})) {
    while (nextSample())
      wenoRhs<<<tiles(nx, ny, nz), tile>>>(nx, ny, nz, 1.25, 10, u, rhs);
    endCase(checksum(rhs.onHost()));
  }
}

void runCorrection() {
  const int n = sized(160, 32, 10), row = n + 2, all = row * row * row;
  std::vector<double> s = random<double>(all, 3), levels(row);
  for (int k = 0; k < row; ++k)
    levels[k] = 2 + 0.01 * k;
  DeviceArray<double> rho(random<double>(all, 1, 1, 0.5)), p(random<double>(all, 2)), us(s), vs(s), ws(s), dzi(levels);
  DeviceArray<double> u(all), v(all), w(all);
  u.clear();
  v.clear();
  w.clear();
  if (beginCase("pressure_correct_cuf", {.bytes = 64.0 * n * n * n})) {
    while (nextSample())
      pressureCorrect<<<tiles(n, n, n), tile>>>(n, 0.1, 1.5, 2.5, dzi, rho, p, us, vs, ws, u, v, w);
    endCase(checksum(u.onHost()) + 2 * checksum(v.onHost()) + 3 * checksum(w.onHost()));
  }
}

void runDiffusion() {
  const int imt = sized(512, 64, 20), jmt = sized(384, 32, 10), km = sized(40, 20, 8), all = imt * jmt * km;
  std::vector<int> bottom(imt * jmt);
  fill(bottom, km + 1, 3);
  std::vector<double> r(km), w(km);
  for (int k = 0; k < km; ++k) {
    r[k] = 1 / (1 + 0.1 * (k + 1));
    w[k] = 1 / (1.05 + 0.1 * (k + 1));
  }
  DeviceArray<double> tracer(random<double>(all, 1)), vdc(random<double>(all, 2)), dzr(r), dzwr(w), mixed(all);
  DeviceArray<int> kmt(bottom);
  mixed.clear();
  if (beginCase("vertical_diffusion_cuf", {.bytes = 12.0 * all})) {
    while (nextSample())
      verticalDiffusion<<<tiles(imt, jmt), tile>>>(imt, jmt, 0.5, kmt, tracer, vdc, dzr, dzwr, mixed);
    endCase(checksum(mixed.onHost()));
  }
}

void runPull() {
  const int nx = sized(192, 32, 10), ny = sized(128, 16, 8), nz = sized(96, 12, 6), all = nx * ny * nz;
  std::vector<float> draw = random<float>(all, 2);
  std::vector<signed char> solid(all);
  for (int i = 0; i < all; ++i)
    solid[i] = draw[i] < 0.05f;
  DeviceArray<float> f(random<float>(size_t(nq) * all, 1, 1, 1)), g(size_t(nq) * all);
  DeviceArray<signed char> solidD(solid);
  g.clear();
  if (beginCase("d3q15_pull_cuf", {.bytes = 121.0 * all, .kind = 4})) {
    while (nextSample())
      pull<<<dim3(blocksFor(nx, 64), blocksFor(ny, 4), nz), dim3(64, 4)>>>(nx, ny, nz, 0.75f, solidD, f, g);
    endCase(checksum(g.onHost()));
  }
}

// An array that host and device share.
static float *managed(const std::vector<float> &host) {
  float *data;
  cudaMallocManaged(&data, host.size() * sizeof(float));
  memcpy(data, host.data(), host.size() * sizeof(float));
  return data;
}

void runTracers() {
  const int nx = sized(2048, 64, 20), ny = sized(1024, 32, 12), nt = sized(12, 3, 2), plane = nx * ny;
  float *cx = managed(random<float>(plane, 1, 0.8f, -0.4f)), *cy = managed(random<float>(plane, 2, 0.8f, -0.4f));
  float *c = managed(random<float>(size_t(plane) * nt, 3)), *cn = managed(std::vector<float>(size_t(plane) * nt));
  if (beginCase("superbee_tracers_cuf", {.bytes = 4.0 * plane * (2 + 2 * nt), .kind = 4})) {
    while (nextSample())
      advectTracers<<<tiles(nx, ny), tile>>>(nx, ny, nt, cx, cy, c, cn);
    cudaDeviceSynchronize();
    endCase(checksum(std::vector<float>(cn, cn + size_t(plane) * nt)));
  }
  for (float *data : {cx, cy, c, cn})
    cudaFree(data);
}

void runInjection() {
  const int m = sized(144, 16, 6), n = 2 * m, all = (n + 1) * (n + 1) * (n + 1);
  DeviceArray<double> u(random<double>(all, 1)), f(random<double>(all, 2)), coarse(m * m * m);
  DeviceArray<Norms> normsD(1);
  if (beginCase("inject_residual_cuf", {.bytes = 13.0 * n * n * n})) {
    Norms norms;
    while (nextSample()) {
      normsD.clear();
      injectResidual<<<tiles(m, m, 16), tile>>>(m, 0.5, u, f, coarse, normsD);
      cudaMemcpy(&norms, normsD, sizeof norms, cudaMemcpyDeviceToHost);
    }
    endCase(checksum(coarse.onHost()) + norms.square + norms.greatest);
  }
}

void runMhd() {
  const int n = sized(160, 32, 10), all = n * n * n, faces = (n + 1) * (n + 1) * (n + 1);
  DeviceArray<double> rho(random<double>(all, 1)), p(random<double>(all, 2, 1, 0.25)), v(random<double>(3 * all, 3)),
      b(random<double>(3 * faces, 4, 1, -0.5));
  DeviceArray<MhdStatistics> foundD(1);
  if (beginCase("mhd_statistics_cuf", {.bytes = 64.0 * all})) {
    MhdStatistics found;
    while (nextSample()) {
      found = MhdStatistics();
      cudaMemcpy(foundD, &found, sizeof found, cudaMemcpyHostToDevice);
      mhdStatistics<<<tiles(n, n, 16), tile>>>(n, rho, p, v, b, foundD);
      cudaMemcpy(&found, foundD, sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(found.kinetic + found.magnetic + 1e4 * found.divergence + 1e4 * found.beta);
  }
}

void runLongwave() {
  const int columns = sized(8192, 256, 40), layers = sized(48, 24, 10), bands = sized(16, 4, 3);
  const int all = columns * layers * bands, more = columns * (layers + 1) * bands;
  std::vector<double> depth = random<double>(all, 1);
  for (double &x : depth)
    x = 2 * (x * x) * (x * x);
  DeviceArray<double> tau(depth), levels(random<double>(more, 2)), surface(random<double>(columns * bands, 3));
  DeviceArray<double> up(more), down(more);
  if (beginCase("longwave_cuf", {.bytes = 8.0 * columns * bands * (2 * layers + 2 * (layers + 1))})) {
    while (nextSample())
      longwave<<<dim3(blocksFor(columns, 128), bands), 128>>>(columns, layers, bands, tau, levels, surface, up, down);
    endCase(checksum(up.onHost()) + 2 * checksum(down.onHost()));
  }
}

void runKessler() {
  const int nx = sized(256, 40, 12), ny = sized(256, 24, 10), nz = sized(64, 8, 4), all = nx * ny * nz;
  auto positive = [=](int seed, float factor, float less) {
    std::vector<float> x = random<float>(all, seed, factor, -less);
    for (float &value : x)
      value = std::fmax(value, 0.0f);
    return x;
  };
  DeviceArray<float> pk(random<float>(all, 1, 0.1f, 0.9f)), rho(random<float>(all, 2, 0.5f, 0.7f)),
      th(random<float>(all, 3, 20, 290)), qv(random<float>(all, 4, 0.02f)), qc(positive(5, 0.006f, 0.003f)),
      qr(positive(6, 0.01f, 0.005f));
  DeviceArray<float> th1(all), qv1(all), qc1(all), qr1(all);
  if (beginCase("kessler_cuf", {.bytes = 40.0 * all, .kind = 4})) {
    while (nextSample())
      kessler<<<tiles(nx, ny, nz), tile>>>(nx, ny, nz, 10, pk, rho, th, qv, qc, qr, th1, qv1, qc1, qr1);
    endCase(checksum(th1.onHost()) / 300 +
            100 * (checksum(qv1.onHost()) + checksum(qc1.onHost()) + checksum(qr1.onHost())));
  }
}

void runAsselin() {
  const int n = sized(200, 32, 9), all = n * n * n;
  DeviceArray<double> before(random<double>(all, 1)), now(random<double>(all, 2)), rate(random<double>(all, 3)),
      next(all), filtered(all);
  if (beginCase("asselin_array", {.bytes = 40.0 * all})) {
    while (nextSample())
      asselin<<<blocksFor(all, 256), 256>>>(all, 0.25, 0.1, before, now, rate, next, filtered);
    endCase(checksum(next.onHost()) + 2 * checksum(filtered.onHost()));
  }
}

void runShapiro() {
  const int nx = sized(514, 66, 15), ny = sized(512, 32, 10), nz = sized(64, 8, 4), all = nx * ny * nz;
  std::vector<float> a = random<float>(all, 1);
  std::vector<int> sea(all);
  for (int i = 0; i < all; ++i)
    sea[i] = a[i] > 0.25f;
  DeviceArray<float> aD(a), x(all);
  DeviceArray<int> seaD(sea);
  x.clear();
  if (beginCase("shapiro_array", {.bytes = 12.0 * all, .kind = 4})) {
    while (nextSample())
      shapiro<<<tiles(nx - 2, ny, nz), tile>>>(nx, ny, nz, seaD, aD, x);
    endCase(checksum(x.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runPrimitives();
  runWeno();
  runCorrection();
  runDiffusion();
  runPull();
  runTracers();
  runInjection();
  runMhd();
  runLongwave();
  runKessler();
  runAsselin();
  runShapiro();
  return finish();
}
