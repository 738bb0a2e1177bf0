// Solvers of flows on structured grids, with variables in arrays of four and five dimensions: HLLC fluxes of the Euler
// equations, WENO with split fluxes, viscous stresses on a curvilinear grid, eddy viscosities, the time step, red-black
// Gauss-Seidel, distances of a level set, and implicit lines of complex numbers. Twin: flows.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int momentumX = 1, momentumY = 2, momentumZ = 3, energy = 4;
constexpr double gamma0 = 1.4;
__constant__ double dt, dx;

__host__ __device__ inline double square(double x) { return x * x; }
__device__ inline float square(float x) { return x * x; }

// Fluxes along x between cells i and i + 1.
__global__ void hllcFluxes(int nx, int ny, int nz, const double *noalias q, double *noalias f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx - 1 || j >= ny || k >= nz)
    return;
  int at = (k * ny + j) * nx + i, cells = nx * ny * nz;
  double rl = q[at];
  double ul = q[momentumX * cells + at] / rl;
  double vl = q[momentumY * cells + at] / rl;
  double wl = q[momentumZ * cells + at] / rl;
  double el = q[energy * cells + at];
  double pl = (gamma0 - 1) * (el - 0.5 * rl * (ul * ul + vl * vl + wl * wl));
  double cl = sqrt(gamma0 * pl / rl);
  double rr = q[at + 1];
  double ur = q[momentumX * cells + at + 1] / rr;
  double vr = q[momentumY * cells + at + 1] / rr;
  double wr = q[momentumZ * cells + at + 1] / rr;
  double er = q[energy * cells + at + 1];
  double pr = (gamma0 - 1) * (er - 0.5 * rr * (ur * ur + vr * vr + wr * wr));
  double cr = sqrt(gamma0 * pr / rr);
  double sl = fmin(ul - cl, ur - cr);
  double sr = fmax(ul + cl, ur + cr);
  double sm = (pr - pl + rl * ul * (sl - ul) - rr * ur * (sr - ur)) / (rl * (sl - ul) - rr * (sr - ur));
  if (sm >= 0) {
    f[at] = rl * ul;
    f[cells + at] = rl * ul * ul + pl;
    f[2 * cells + at] = rl * ul * vl;
    f[3 * cells + at] = rl * ul * wl;
    f[4 * cells + at] = ul * (el + pl);
    if (sl < 0) {
      double rs = rl * (sl - ul) / (sl - sm);
      double ps = pl + rl * (sl - ul) * (sm - ul);
      double es = ((sl - ul) * el - pl * ul + ps * sm) / (sl - sm);
      f[at] += sl * (rs - rl);
      f[cells + at] += sl * (rs * sm - rl * ul);
      f[2 * cells + at] += sl * (rs * vl - rl * vl);
      f[3 * cells + at] += sl * (rs * wl - rl * wl);
      f[4 * cells + at] += sl * (es - el);
    }
  } else {
    f[at] = rr * ur;
    f[cells + at] = rr * ur * ur + pr;
    f[2 * cells + at] = rr * ur * vr;
    f[3 * cells + at] = rr * ur * wr;
    f[4 * cells + at] = ur * (er + pr);
    if (sr > 0) {
      double rs = rr * (sr - ur) / (sr - sm);
      double ps = pr + rr * (sr - ur) * (sm - ur);
      double es = ((sr - ur) * er - pr * ur + ps * sm) / (sr - sm);
      f[at] += sr * (rs - rr);
      f[cells + at] += sr * (rs * sm - rr * ur);
      f[2 * cells + at] += sr * (rs * vr - rr * vr);
      f[3 * cells + at] += sr * (rs * wr - rr * wr);
      f[4 * cells + at] += sr * (es - er);
    }
  }
}

// The greatest speed of a wave, as the time step needs it. Speeds are positive: their bits are in their order.
__global__ void courant(int n, const double *noalias q, unsigned long long *greatest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  int cells = n * n * n, at = (k * n + j) * n + i;
  double speed = 0;
  if (i < n && j < n) {
    double r = q[at], mx = q[cells + at], my = q[2 * cells + at], mz = q[3 * cells + at], e = q[4 * cells + at];
    double c = sqrt(gamma0 * (gamma0 - 1) * (e - 0.5 * (mx * mx + my * my + mz * mz) / r) / r);
    speed = (fabs(mx) + fabs(my) + fabs(mz)) / r + 3 * c;
  }
  __shared__ double partial[4];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2)
    speed = fmax(speed, __shfl_xor_sync(~0u, speed, offset));
  if (thread % 32 == 0)
    partial[thread / 32] = speed;
  __syncthreads();
  if (thread == 0) {
    speed = fmax(fmax(partial[0], partial[1]), fmax(partial[2], partial[3]));
    atomicMax(greatest, (unsigned long long)__double_as_longlong(speed));
  }
}

