// The same kernels as in the twin, schemes.cuf; those of CUF kernels are written by hand.
#include "benchmark.h"

#include <algorithm>

using namespace benchmark;

constexpr int points = 5, levels = 40;

struct PerfectGas {
  double gamma = 1.4, entropyFix = 0.1;
};

__constant__ float c8[5];

__device__ inline double square(double x) { return x * x; }

// The value at the right face of the middle of five cells: schemes that cross a discontinuity are left out.
__device__ inline double teno5(const double v[5]) {
  const double linear[3] = {0.1, 0.6, 0.3};
  double b[3], g[3], w[3];
  b[0] = 13 / 12.0 * square(v[0] - 2 * v[1] + v[2]) + 0.25 * square(v[0] - 4 * v[1] + 3 * v[2]);
  b[1] = 13 / 12.0 * square(v[1] - 2 * v[2] + v[3]) + 0.25 * square(v[1] - v[3]);
  b[2] = 13 / 12.0 * square(v[2] - 2 * v[3] + v[4]) + 0.25 * square(3 * v[2] - 4 * v[3] + v[4]);
  double tau5 = fabs(b[0] - b[2]);
  for (int s = 0; s < 3; ++s) {
    double x = square(1 + tau5 / (b[s] + 1e-40));
    g[s] = x * x * x;
  }
  for (int s = 0; s < 3; ++s)
    w[s] = g[s] >= 1e-5 * (g[0] + g[1] + g[2]) ? linear[s] : 0;
  return (w[0] * (2 * v[0] - 7 * v[1] + 11 * v[2]) + w[1] * (-v[1] + 5 * v[2] + 2 * v[3]) +
          w[2] * (2 * v[2] + 5 * v[3] - v[4])) /
         (6 * (w[0] + w[1] + w[2]));
}

// Matrices of 3 x 3, stored by columns.
__device__ inline void inverse3(const double a[9], double b[9]) {
  b[0] = a[4] * a[8] - a[7] * a[5];
  b[1] = a[7] * a[2] - a[1] * a[8];
  b[2] = a[1] * a[5] - a[4] * a[2];
  b[3] = a[6] * a[5] - a[3] * a[8];
  b[4] = a[0] * a[8] - a[6] * a[2];
  b[5] = a[3] * a[2] - a[0] * a[5];
  b[6] = a[3] * a[7] - a[6] * a[4];
  b[7] = a[6] * a[1] - a[0] * a[7];
  b[8] = a[0] * a[4] - a[3] * a[1];
  double divisor = 1 / (a[0] * b[0] + a[3] * b[1] + a[6] * b[2]);
  for (int m = 0; m < 9; ++m)
    b[m] = b[m] * divisor;
}

__device__ inline void multiply3(const double a[9], const double b[9], double c[9]) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      c[3 * j + i] = a[i] * b[3 * j] + a[3 + i] * b[3 * j + 1] + a[6 + i] * b[3 * j + 2];
}

__device__ inline void apply3(const double a[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; ++i)
    y[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
}

__device__ inline void cubicWeights(double x, double w[4]) {
  w[0] = -x * (x - 1) * (x - 2) / 6;
  w[1] = (x + 1) * (x - 1) * (x - 2) / 2;
  w[2] = -(x + 1) * x * (x - 2) / 2;
  w[3] = (x + 1) * x * (x - 1) / 6;
}

// What a layer reflects and lets through, and what it emits to both sides.
__device__ inline void layerOptics(double depth, double albedo, double g, double emission, double &reflected,
                                   double &passed, double &emitted) {
  double gamma1 = (8 - albedo * (5 + 3 * g)) * 0.25;
  double gamma2 = 0.75 * albedo * (1 - g);
  double k = sqrt(fmax((gamma1 - gamma2) * (gamma1 + gamma2), 1e-12));
  double e = exp(-k * depth);
  double e2 = e * e;
  double factor = 1 / (k * (1 + e2) + gamma1 * (1 - e2));
  reflected = gamma2 * (1 - e2) * factor;
  passed = 2 * k * e * factor;
  emitted = (1 - reflected - passed) * emission;
}

__device__ inline float square(float x) { return x * x; }

// Mixing ratio of vapour over water where air is saturated, and how it changes with temperature.
__device__ inline float saturated(float t, float p, float *slope = nullptr) {
  float e = 610.78f * expf(17.27f * (t - 273.16f) / (t - 35.86f));
  float q = 0.622f * e / (p - e);
  if (slope)
    *slope = q * p / (p - e) * 4098.17f / square(t - 35.86f);
  return q;
}

__global__ void tenoFluxes(int nx, int ny, int nz, const double *noalias q, double *noalias flux) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= nx || j > ny)
    return;
  double f[6][5], w[6][5], alpha = 0;
  for (int l = 0; l < 6; ++l) {
    for (int m = 0; m < 5; ++m)
      w[l][m] = q[(((k + 3) * (ny + 6) + j + l) * (nx + 6) + i + 3) * 5 + m];
    double v = w[l][2] / w[l][0];
    double p = 0.4 * (w[l][4] - 0.5 * (square(w[l][1]) + square(w[l][2]) + square(w[l][3])) / w[l][0]);
    for (int m = 0; m < 5; ++m)
      f[l][m] = v * w[l][m];
    f[l][2] = f[l][2] + p;
    f[l][4] = f[l][4] + v * p;
    alpha = fmax(alpha, fabs(v) + sqrt(1.4 * p / w[l][0]));
  }
  for (int m = 0; m < 5; ++m) {
    double plus[5], minus[5];
    for (int l = 0; l < 5; ++l) {
      plus[l] = 0.5 * (f[l][m] + alpha * w[l][m]);
      minus[l] = 0.5 * (f[5 - l][m] - alpha * w[5 - l][m]);
    }
    flux[((k * (ny + 1) + j) * nx + i) * 5 + m] = teno5(plus) + teno5(minus);
  }
}

