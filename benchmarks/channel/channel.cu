// Solvers of turbulent channels and of hydrodynamics: the explicit terms of a momentum equation with metrics and lists
// of neighbours, a projection, implicit lines, profiles, fluxes in split form, and from staggered Lagrangian
// hydrodynamics accelerations, momenta that are carried upwind, the products of conjugate gradients and forces at the
// corners of hexahedra. Twin: channel.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int order = 4;
__constant__ double coefficients[order];

__global__ void momentum(int n, double udx1q, double udx2q, const int *noalias kmv, const double *noalias udx3,
                         const double *noalias udx3c, const double *noalias vx, const double *noalias vy,
                         const double *noalias vz, const double *noalias temp, double *noalias dq) {
  int kc = blockIdx.x * blockDim.x + threadIdx.x + 2;
  int jc = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int ic = blockIdx.z + 1;
  if (kc > n || jc > n)
    return;
  int row = n + 2, plane = row * row, at = ic * plane + jc * row + kc;
  int km = kmv[kc - 1], below = at - kc + km;
  double hxz = ((vz[at + plane] + vz[below + plane]) * (vx[at + plane] + vx[at]) -
                (vz[at] + vz[below]) * (vx[at] + vx[at - plane])) *
               udx1q;
  double hxy =
      ((vy[at + row] + vy[below + row]) * (vx[at + row] + vx[at]) - (vy[at] + vy[below]) * (vx[at] + vx[at - row])) *
      udx2q;
  double hxx = ((vx[at + 1] + vx[at]) * (vx[at + 1] + vx[at]) - (vx[at] + vx[below]) * (vx[at] + vx[below])) *
               udx3c[kc - 1] * 0.25;
  double tempit = temp[at] + temp[below];
  double dxxvx = (vx[at + 1] - vx[at]) * udx3[kc - 1] - (vx[at] - vx[below]) * udx3[km - 1];
  dq[((ic - 1) * n + jc - 1) * n + kc - 1] = -(hxx + hxy + hxz) + dxxvx * udx3c[kc - 1] + 0.5 * tempit;
}

__global__ void project(int n, double dti, double dtidxi, double dtidyi, const double *noalias dzfi,
                        const double *noalias u, const double *noalias v, const double *noalias w, double *noalias p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i > n || j > n)
    return;
  int row = n + 2, plane = row * row, at = k * plane + j * row + i;
  p[at] = (w[at] - w[at - plane]) * dti * dzfi[k] + (v[at] - v[at - row]) * dtidyi + (u[at] - u[at - 1]) * dtidxi;
}

__global__ void solveLines(int n, const double *noalias a, const double *noalias b, const double *noalias c,
                           const double *noalias p, double *noalias d, double *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int at = j * n + i, plane = n * n;
  double z = 1 / b[0];
  d[at] = c[0] * z;
  x[at] = p[at] * z;
  for (int k = 1; k < n; ++k) {
    z = 1 / (b[k] - a[k] * d[(k - 1) * plane + at]);
    d[k * plane + at] = c[k] * z;
    x[k * plane + at] = (p[k * plane + at] - a[k] * x[(k - 1) * plane + at]) * z;
  }
  for (int k = n - 2; k >= 0; --k)
    x[k * plane + at] -= d[k * plane + at] * x[(k + 1) * plane + at];
}

__global__ void profiles(int n, const double *noalias u, const double *noalias w, double *sums) {
  double s[5] = {};
  int cells = n * n * n;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < cells; at += gridDim.x * blockDim.x) {
    s[0] += u[at];
    s[1] += w[at];
    s[2] += u[at] * u[at];
    s[3] += w[at] * w[at];
    s[4] += u[at] * w[at];
  }
  __shared__ double partial[5][8];
  for (int m = 0; m < 5; ++m) {
    for (int offset = 16; offset > 0; offset /= 2)
      s[m] += __shfl_xor_sync(~0u, s[m], offset);
    if (threadIdx.x % 32 == 0)
      partial[m][threadIdx.x / 32] = s[m];
  }
  __syncthreads();
  if (threadIdx.x < 5) {
    double total = 0;
    for (int warp = 0; warp < 8; ++warp)
      total += partial[threadIdx.x][warp];
    atomicAdd(&sums[threadIdx.x], total);
  }
}