// Fluxes along z by WENO of third order, each component split by the greatest speed near.
__global__ void splitFluxes(int n, const double *noalias q, const double *noalias speed, double *noalias f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z - 1;
  if (i >= n || j >= n)
    return;
  double plus[3], minus[3], fastest = 0;
  for (int l = k - 1; l <= k + 2; ++l)
    fastest = fmax(fastest, fabs(speed[((l + 2) * n + j) * n + i]));
  for (int m = 0; m < 5; ++m) {
    for (int l = 0; l < 3; ++l) {
      int behind = ((k + l + 1) * n + j) * n + i, ahead = ((k + l + 2) * n + j) * n + i,
          component = m * n * n * (n + 4);
      plus[l] = 0.5 * (speed[behind] + fastest) * q[component + behind];
      minus[l] = 0.5 * (speed[ahead] - fastest) * q[component + ahead];
    }
    double b0 = square(plus[1] - plus[0]);
    double b1 = square(plus[2] - plus[1]);
    double w0 = 1.0 / 3 / square(b0 + 1e-6);
    double w1 = 2.0 / 3 / square(b1 + 1e-6);
    double right = (w0 * (3 * plus[1] - plus[0]) + w1 * (plus[1] + plus[2])) / (2 * (w0 + w1));
    b0 = square(minus[1] - minus[2]);
    b1 = square(minus[0] - minus[1]);
    w0 = 1.0 / 3 / square(b0 + 1e-6);
    w1 = 2.0 / 3 / square(b1 + 1e-6);
    double left = (w0 * (3 * minus[1] - minus[2]) + w1 * (minus[1] + minus[0])) / (2 * (w0 + w1));
    f[((m * (n + 1) + k + 1) * n + j) * n + i] = right + left;
  }
}

// Stresses of a flow on a curvilinear grid; the metric is that of the grid's directions to x, y and z.
__global__ void viscousStress(int n, double viscosity, const double *noalias velocity, const double *noalias metric,
                              double *noalias stress) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i >= n - 1 || j >= n - 1 || k >= n - 1)
    return;
  int cells = n * n * n, at = (k * n + j) * n + i;
  double slope[3][3], gradient[3][3];
  for (int a = 0; a < 3; ++a) {
    slope[0][a] = 0.5 * (velocity[a * cells + at + 1] - velocity[a * cells + at - 1]);
    slope[1][a] = 0.5 * (velocity[a * cells + at + n] - velocity[a * cells + at - n]);
    slope[2][a] = 0.5 * (velocity[a * cells + at + n * n] - velocity[a * cells + at - n * n]);
  }
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a < 3; ++a) {
      gradient[b][a] = 0;
      for (int c = 0; c < 3; ++c)
        gradient[b][a] += slope[c][a] * metric[(b * 3 + c) * cells + at];
    }
  double divergence = (gradient[0][0] + gradient[1][1] + gradient[2][2]) / 3;
  stress[at] = 2 * viscosity * (gradient[0][0] - divergence);
  stress[cells + at] = 2 * viscosity * (gradient[1][1] - divergence);
  stress[2 * cells + at] = 2 * viscosity * (gradient[2][2] - divergence);
  stress[3 * cells + at] = viscosity * (gradient[1][0] + gradient[0][1]);
  stress[4 * cells + at] = viscosity * (gradient[2][0] + gradient[0][2]);
  stress[5 * cells + at] = viscosity * (gradient[2][1] + gradient[1][2]);
}

// Smagorinsky's viscosity of eddies on a stretched grid.
__global__ void eddyViscosity(int n, const float *noalias u, const float *noalias width, float *noalias eddy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i > n || j > n)
    return;
  int row = n + 2, plane = row * row;
  const float *x = u + k * plane + j * row + i, *y = x + plane * row, *z = y + plane * row;
  float s11 = (x[1] - x[-1]) / (2 * width[i]);
  float s22 = (y[row] - y[-row]) / (2 * width[j]);
  float s33 = (z[plane] - z[-plane]) / (2 * width[k]);
  float s12 = 0.25f * ((x[row] - x[-row]) / width[j] + (y[1] - y[-1]) / width[i]);
  float s13 = 0.25f * ((x[plane] - x[-plane]) / width[k] + (z[1] - z[-1]) / width[i]);
  float s23 = 0.25f * ((y[plane] - y[-plane]) / width[k] + (z[row] - z[-row]) / width[j]);
  float filter = powf(width[i] * width[j] * width[k], 1.0f / 3);
  eddy[((k - 1) * n + j - 1) * n + i - 1] =
      square(0.17f * filter) * sqrtf(2 * (s11 * s11 + s22 * s22 + s33 * s33 + 2 * (s12 * s12 + s13 * s13 + s23 * s23)));
}