struct Primitive {
  double r, u, v, w, p, h;
  __device__ Primitive(double gamma, const double *q, int at, int stride) {
    r = q[at];
    u = q[at + stride] / r;
    v = q[at + 2 * stride] / r;
    w = q[at + 3 * stride] / r;
    p = (gamma - 1) * (q[at + 4 * stride] - 0.5 * r * (u * u + v * v + w * w));
    h = (q[at + 4 * stride] + p) / r;
  }
};

__global__ void roeFluxes(int nx, int ny, int nz, const PerfectGas *noalias gas, const double *noalias q,
                          double *noalias f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  int at = (k * ny + j) * (nx + 1) + i, stride = (nx + 1) * ny * nz;
  Primitive l(gas->gamma, q, at, stride), r(gas->gamma, q, at + 1, stride);
  double sl = sqrt(l.r) / (sqrt(l.r) + sqrt(r.r)), sr = 1 - sl;
  double rho = sqrt(l.r * r.r);
  double u = sl * l.u + sr * r.u, v = sl * l.v + sr * r.v, w = sl * l.w + sr * r.w, h = sl * l.h + sr * r.h;
  double q2 = u * u + v * v + w * w;
  double c = sqrt((gas->gamma - 1) * (h - 0.5 * q2));
  double a[3] = {(r.p - l.p - rho * c * (r.u - l.u)) / (2 * c * c), r.r - l.r - (r.p - l.p) / (c * c),
                 (r.p - l.p + rho * c * (r.u - l.u)) / (2 * c * c)};
  double lambda[3] = {fabs(u - c), fabs(u), fabs(u + c)};
  double limit = gas->entropyFix * (fabs(u) + c);
  for (int m = 0; m < 3; ++m) {
    if (lambda[m] < limit)
      lambda[m] = 0.5 * (lambda[m] * lambda[m] / limit + limit);
    a[m] = a[m] * lambda[m];
  }
  double d[5];
  d[0] = a[0] + a[1] + a[2];
  d[1] = a[0] * (u - c) + a[1] * u + a[2] * (u + c);
  d[2] = d[0] * v + lambda[1] * rho * (r.v - l.v);
  d[3] = d[0] * w + lambda[1] * rho * (r.w - l.w);
  d[4] = a[0] * (h - u * c) + a[1] * 0.5 * q2 + a[2] * (h + u * c) +
         lambda[1] * rho * (v * (r.v - l.v) + w * (r.w - l.w));
  double ml = l.r * l.u, mr = r.r * r.u;
  double left[5] = {ml, ml * l.u + l.p, ml * l.v, ml * l.w, ml * l.h};
  double right[5] = {mr, mr * r.u + r.p, mr * r.v, mr * r.w, mr * r.h};
  for (int m = 0; m < 5; ++m)
    f[((m * nz + k) * ny + j) * nx + i] = 0.5 * (left[m] + right[m] - d[m]);
}