__global__ void splitForm(int nx, int ny, int nz, const double *noalias w, double *noalias flux) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  int row = nx + 2 * order, cells = row * ny * nz, at = (k * ny + j) * row + i + order;
  double f[5] = {};
  for (int l = 1; l <= order; ++l) {
    double uvs[5] = {};
    for (int m = 0; m < l; ++m) {
      int left = at - m, right = at - m + l;
      double sumRho = w[left] + w[right];
      double sumU = w[cells + left] + w[cells + right];
      double sumV = w[2 * cells + left] + w[2 * cells + right];
      double sumW = w[3 * cells + left] + w[3 * cells + right];
      double sumH = w[4 * cells + left] + w[4 * cells + right];
      double sumP = w[5 * cells + left] + w[5 * cells + right];
      double mass = sumU * sumRho;
      uvs[0] += mass;
      uvs[1] += mass * sumU + 2 * sumP;
      uvs[2] += mass * sumV;
      uvs[3] += mass * sumW;
      uvs[4] += mass * sumH;
    }
    for (int v = 0; v < 5; ++v)
      f[v] += coefficients[l - 1] * uvs[v];
  }
  for (int v = 0; v < 5; ++v)
    flux[((v * nz + k) * ny + j) * nx + i] = 0.25 * f[v];
}

__global__ void accelerate(int n, double dt, const double *noalias xarea, const double *noalias yarea,
                           const double *noalias volume, const double *noalias density, const double *noalias pressure,
                           const double *noalias viscosity, const double *noalias xvel0, const double *noalias yvel0,
                           double *noalias xvel1, double *noalias yvel1) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + 2;
  int k = blockIdx.y * blockDim.y + threadIdx.y + 2;
  if (j > n + 2 || k > n + 2)
    return;
  int row = n + 4, wide = n + 5, c = k * row + j, v = k * wide + j;
  double mass = (density[c - row - 1] * volume[c - row - 1] + density[c - row] * volume[c - row] +
                 density[c] * volume[c] + density[c - 1] * volume[c - 1]) *
                0.25;
  double step = 0.5 * dt / mass;
  double x = xvel0[v] - step * (xarea[v] * (pressure[c] - pressure[c - 1]) +
                                xarea[v - wide] * (pressure[c - row] - pressure[c - row - 1]));
  double y = yvel0[v] - step * (yarea[c] * (pressure[c] - pressure[c - row]) +
                                yarea[c - 1] * (pressure[c - 1] - pressure[c - row - 1]));
  xvel1[v] = x - step * (xarea[v] * (viscosity[c] - viscosity[c - 1]) +
                         xarea[v - wide] * (viscosity[c - row] - viscosity[c - row - 1]));
  yvel1[v] = y - step * (yarea[c] * (viscosity[c] - viscosity[c - row]) +
                         yarea[c - 1] * (viscosity[c - 1] - viscosity[c - row - 1]));
}

__global__ void carryMomentum(int n, const double *noalias nodeFlux, const double *noalias nodeMass,
                              const double *noalias celldx, const double *noalias vel1, double *noalias momFlux) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int k = blockIdx.y * blockDim.y + threadIdx.y + 2;
  if (j > n + 2 || k > n + 2)
    return;
  int row = (n + 5) * k, upwind, donor, downwind, dif;
  double flux = nodeFlux[row + j];
  if (flux < 0) {
    upwind = j + 2;
    donor = j + 1;
    downwind = j;
    dif = donor;
  } else {
    upwind = j - 1;
    donor = j;
    downwind = j + 1;
    dif = upwind;
  }
  double sigma = fabs(flux) / nodeMass[row + donor];
  double width = celldx[j];
  double vdiffuw = vel1[row + donor] - vel1[row + upwind];
  double vdiffdw = vel1[row + downwind] - vel1[row + donor];
  double limiter = 0;
  if (vdiffuw * vdiffdw > 0) {
    double auw = fabs(vdiffuw), adw = fabs(vdiffdw), wind = vdiffdw <= 0 ? -1 : 1;
    limiter = wind * fmin(fmin(width * ((2 - sigma) * adw / width + (1 + sigma) * auw / celldx[dif]) / 6, auw), adw);
  }
  momFlux[row + j] = (vel1[row + donor] + (1 - sigma) * limiter) * flux;
}