// Half of a step of Gauss and Seidel: the points of one colour.
__global__ void relaxColour(int n, int colour, double omega, const double *noalias f, double *noalias u) {
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x + 1) - (j + k + colour) % 2;
  if (i > n || j > n || k > n)
    return;
  int row = n + 2, plane = row * row, at = k * plane + j * row + i;
  u[at] = (1 - omega) * u[at] + omega / 6 *
                                    (u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + u[at - plane] + u[at + plane] -
                                     f[((k - 1) * n + j - 1) * n + i - 1]);
}

// One step towards a function whose gradient has the length 1, by Godunov's differences.
__global__ void reinitialise(int nx, int ny, int nz, const double *noalias sign0, const double *noalias phi,
                             double *noalias next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  int row = nx + 2, plane = row * (ny + 2), at = (k + 1) * plane + (j + 1) * row + i + 1;
  double sign = sign0[(k * ny + j) * nx + i];
  double west = (phi[at] - phi[at - 1]) / dx;
  double east = (phi[at + 1] - phi[at]) / dx;
  double south = (phi[at] - phi[at - row]) / dx;
  double north = (phi[at + row] - phi[at]) / dx;
  double below = (phi[at] - phi[at - plane]) / dx;
  double above = (phi[at + plane] - phi[at]) / dx;
  double length;
  if (sign > 0)
    length = sqrt(fmax(square(fmax(west, 0.0)), square(fmin(east, 0.0))) +
                  fmax(square(fmax(south, 0.0)), square(fmin(north, 0.0))) +
                  fmax(square(fmax(below, 0.0)), square(fmin(above, 0.0))));
  else
    length = sqrt(fmax(square(fmin(west, 0.0)), square(fmax(east, 0.0))) +
                  fmax(square(fmin(south, 0.0)), square(fmax(north, 0.0))) +
                  fmax(square(fmin(below, 0.0)), square(fmax(above, 0.0))));
  next[at] = phi[at] - dt * sign * (length - 1);
}

__device__ inline double2 operator*(double2 z, double a) { return make_double2(z.x * a, z.y * a); }
__device__ inline double2 operator*(double a, double2 z) { return make_double2(z.x * a, z.y * a); }
__device__ inline double2 operator-(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }

// Tridiagonal systems along z, one for each wave number in x and y.
__global__ void solveLines(int nx, int ny, int nz, const double *noalias below, const double *noalias above,
                           const double *noalias kx, const double *noalias ky, double2 *noalias p,
                           double *noalias work) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int at = j * nx + i, plane = nx * ny;
  double waves = square(kx[i]) + square(ky[j]);
  double pivot = 1 / (-(below[0] + above[0]) - waves);
  work[at] = above[0] * pivot;
  p[at] = p[at] * pivot;
  for (int k = 1; k < nz; ++k) {
    at = k * plane + j * nx + i;
    pivot = 1 / (-(below[k] + above[k]) - waves - below[k] * work[at - plane]);
    work[at] = above[k] * pivot;
    p[at] = (p[at] - below[k] * p[at - plane]) * pivot;
  }
  for (int k = nz - 2; k >= 0; --k) {
    at = k * plane + j * nx + i;
    p[at] = p[at] - work[at] * p[at + plane];
  }
}

void riemann() {
  const int n = sized(192, 48, 16), cells = n * n * n;
  std::vector<double> q(5 * cells);
  fill(q, 1);
  for (int i = 0; i < cells; ++i) {
    q[i] += 0.5;
    for (int m = 1; m < 4; ++m)
      q[m * cells + i] = 4 * (q[m * cells + i] - 0.5);
    q[4 * cells + i] += 14;
  }
  DeviceArray<double> qD(q), fD(q.size());
  fD.clear();
  if (beginCase("hllc_fluxes", {.bytes = 80.0 * cells})) {
    while (nextSample())
      hllcFluxes<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, n, n, qD, fD);
    endCase(checksum(fD.onHost()));
  }
  if (DeviceArray<unsigned long long> greatestD(1); beginCase("courant_cuf", {.bytes = 40.0 * cells})) {
    double greatest = 0;
    while (nextSample()) {
      greatestD.clear();
      courant<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, qD, greatestD);
      cudaMemcpy(&greatest, greatestD, sizeof greatest, cudaMemcpyDeviceToHost);
    }
    endCase(greatest);
  }
}