// Lines of equations whose coefficients are 3 x 3 matrices: a below the diagonal, b on it, c above it.
__global__ void blockThomas(int lines, int n, const double *noalias a, const double *noalias b,
                            const double *noalias c, const double *noalias d, double *noalias g, double *noalias x) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines)
    return;
  double upper[9], pivot[9], low[9], diagonal[9], right[9], y[3], z[3];
  for (int m = 0; m < 9; ++m) {
    diagonal[m] = b[m * lines + line];
    right[m] = c[m * lines + line];
  }
  inverse3(diagonal, pivot);
  multiply3(pivot, right, upper);
  for (int m = 0; m < 3; ++m)
    z[m] = d[m * lines + line];
  apply3(pivot, z, y);
  for (int m = 0; m < 9; ++m)
    g[m * lines + line] = upper[m];
  for (int m = 0; m < 3; ++m)
    x[m * lines + line] = y[m];
  for (int k = 1; k < n; ++k) {
    for (int m = 0; m < 9; ++m) {
      low[m] = a[(k * 9 + m) * lines + line];
      right[m] = c[(k * 9 + m) * lines + line];
    }
    multiply3(low, upper, diagonal);
    for (int m = 0; m < 9; ++m)
      diagonal[m] = b[(k * 9 + m) * lines + line] - diagonal[m];
    inverse3(diagonal, pivot);
    apply3(low, y, z);
    for (int m = 0; m < 3; ++m)
      z[m] = d[(k * 3 + m) * lines + line] - z[m];
    apply3(pivot, z, y);
    multiply3(pivot, right, upper);
    for (int m = 0; m < 9; ++m)
      g[(k * 9 + m) * lines + line] = upper[m];
    for (int m = 0; m < 3; ++m)
      x[(k * 3 + m) * lines + line] = y[m];
  }
  for (int k = n - 2; k >= 0; --k) {
    for (int m = 0; m < 9; ++m)
      low[m] = g[(k * 9 + m) * lines + line];
    apply3(low, y, z);
    for (int m = 0; m < 3; ++m) {
      y[m] = x[(k * 3 + m) * lines + line] - z[m];
      x[(k * 3 + m) * lines + line] = y[m];
    }
  }
}

// Divergence of the fluxes within discontinuous elements of 5 x 5 x 5 points, one element per block.
__global__ void dgVolume(const double *noalias q, const double *noalias metric, const double *noalias d,
                         double *noalias rhs) {
  __shared__ double along[3][points][points][points], ds[points][points];
  int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z, e = blockIdx.x;
  constexpr int all = points * points * points;
  if (k == 0)
    ds[j][i] = d[j * points + i];
  int at = e * 5 * all + (k * points + j) * points + i;
  double state[5], u[3];
  for (int m = 0; m < 5; ++m)
    state[m] = q[at + m * all];
  for (int s = 0; s < 3; ++s)
    u[s] = state[s + 1] / state[0];
  double p = 0.4 * (state[4] - 0.5 * state[0] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  for (int m = 0; m < 5; ++m) {
    for (int s = 0; s < 3; ++s)
      along[s][k][j][i] = state[m] * u[s];
    if (m >= 1 && m <= 3)
      along[m - 1][k][j][i] = along[m - 1][k][j][i] + p;
    if (m == 4)
      for (int s = 0; s < 3; ++s)
        along[s][k][j][i] = along[s][k][j][i] + p * u[s];
    __syncthreads();
    double total = 0;
    for (int l = 0; l < points; ++l)
      total = total + metric[3 * e] * ds[l][i] * along[0][k][j][l] + metric[3 * e + 1] * ds[l][j] * along[1][k][l][i] +
              metric[3 * e + 2] * ds[l][k] * along[2][l][j][i];
    rhs[at + m * all] = -total;
    __syncthreads();
  }
}

// One step of acoustic waves in a medium that is isotropic only across the vertical.
__global__ void vtiStep(int nx, int ny, int nz, float dt, const float *noalias p, const float *noalias q,
                        const float *noalias pOld, const float *noalias qOld, const float *noalias speed,
                        const float *noalias epsilon, const float *noalias delta, float *noalias pNew,
                        float *noalias qNew) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  int y = nx + 8, z = y * (ny + 8), wide = (k + 4) * z + (j + 4) * y + i + 4, at = (k * ny + j) * nx + i;
  float across = 2 * c8[0] * p[wide];
  float along = c8[0] * q[wide];
  for (int l = 1; l <= 4; ++l) {
    across = across + c8[l] * (p[wide + l] + p[wide - l] + p[wide + l * y] + p[wide - l * y]);
    along = along + c8[l] * (q[wide + l * z] + q[wide - l * z]);
  }
  float factor = square(speed[at] * dt);
  float root = sqrtf(1 + 2 * delta[at]);
  pNew[at] = 2 * p[wide] - pOld[at] + factor * ((1 + 2 * epsilon[at]) * across + root * along);
  qNew[at] = 2 * q[wide] - qOld[at] + factor * (root * across + along);
}