__global__ void gradients(int n, double rx, double ry, const double *noalias kx, const double *noalias ky,
                          const double *noalias p, double *noalias w, double *sum) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int k = blockIdx.y * blockDim.y + threadIdx.y + 1;
  double product = 0;
  if (j <= n && k <= n) {
    int row = n + 2, at = k * row + j;
    double value = (1 + ry * (ky[at + row] + ky[at]) + rx * (kx[at + 1] + kx[at])) * p[at] -
                   ry * (ky[at + row] * p[at + row] + ky[at] * p[at - row]) -
                   rx * (kx[at + 1] * p[at + 1] + kx[at] * p[at - 1]);
    w[at] = value;
    product = value * p[at];
  }
  __shared__ double partial[4];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2)
    product += __shfl_xor_sync(~0u, product, offset);
  if (thread % 32 == 0)
    partial[thread / 32] = product;
  __syncthreads();
  if (thread == 0)
    atomicAdd(sum, partial[0] + partial[1] + partial[2] + partial[3]);
}

__device__ inline void addFace(double (&pf)[3][8], int a, int b, int c, int d, const double *x, const double *y,
                               const double *z) {
  double bx0 = 0.5 * (x[d] + x[c] - x[b] - x[a]), by0 = 0.5 * (y[d] + y[c] - y[b] - y[a]);
  double bz0 = 0.5 * (z[d] + z[c] - z[b] - z[a]), bx1 = 0.5 * (x[c] + x[b] - x[d] - x[a]);
  double by1 = 0.5 * (y[c] + y[b] - y[d] - y[a]), bz1 = 0.5 * (z[c] + z[b] - z[d] - z[a]);
  double area[3] = {0.25 * (by0 * bz1 - bz0 * by1), 0.25 * (bz0 * bx1 - bx0 * bz1), 0.25 * (bx0 * by1 - by0 * bx1)};
  for (int i = 0; i < 3; ++i) {
    pf[i][a] += area[i];
    pf[i][b] += area[i];
    pf[i][c] += area[i];
    pf[i][d] += area[i];
  }
}

__global__ void cornerForces(int elements, const int *noalias nodelist, const double *noalias x,
                             const double *noalias y, const double *noalias z, const double *noalias stress,
                             double *noalias fx, double *noalias fy, double *noalias fz) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements)
    return;
  double xl[8], yl[8], zl[8], pf[3][8] = {};
  for (int n = 0; n < 8; ++n) {
    int node = nodelist[8 * e + n] - 1;
    xl[n] = x[node];
    yl[n] = y[node];
    zl[n] = z[node];
  }
  addFace(pf, 0, 1, 2, 3, xl, yl, zl);
  addFace(pf, 0, 4, 5, 1, xl, yl, zl);
  addFace(pf, 1, 5, 6, 2, xl, yl, zl);
  addFace(pf, 2, 6, 7, 3, xl, yl, zl);
  addFace(pf, 3, 7, 4, 0, xl, yl, zl);
  addFace(pf, 4, 7, 6, 5, xl, yl, zl);
  for (int n = 0; n < 8; ++n) {
    fx[8 * e + n] = -stress[e] * pf[0][n];
    fy[8 * e + n] = -stress[e] * pf[1][n];
    fz[8 * e + n] = -stress[e] * pf[2][n];
  }
}

std::vector<double> random(size_t count, int seed, double plus = 0) {
  std::vector<double> x(count);
  fill(x, seed);
  for (double &value : x)
    value += plus;
  return x;
}