void components() {
  const int n = sized(160, 32, 16), cells = n * n * n;
  std::vector<double> q(n * n * (n + 4) * 5), speed(n * n * (n + 4));
  fill(q, 1);
  fill(speed, 2);
  for (double &value : speed)
    value -= 0.5;
  DeviceArray<double> qD(q), speedD(speed), fD(n * n * (n + 1) * 5);
  if (beginCase("split_fluxes", {.bytes = 88.0 * cells})) {
    while (nextSample())
      splitFluxes<<<dim3((n + 31) / 32, (n + 3) / 4, n + 1), dim3(32, 4)>>>(n, qD, speedD, fD);
    endCase(checksum(fD.onHost()));
  }
}

void stresses() {
  const int n = sized(160, 32, 12), cells = n * n * n;
  std::vector<double> velocity(3 * cells), metric(9 * cells);
  fill(velocity, 1);
  fill(metric, 2);
  DeviceArray<double> velocityD(velocity), metricD(metric), stressD(6 * cells);
  stressD.clear();
  if (beginCase("viscous_stress", {.bytes = 144.0 * cells})) {
    while (nextSample())
      viscousStress<<<dim3((n + 29) / 32, (n + 1) / 4, n - 2), dim3(32, 4)>>>(n, 0.7, velocityD, metricD, stressD);
    endCase(checksum(stressD.onHost()));
  }
}

void turbulence() {
  const int n = sized(256, 48, 16), row = n + 2, cells = n * n * n;
  std::vector<float> u(3 * row * row * row), width(row);
  fill(u, 1);
  fill(width, 2);
  for (float &value : width)
    value += 1;
  DeviceArray<float> uD(u), widthD(width), eddyD(cells);
  if (beginCase("eddy_viscosity_cuf", {.bytes = 16.0 * cells, .kind = 4})) {
    while (nextSample())
      eddyViscosity<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, uD, widthD, eddyD);
    endCase(checksum(eddyD.onHost()));
  }
}

void colours() {
  const int n = sized(320, 64, 16), row = n + 2;
  const double omega = 1.2;
  std::vector<double> u(row * row * row), f(n * n * n);
  fill(u, 1);
  fill(f, 2);
  DeviceArray<double> uD(u), fD(f);
  dim3 block(32, 4), grid((n / 2 + 31) / 32, (n + 3) / 4, n);
  if (beginCase("gauss_seidel", {.bytes = 40.0 * n * n * n})) {
    while (nextSample()) {
      relaxColour<<<grid, block>>>(n, 0, omega, fD, uD);
      relaxColour<<<grid, block>>>(n, 1, omega, fD, uD);
    }
    uD = u;
    relaxColour<<<grid, block>>>(n, 0, omega, fD, uD);
    relaxColour<<<grid, block>>>(n, 1, omega, fD, uD);
    endCase(checksum(uD.onHost()));
  }
}

void distances() {
  const int n = sized(256, 48, 16), row = n + 2;
  std::vector<double> sign(n * n * n), phi(row * row * row);
  fill(phi, 1);
  for (double &value : phi)
    value -= 0.5;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        sign[(k * n + j) * n + i] = copysign(1.0, phi[((k + 1) * row + j + 1) * row + i + 1]);
  const double step = 0.1, width = 0.3;
  cudaMemcpyToSymbol(dt, &step, sizeof step);
  cudaMemcpyToSymbol(dx, &width, sizeof width);
  DeviceArray<double> signD(sign), phiD(phi), nextD(phi.size());
  nextD.clear();
  if (beginCase("reinitialise", {.bytes = 24.0 * n * n * n})) {
    while (nextSample())
      reinitialise<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, n, n, signD, phiD, nextD);
    endCase(checksum(nextD.onHost()));
  }
}

void lines() {
  const int nx = sized(256, 32, 16), nz = sized(192, 32, 16);
  std::vector<double> parts(2 * nx * nx * nz), below(nz), above(nz), waves(nx);
  fill(parts, 1);
  fill(below, 2);
  fill(above, 3);
  fill(waves, 4);
  below[0] = above[nz - 1] = 0;
  for (double &value : waves)
    value += 0.5;
  DeviceArray<double> belowD(below), aboveD(above), wavesD(waves), partsD(parts), workD(nx * nx * nz);
  double2 *pD = reinterpret_cast<double2 *>((double *)partsD);
  dim3 block(32, 4), grid((nx + 31) / 32, (nx + 3) / 4);
  if (beginCase("solve_lines", {.bytes = 80.0 * nx * nx * nz})) {
    while (nextSample())
      solveLines<<<grid, block>>>(nx, nx, nz, belowD, aboveD, wavesD, wavesD, pD, workD);
    partsD = parts;
    solveLines<<<grid, block>>>(nx, nx, nz, belowD, aboveD, wavesD, wavesD, pD, workD);
    endCase(checksum(partsD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  riemann();
  components();
  stresses();
  turbulence();
  colours();
  distances();
  lines();
  return finish();
}