__device__ inline float2 add(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline float2 conjugate(float2 a) { return {a.x, -a.y}; }
__device__ inline float2 multiply(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

// Two Hermitian 6 x 6 matrices per site, stored by diagonals and lower halves, times spinors.
__global__ void cloverTerm(int sites, const float *noalias diagonal, const float2 *noalias lower,
                           const float2 *noalias psi, float2 *noalias chi) {
  int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= sites)
    return;
  for (int chirality = 0; chirality < 2; ++chirality) {
    float2 s[6], t[6];
    for (int i = 0; i < 6; ++i)
      s[i] = psi[(chirality * 6 + i) * sites + site];
    for (int i = 0; i < 6; ++i) {
      float d = diagonal[(chirality * 6 + i) * sites + site];
      t[i] = {d * s[i].x, d * s[i].y};
    }
    for (int i = 1; i < 6; ++i)
      for (int j = 0; j < i; ++j) {
        float2 factor = lower[(chirality * 15 + i * (i - 1) / 2 + j) * sites + site];
        t[i] = add(t[i], multiply(factor, s[j]));
        t[j] = add(t[j], multiply(conjugate(factor), s[i]));
      }
    for (int i = 0; i < 6; ++i)
      chi[(chirality * 6 + i) * sites + site] = t[i];
  }
}

// Viscous forces on a fluid in cylindrical coordinates.
__global__ void cylindricalForces(int nr, int nt, int nz, double nu, double dr, double dt, double dz,
                                  const double *noalias r, const double *noalias ur, const double *noalias ut,
                                  const double *noalias uz, double *noalias fr, double *noalias ft,
                                  double *noalias fz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= nr || j >= nt)
    return;
  int y = nr + 2, z = y * (nt + 2), at = (k + 1) * z + (j + 1) * y + i + 1, out = (k * nt + j) * nr + i;
  double here = r[i + 1], before = r[i], after = r[i + 2];
  double rm = 0.5 * (before + here), rp = 0.5 * (here + after);
  fr[out] = nu * (((after * ur[at + 1] - here * ur[at]) / rp - (here * ur[at] - before * ur[at - 1]) / rm) /
                      square(dr) +
                  (ur[at + y] - 2 * ur[at] + ur[at - y]) / square(here * dt) -
                  (ut[at + y] - ut[at - y]) / (square(here) * dt) +
                  (ur[at + z] - 2 * ur[at] + ur[at - z]) / square(dz));
  ft[out] = nu * (((after * ut[at + 1] - here * ut[at]) / rp - (here * ut[at] - before * ut[at - 1]) / rm) /
                      square(dr) +
                  (ut[at + y] - 2 * ut[at] + ut[at - y]) / square(here * dt) +
                  (ur[at + y] - ur[at - y]) / (square(here) * dt) +
                  (ut[at + z] - 2 * ut[at] + ut[at - z]) / square(dz));
  fz[out] = nu * ((rp * (uz[at + 1] - uz[at]) - rm * (uz[at] - uz[at - 1])) / (here * square(dr)) +
                  (uz[at + y] - 2 * uz[at] + uz[at - y]) / square(here * dt) +
                  (uz[at + z] - 2 * uz[at] + uz[at - z]) / square(dz));
}

// Values at the places from which the wind has brought the air, by cubic interpolation; periodic along i.
__global__ void semiLagrangian(int nx, int ny, const double *noalias f, const double *noalias u,
                               const double *noalias v, double *noalias next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  double x = i - u[j * nx + i], y = j - v[j * nx + i];
  int i0 = int(floor(x)), j0 = int(floor(y)), column[4];
  double wx[4], wy[4];
  cubicWeights(x - i0, wx);
  cubicWeights(y - j0, wy);
  for (int l = 0; l < 4; ++l) {
    column[l] = (i0 + l - 1) % nx;
    if (column[l] < 0)
      column[l] += nx;
  }
  double total = 0;
  for (int m = 0; m < 4; ++m) {
    int row = (j0 + m + 2) * nx;
    total = total + wy[m] * (wx[0] * f[row + column[0]] + wx[1] * f[row + column[1]] + wx[2] * f[row + column[2]] +
                             wx[3] * f[row + column[3]]);
  }
  next[j * nx + i] = total;
}