void runMomentum() {
  int n = sized(192, 32, 16), row = n + 2, cells = row * row * row;
  std::vector<double> q = random(cells, 4);
  DeviceArray<double> vx(random(cells, 1, -0.5)), vy(random(cells, 2, -0.5)), vz(random(cells, 3, -0.5)), temp(q);
  DeviceArray<double> dq(n * n * n);
  dq.clear();
  std::vector<double> u3(n), u3c(n);
  std::vector<int> kmv(n);
  for (int k = 0; k < n; ++k) {
    u3[k] = q[row * row + row + k + 1] + 0.5;
    u3c[k] = q[row * row + 2 * row + k + 1] + 0.5;
    kmv[k] = k > 0 ? k : 1;
  }
  DeviceArray<double> udx3(u3), udx3c(u3c);
  DeviceArray<int> kmvD(kmv);
  if (beginCase("momentum_cuf", {.bytes = 40.0 * n * n * n})) {
    while (nextSample())
      momentum<<<dim3((n + 30) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, 1.5 * 0.25, 2.5 * 0.25, kmvD, udx3, udx3c, vx,
                                                                     vy, vz, temp, dq);
    endCase(checksum(dq.onHost()));
  }
}

void runProjection() {
  int n = sized(256, 32, 16), row = n + 2, cells = row * row * row;
  DeviceArray<double> u(random(cells, 1)), v(random(cells, 2)), w(random(cells, 3)), p(cells);
  std::vector<double> line = random(row, 4), a(n), b(n), c(n);
  for (int k = 0; k < n; ++k) {
    a[k] = line[k + 1];
    b[k] = line[k + 1] + 3;
    c[k] = line[k + 2];
  }
  DeviceArray<double> dzfi(line), aD(a), bD(b), cD(c), d(n * n * n), x(n * n * n), r(n * n * n);
  std::vector<double> all = random(cells, 1), inner;
  for (int k = 1; k <= n; ++k)
    for (int j = 1; j <= n; ++j)
      inner.insert(inner.end(), &all[(k * row + j) * row + 1], &all[(k * row + j) * row + 1] + n);
  r = inner;
  p.clear();
  if (beginCase("project_cuf", {.bytes = 32.0 * n * n * n})) {
    while (nextSample())
      project<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, 100, 150, 250, dzfi, u, v, w, p);
    endCase(checksum(p.onHost()));
  }
  if (beginCase("lines_cuf", {.bytes = 48.0 * n * n * n})) {
    while (nextSample())
      solveLines<<<dim3((n + 31) / 32, (n + 3) / 4), dim3(32, 4)>>>(n, aD, bD, cD, r, d, x);
    endCase(checksum(x.onHost()));
  }
}

void runProfiles() {
  int n = sized(256, 32, 16), cells = n * n * n;
  DeviceArray<double> u(random(cells, 1)), w(random(cells, 2)), sums(5);
  if (beginCase("profiles_cuf", {.bytes = 16.0 * cells})) {
    double host[5] = {};
    while (nextSample()) {
      sums.clear();
      profiles<<<132 * 8, 256>>>(n, u, w, sums);
      cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    }
    endCase(rint(host[0] + host[1] + host[2] + host[3] + host[4]));
  }
}

void runFluxes() {
  int n = sized(160, 32, 16);
  DeviceArray<double> w(random((n + 2 * order) * n * n * 6, 1)), flux(n * n * n * 5);
  double host[order] = {8.0 / 5, -2.0 / 5, 8.0 / 105, -1.0 / 140};
  cudaMemcpyToSymbol(coefficients, host, sizeof host);
  if (beginCase("split_form", {.bytes = 88.0 * n * n * n})) {
    while (nextSample())
      splitForm<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, n, n, w, flux);
    endCase(checksum(flux.onHost()));
  }
}

/// The part of a square array of rows of `row` that begins at `x`, `y`.
std::vector<double> part(const std::vector<double> &q, int row, int x, int y, int columns, int rows, double plus) {
  std::vector<double> result;
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < columns; ++j)
      result.push_back(q[(k + y) * row + j + x] + plus);
  return result;
}