// The stiffness of an element with eight corners by eight points of Gauss.
__global__ void hexStiffness(int elements, int nodes, const double *noalias place, const int *noalias cornerOf,
                             const double *noalias conductivity, double *noalias stiffness) {
  constexpr double at = 0.5773502691896257;
  constexpr double signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements)
    return;
  double x[8][3], dn[8][3], g[8][3], ke[36] = {};
  for (int a = 0; a < 8; ++a)
    for (int d = 0; d < 3; ++d)
      x[a][d] = place[cornerOf[e * 8 + a] * 3 + d];
  for (int q = 0; q < 8; ++q) {
    double xi[3] = {at * signs[q][0], at * signs[q][1], at * signs[q][2]};
    for (int a = 0; a < 8; ++a) {
      dn[a][0] = 0.125 * signs[a][0] * (1 + signs[a][1] * xi[1]) * (1 + signs[a][2] * xi[2]);
      dn[a][1] = 0.125 * signs[a][1] * (1 + signs[a][0] * xi[0]) * (1 + signs[a][2] * xi[2]);
      dn[a][2] = 0.125 * signs[a][2] * (1 + signs[a][0] * xi[0]) * (1 + signs[a][1] * xi[1]);
    }
    double jacobian[9] = {}, inverse[9];
    for (int a = 0; a < 8; ++a)
      for (int s = 0; s < 3; ++s)
        for (int d = 0; d < 3; ++d)
          jacobian[3 * s + d] += x[a][d] * dn[a][s];
    inverse3(jacobian, inverse);
    double weight =
        conductivity[e] * (jacobian[0] * (jacobian[4] * jacobian[8] - jacobian[7] * jacobian[5]) -
                           jacobian[3] * (jacobian[1] * jacobian[8] - jacobian[7] * jacobian[2]) +
                           jacobian[6] * (jacobian[1] * jacobian[5] - jacobian[4] * jacobian[2]));
    for (int a = 0; a < 8; ++a)
      for (int d = 0; d < 3; ++d)
        g[a][d] = inverse[3 * d] * dn[a][0] + inverse[3 * d + 1] * dn[a][1] + inverse[3 * d + 2] * dn[a][2];
    int m = 0;
    for (int b = 0; b < 8; ++b)
      for (int a = 0; a <= b; ++a, ++m)
        ke[m] = ke[m] + weight * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
  }
  for (int m = 0; m < 36; ++m)
    stiffness[m * elements + e] = ke[m];
}

// Diffuse radiation in layers of air, by adding them up from the ground.
__global__ void twoStream(int columns, int bands, const double *noalias tau, const double *noalias ssa,
                          const double *noalias asymmetry, const double *noalias planck,
                          const double *noalias surface, double *noalias fluxUp, double *noalias fluxDown) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int band = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= columns || band >= bands)
    return;
  double reflected[levels], passed[levels], emitted[levels], factor[levels], albedo[levels + 1], source[levels + 1];
  albedo[levels] = surface[band];
  source[levels] = (1 - surface[band]) * planck[(levels - 1) * columns + i];
  for (int l = levels - 1; l >= 0; --l) {
    int at = (band * levels + l) * columns + i;
    layerOptics(tau[at], ssa[at], asymmetry[at], planck[l * columns + i], reflected[l], passed[l], emitted[l]);
    factor[l] = 1 / (1 - reflected[l] * albedo[l + 1]);
    albedo[l] = reflected[l] + square(passed[l]) * albedo[l + 1] * factor[l];
    source[l] = emitted[l] + passed[l] * factor[l] * (source[l + 1] + albedo[l + 1] * emitted[l]);
  }
  double down = 0;
  int at = band * (levels + 1) * columns + i;
  fluxDown[at] = down;
  fluxUp[at] = source[0];
  for (int l = 0; l < levels; ++l) {
    down = (passed[l] * down + reflected[l] * source[l + 1] + emitted[l]) * factor[l];
    fluxDown[at + (l + 1) * columns] = down;
    fluxUp[at + (l + 1) * columns] = down * albedo[l + 1] + source[l + 1];
  }
}

// Water condenses or evaporates until air is saturated: Newton's iteration for the temperature.
__global__ void adjustSaturation(int n, const float *noalias t, const float *noalias qv, const float *noalias qc,
                                 const float *noalias p, float *noalias tNew, float *noalias qvNew,
                                 float *noalias qcNew) {
  constexpr float heat = 2490;
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n)
    return;
  float temperature = t[at] - heat * qc[at];
  float q = qv[at] + qc[at];
  if (q > saturated(temperature, p[at])) {
    for (int iteration = 1; iteration <= 20; ++iteration) {
      float slope;
      float excess = temperature - t[at] - heat * (qv[at] - saturated(temperature, p[at], &slope));
      float change = excess / (1 + heat * slope);
      temperature = temperature - change;
      if (fabsf(change) < 1e-3f)
        break;
    }
    q = saturated(temperature, p[at]);
  }
  tNew[at] = temperature;
  qvNew[at] = q;
  qcNew[at] = qv[at] + qc[at] - q;
}

// Points of the first of four colours, whose eight neighbours have the other colours.
__global__ void smoothColour(int n, double omega, const double *noalias c, const double *noalias b, double *noalias u) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  int j = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (i >= n || j >= n)
    return;
  int y = n + 2, at = (j + 1) * y + i + 1, m = j * n + i;
  u[at] = (b[m] + c[5 * m + 1] * (u[at - 1] + u[at + 1]) + c[5 * m + 2] * (u[at - y] + u[at + y]) +
           c[5 * m + 3] * (u[at - y - 1] + u[at + y + 1]) + c[5 * m + 4] * (u[at - y + 1] + u[at + y - 1])) *
          omega / c[5 * m];
}

// Norms of the residuals of five equations where the fluid is.
__global__ void residualNorms(int n, const double *noalias residual, const double *noalias volume,
                              const int *noalias fluid, double *sums) {
  double total = 0, greatest = 0;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < 5 * n; at += gridDim.x * blockDim.x) {
    int cell = at / 5;
    if (fluid[cell]) {
      total += square(residual[at] / volume[cell]);
      greatest = fmax(greatest, fabs(residual[at] / volume[cell]));
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    total += __shfl_xor_sync(~0u, total, offset);
    greatest = fmax(greatest, __shfl_xor_sync(~0u, greatest, offset));
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sums[0], total);
    atomicMax((unsigned long long *)&sums[1], (unsigned long long)__double_as_longlong(greatest));
  }
}

template <class T>
static std::vector<T> random(size_t count, int seed, T factor = 1, T add = 0) {
  std::vector<T> x(count);
  fill(x, seed);
  for (T &value : x)
    value = factor * value + add;
  return x;
}

static dim3 blocks(int nx, int ny, int nz, dim3 block) {
  return dim3((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, nz);
}

void runTeno() {
  const int n = sized(128, 24, 10), wide = (n + 6) * (n + 6) * (n + 6);
  std::vector<double> q = random(5 * size_t(wide), 1, 1.0, -0.5);
  for (int cell = 0; cell < wide; ++cell) {
    q[5 * cell] += 1;
    q[5 * cell + 4] += 2.5;
  }
  DeviceArray<double> qD(q), got(5 * size_t(n) * n * (n + 1));
  dim3 block(32, 4);
  if (beginCase("teno_fluxes", {.bytes = 80.0 * n * n * n, .flops = 1000.0 * n * n * n})) {
    while (nextSample())
      tenoFluxes<<<blocks(n, n + 1, n, block), block>>>(n, n, n, qD, got);
    endCase(checksum(got.onHost()));
  }
}

void runRoe() {
  const int nx = sized(256, 32, 12), ny = sized(128, 24, 10), nz = sized(64, 16, 6), stride = (nx + 1) * ny * nz;
  std::vector<double> q = random(5 * size_t(stride), 1, 1.0);
  for (int m = 0; m < 5; ++m)
    for (int at = 0; at < stride; ++at)
      q[m * stride + at] += m == 0 ? 0.5 : m == 4 ? 2 : -0.5;
  DeviceArray<double> qD(q), got(5 * size_t(nx) * ny * nz);
  DeviceArray<PerfectGas> gas(std::vector<PerfectGas>(1));
  dim3 block(32, 4);
  if (beginCase("roe_fluxes", {.bytes = 80.0 * nx * ny * nz})) {
    while (nextSample())
      roeFluxes<<<blocks(nx, ny, nz, block), block>>>(nx, ny, nz, gas, qD, got);
    endCase(checksum(got.onHost()));
  }
}

void runBlocks() {
  const int lines = sized(1 << 16, 1 << 10, 100), n = sized(20, 12, 6);
  const size_t all = 9 * size_t(lines) * n;
  std::vector<double> b = random(all, 2, 1.0);
  for (int k = 0; k < n; ++k)
    for (int m = 0; m < 3; ++m)
      for (int line = 0; line < lines; ++line)
        b[(k * 9 + 4 * m) * lines + line] += 10;
  DeviceArray<double> a(random(all, 1, 1.0)), bD(b), c(random(all, 3, 1.0)), d(random(all / 3, 4, 1.0)), g(all),
      x(all / 3);
  if (beginCase("block_thomas", {.bytes = 456.0 * lines * n})) {
    while (nextSample())
      blockThomas<<<(lines + 127) / 128, 128>>>(lines, n, a, bD, c, d, g, x);
    endCase(checksum(x.onHost()));
  }
}

void runElements() {
  const int elements = sized(1 << 14, 1 << 8, 20), all = points * points * points;
  std::vector<double> q = random(5 * size_t(all) * elements, 1, 1.0);
  for (int e = 0; e < elements; ++e)
    for (int at = 0; at < all; ++at) {
      q[5 * e * all + at] += 0.5;
      q[(5 * e + 4) * all + at] += 2;
    }
  DeviceArray<double> qD(q), metric(random(3 * elements, 2, 1.0)), d(random(points * points, 3, 1.0)), got(q.size());
  if (beginCase("dg_volume", {.bytes = 16.0 * q.size()})) {
    while (nextSample())
      dgVolume<<<elements, dim3(points, points, points)>>>(qD, metric, d, got);
    endCase(checksum(got.onHost()));
  }
}

void runWaves() {
  const int nx = sized(256, 32, 12), ny = sized(256, 24, 10), nz = sized(128, 16, 8);
  const size_t wide = size_t(nx + 8) * (ny + 8) * (nz + 8), all = size_t(nx) * ny * nz;
  DeviceArray<float> p(random(wide, 1, 1.0f)), q(random(wide, 2, 1.0f)), others(random(5 * all, 3, 1.0f)), pNew(all),
      qNew(all);
  const float *old = others, c[5] = {-205 / 72.0f, 8 / 5.0f, -1 / 5.0f, 8 / 315.0f, -1 / 560.0f};
  cudaMemcpyToSymbol(c8, c, sizeof c);
  dim3 block(32, 8);
  if (beginCase("vti_step", {.bytes = 36.0 * all, .kind = 4})) {
    while (nextSample())
      vtiStep<<<blocks(nx, ny, nz, block), block>>>(nx, ny, nz, 0.5f, p, q, old, old + all, old + 2 * all,
                                                    old + 3 * all, old + 4 * all, pNew, qNew);
    endCase(checksum(pNew.onHost()) + checksum(qNew.onHost()));
  }
}

void runClover() {
  const int sites = sized(1 << 19, 1 << 12, 100);
  std::vector<float> parts = random(84 * size_t(sites), 2, 1.0f);
  std::vector<float2> lower(30 * size_t(sites)), psi(12 * size_t(sites));
  for (int c = 0; c < 2; ++c)
    for (int m = 0; m < 21; ++m)
      for (int site = 0; site < sites; ++site) {
        size_t from = 2 * (size_t(c * 21 + m) * sites + site);
        float2 value = {parts[from], parts[from + 1] - 0.5f};
        if (m < 15)
          lower[size_t(c * 15 + m) * sites + site] = value;
        else
          psi[size_t(c * 6 + m - 15) * sites + site] = value;
      }
  DeviceArray<float> diagonal(random(12 * size_t(sites), 1, 1.0f));
  DeviceArray<float2> lowerD(lower), psiD(psi), gotD(psi.size());
  if (beginCase("clover_term", {.bytes = 480.0 * sites, .kind = 4})) {
    while (nextSample())
      cloverTerm<<<(sites + 127) / 128, 128>>>(sites, diagonal, lowerD, psiD, gotD);
    std::vector<float2> got = gotD.onHost();
    double total = 0;
    for (size_t i = 0; i < got.size(); ++i)
      total += (got[i].x + 2.0 * got[i].y) * (1 + (i + 1) % 1009);
    endCase(total);
  }
}

void runCylinder() {
  const int nr = sized(256, 32, 12), nt = sized(192, 24, 10), nz = sized(128, 16, 8);
  const size_t wide = size_t(nr + 2) * (nt + 2) * (nz + 2), all = size_t(nr) * nt * nz;
  std::vector<double> radius(nr + 2);
  for (int i = 0; i < nr + 2; ++i)
    radius[i] = 2 + 0.25 * i;
  DeviceArray<double> r(radius), ur(random(wide, 1, 1.0)), ut(random(wide, 2, 1.0)), uz(random(wide, 3, 1.0)), fr(all),
      ft(all), fz(all);
  dim3 block(32, 4);
  if (beginCase("cylindrical_cuf", {.bytes = 48.0 * all})) {
    while (nextSample())
      cylindricalForces<<<blocks(nr, nt, nz, block), block>>>(nr, nt, nz, 0.5, 0.25, 0.125, 0.5, r, ur, ut, uz, fr, ft,
                                                              fz);
    endCase(checksum(fr.onHost()) + checksum(ft.onHost()) + checksum(fz.onHost()));
  }
}

void runTransport() {
  const int nx = sized(4096, 128, 24), ny = sized(2048, 64, 20), all = nx * ny;
  DeviceArray<double> f(random(nx * (ny + 6), 1, 1.0)), u(random(all, 2, 3.0, -1.5)), v(random(all, 3, 3.0, -1.5)),
      got(all);
  dim3 block(32, 4);
  if (beginCase("semi_lagrangian_cuf", {.bytes = 32.0 * all})) {
    while (nextSample())
      semiLagrangian<<<dim3((nx + 31) / 32, (ny + 3) / 4), block>>>(nx, ny, f, u, v, got);
    endCase(checksum(got.onHost()));
  }
}

void runStiffness() {
  constexpr int offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int n = sized(64, 16, 5), elements = n * n * n, side = n + 1, nodes = side * side * side;
  std::vector<double> xyz = random(3 * nodes, 1, 1.0);
  std::vector<int> corners(8 * elements);
  for (int l = 0; l <= n; ++l)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        // Nodes at the faces of the cube stay there.
        const int place[3] = {i, j, l}, node = (l * side + j) * side + i;
        for (int d = 0; d < 3; ++d)
          xyz[3 * node + d] = place[d] + (place[d] % n ? 0.3 * (xyz[3 * node + d] - 0.5) : 0);
        if (std::max({i, j, l}) == n)
          continue;
        int first = 8 * ((l * n + j) * n + i);
        for (int a = 0; a < 8; ++a)
          corners[first + a] = ((l + offset[a][2]) * side + j + offset[a][1]) * side + i + offset[a][0];
      }
  DeviceArray<double> place(xyz), conductivity(random(elements, 2, 1.0, 0.5)), stiffness(36 * size_t(elements));
  DeviceArray<int> cornerOf(corners);
  if (beginCase("hex_stiffness_cuf", {.bytes = 328.0 * elements, .flops = 4000.0 * elements})) {
    while (nextSample())
      hexStiffness<<<(elements + 127) / 128, 128>>>(elements, nodes, place, cornerOf, conductivity, stiffness);
    endCase(checksum(stiffness.onHost()));
  }
}