void runHydrodynamics() {
  int n = sized(3072, 128, 32), wide = n + 5, row = n + 4;
  std::vector<double> a = random(wide * wide, 1), b = random(wide * wide, 2), c = random(wide * wide, 3);
  DeviceArray<double> xarea(part(a, wide, 0, 0, wide, row, 0.5)), yarea(part(a, wide, 0, 0, row, wide, 0.75));
  DeviceArray<double> volume(part(a, wide, 0, 0, row, row, 0.25)), density(part(b, wide, 0, 0, row, row, 0.25));
  DeviceArray<double> pressure(part(b, wide, 1, 1, row, row, 0)), viscosity(part(b, wide, 1, 0, row, row, 0));
  DeviceArray<double> xvel0(random(wide * wide, 2, -0.5)), yvel0(random(wide * wide, 3, -0.5)), xvel1(wide * wide),
      yvel1(wide * wide);
  DeviceArray<double> celldx(part(c, wide, 0, 2, row, 1, 0.5));
  xvel1.clear();
  yvel1.clear();
  if (beginCase("accelerate", {.bytes = 80.0 * n * n})) {
    while (nextSample())
      accelerate<<<dim3((n + 32) / 32, (n + 8) / 8), dim3(32, 8)>>>(n, 1e-2, xarea, yarea, volume, density, pressure,
                                                                    viscosity, xvel0, yvel0, xvel1, yvel1);
    endCase(checksum(xvel1.onHost()));
  }
  std::vector<double> mass = c;
  for (double &value : mass)
    value += 2;
  xvel1 = mass;
  yvel1.clear();
  if (beginCase("carry_momentum", {.bytes = 32.0 * n * n})) {
    while (nextSample())
      carryMomentum<<<dim3((n + 33) / 32, (n + 8) / 8), dim3(32, 8)>>>(n, xvel0, xvel1, celldx, yvel0, yvel1);
    endCase(checksum(yvel1.onHost()));
  }
}

void runGradients() {
  int n = sized(4096, 128, 32), cells = (n + 2) * (n + 2);
  DeviceArray<double> kx(random(cells, 1)), ky(random(cells, 2)), p(random(cells, 3)), w(cells), sum(1);
  w.clear();
  if (beginCase("gradients_cuf", {.bytes = 32.0 * n * n})) {
    double host = 0;
    while (nextSample()) {
      sum.clear();
      gradients<<<dim3((n + 31) / 32, (n + 3) / 4), dim3(32, 4)>>>(n, 0.5, 0.75, kx, ky, p, w, sum);
      cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
    }
    endCase(checksum(w.onHost()));
  }
}

void runHexahedra() {
  int n = sized(96, 24, 8), elements = n * n * n, nodes = (n + 1) * (n + 1) * (n + 1);
  std::vector<int> list(8 * elements);
  int e = 0;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++e) {
        int first = (k * (n + 1) + j) * (n + 1) + i + 1, next[4] = {0, 1, n + 2, n + 1};
        for (int m = 0; m < 4; ++m) {
          list[8 * e + m] = first + next[m];
          list[8 * e + 4 + m] = first + next[m] + (n + 1) * (n + 1);
        }
      }
  DeviceArray<int> listD(list);
  std::vector<double> z = random(nodes, 3), s(z.begin(), z.begin() + elements);
  DeviceArray<double> x(random(nodes, 1)), y(random(nodes, 2)), zD(z), stress(s);
  DeviceArray<double> fx(8 * elements), fy(8 * elements), fz(8 * elements);
  if (beginCase("corner_forces", {.bytes = 256.0 * elements})) {
    while (nextSample())
      cornerForces<<<(elements + 127) / 128, 128>>>(elements, listD, x, y, zD, stress, fx, fy, fz);
    endCase(checksum(fz.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runMomentum();
  runProjection();
  runProfiles();
  runFluxes();
  runHydrodynamics();
  runGradients();
  runHexahedra();
  return finish();
}