void runRadiation() {
  const int columns = sized(8192, 256, 70), bands = sized(14, 4, 3);
  const size_t all = size_t(columns) * levels * bands, faces = size_t(columns) * (levels + 1) * bands;
  std::vector<double> x = random(3 * all, 1, 1.0);
  for (size_t at = 0; at < all; ++at) {
    x[at] *= 3;
    x[all + at] *= 0.9;
    x[2 * all + at] *= 0.8;
  }
  DeviceArray<double> xD(x), planck(random(columns * levels, 2, 1.0)), surface(random(bands, 3, 1.0)), up(faces),
      down(faces);
  const double *tau = xD;
  if (beginCase("two_stream_cuf", {.bytes = 40.0 * all})) {
    while (nextSample())
      twoStream<<<dim3((columns + 63) / 64, (bands + 1) / 2), dim3(64, 2)>>>(columns, bands, tau, tau + all,
                                                                             tau + 2 * all, planck, surface, up, down);
    endCase(checksum(up.onHost()) + checksum(down.onHost()));
  }
}

void runSaturation() {
  const int n = sized(256, 32, 12) * sized(256, 24, 10) * sized(128, 16, 8);
  DeviceArray<float> t(random(n, 1, 40.0f, 260.0f)), qv(random(n, 2, 0.02f)), qc(random(n, 3, 0.003f)),
      p(random(n, 4, 40000.0f, 60000.0f)), tNew(n), qvNew(n), qcNew(n);
  if (beginCase("saturation_cuf", {.bytes = 28.0 * n, .kind = 4})) {
    while (nextSample())
      adjustSaturation<<<(n + 127) / 128, 128>>>(n, t, qv, qc, p, tNew, qvNew, qcNew);
    endCase(checksum(tNew.onHost()) + 1000 * checksum(qvNew.onHost()));
  }
}

void runColours() {
  const int n = sized(2048, 128, 24);
  std::vector<double> c = random(5 * size_t(n) * n, 1, 1.0);
  for (size_t at = 0; at < c.size(); at += 5)
    c[at] += 2;
  DeviceArray<double> cD(c), b(random(n * n, 2, 1.0)), u(random((n + 2) * (n + 2), 3, 1.0));
  dim3 block(32, 4);
  if (beginCase("colour_cuf", {.bytes = 64.0 * n * n / 4})) {
    while (nextSample())
      smoothColour<<<blocks((n + 1) / 2, (n + 1) / 2, 1, block), block>>>(n, 0.75, cD, b, u);
    endCase(checksum(u.onHost()));
  }
}

void runNorms() {
  const int n = sized(144, 32, 10), cells = n * n * n;
  std::vector<double> volume = random(cells, 2, 1.0);
  std::vector<int> fluid(cells);
  for (int at = 0; at < cells; ++at) {
    fluid[at] = volume[at] > 0.2;
    volume[at] += 0.5;
  }
  DeviceArray<double> residual(random(5 * cells, 1, 1.0, -0.5)), volumeD(volume), sums(2);
  DeviceArray<int> fluidD(fluid);
  if (beginCase("residual_norms_cuf", {.bytes = 52.0 * cells})) {
    double found[2] = {};
    while (nextSample()) {
      sums.clear();
      residualNorms<<<132 * 8, 256>>>(cells, residual, volumeD, fluidD, sums);
      cudaMemcpy(found, (double *)sums, sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(found[0] + 10 * found[1]);
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runTeno();
  runRoe();
  runBlocks();
  runElements();
  runWaves();
  runClover();
  runCylinder();
  runTransport();
  runStiffness();
  runRadiation();
  runSaturation();
  runColours();
  runNorms();
  return finish();
}
