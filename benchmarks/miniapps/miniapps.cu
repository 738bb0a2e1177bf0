// Kernels of the kinds that small programs stand for large ones with. Twin: miniapps.cuf.
#include "benchmark.h"

#include <algorithm>

using namespace benchmark;

constexpr int angles = 32, corners = 8;

struct Atom {
  float x, y, z;
  int kind;
};
struct ForceField {
  int hbtype;
  float radius, hphb, elsc;
};

// Density and energy after a step in which the cells change their volume. Arrays have two cells around the others.
__global__ void changeVolumes(bool predict, int nx, int ny, double dt, const double *noalias xarea,
                              const double *noalias yarea, const double *noalias volume, const double *noalias density0,
                              double *noalias density1, const double *noalias energy0, double *noalias energy1,
                              const double *noalias pressure, const double *noalias viscosity,
                              const double *noalias xvel0, const double *noalias xvel1, const double *noalias yvel0,
                              const double *noalias yvel1) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= nx || k >= ny)
    return;
  int row = nx + 4, node = nx + 5, c = (k + 2) * row + j + 2, at = (k + 2) * node + j + 2;
  double left, right, bottom, top;
  if (predict) {
    left = xarea[at] * (xvel0[at] + xvel0[at + node] + xvel0[at] + xvel0[at + node]) * 0.25 * dt * 0.5;
    right =
        xarea[at + 1] * (xvel0[at + 1] + xvel0[at + node + 1] + xvel0[at + 1] + xvel0[at + node + 1]) * 0.25 * dt * 0.5;
    bottom = yarea[c] * (yvel0[at] + yvel0[at + 1] + yvel0[at] + yvel0[at + 1]) * 0.25 * dt * 0.5;
    top = yarea[c + row] * (yvel0[at + node] + yvel0[at + node + 1] + yvel0[at + node] + yvel0[at + node + 1]) * 0.25 *
          dt * 0.5;
  } else {
    left = xarea[at] * (xvel0[at] + xvel0[at + node] + xvel1[at] + xvel1[at + node]) * 0.25 * dt;
    right = xarea[at + 1] * (xvel0[at + 1] + xvel0[at + node + 1] + xvel1[at + 1] + xvel1[at + node + 1]) * 0.25 * dt;
    bottom = yarea[c] * (yvel0[at] + yvel0[at + 1] + yvel1[at] + yvel1[at + 1]) * 0.25 * dt;
    top = yarea[c + row] * (yvel0[at + node] + yvel0[at + node + 1] + yvel1[at + node] + yvel1[at + node + 1]) * 0.25 *
          dt;
  }
  double total = right - left + top - bottom;
  double volumeChange = volume[c] / (volume[c] + total);
  double recipVolume = 1 / volume[c];
  double energyChange = (pressure[c] / density0[c] + viscosity[c] / density0[c]) * total * recipVolume;
  energy1[c] = energy0[c] - energyChange;
  density1[c] = density0[c] * volumeChange;
}

// Masses and energies that cross the faces, from limited slopes upwind.
__global__ void remapFluxes(int nx, int ny, const double *noalias density, const double *noalias energy,
                            const double *noalias preVol, const double *noalias vertexdx, const double *noalias volFlux,
                            double *noalias massFlux, double *noalias energyFlux) {
  constexpr double oneBySix = 1.0 / 6;
  int j = blockIdx.x * blockDim.x + threadIdx.x + 2;
  int k = blockIdx.y * blockDim.y + threadIdx.y + 2;
  if (j >= nx + 4 || k >= ny + 2)
    return;
  int upwind, donor, downwind, dif, face = k * (nx + 5) + j, row = k * (nx + 4);
  if (volFlux[face] > 0) {
    upwind = j - 2;
    donor = j - 1;
    downwind = j;
    dif = donor;
  } else {
    upwind = min(j + 1, nx + 3);
    donor = j;
    downwind = j - 1;
    dif = upwind;
  }
  double sigmat = fabs(volFlux[face]) / preVol[row + donor];
  double sigma3 = (1 + sigmat) * (vertexdx[j] / vertexdx[dif]);
  double sigma4 = 2 - sigmat;
  double sigmav = sigmat;
  double diffuw = density[row + donor] - density[row + upwind];
  double diffdw = density[row + downwind] - density[row + donor];
  double limiter = 0;
  if (diffuw * diffdw > 0)
    limiter = (1 - sigmav) * copysign(1.0, diffdw) *
              fmin(fmin(fabs(diffuw), fabs(diffdw)), oneBySix * (sigma3 * fabs(diffuw) + sigma4 * fabs(diffdw)));
  massFlux[face] = volFlux[face] * (density[row + donor] + limiter);
  double sigmam = fabs(massFlux[face]) / (density[row + donor] * preVol[row + donor]);
  diffuw = energy[row + donor] - energy[row + upwind];
  diffdw = energy[row + downwind] - energy[row + donor];
  limiter = 0;
  if (diffuw * diffdw > 0)
    limiter = (1 - sigmam) * copysign(1.0, diffdw) *
              fmin(fmin(fabs(diffuw), fabs(diffdw)), oneBySix * (sigma3 * fabs(diffuw) + sigma4 * fabs(diffdw)));
  energyFlux[face] = massFlux[face] * (energy[row + donor] + limiter);
}

// One iteration by Chebyshev's polynomials.
__global__ void chebyshev(int nx, int ny, double alpha, double beta, const double *noalias u, const double *noalias u0,
                          const double *noalias p, const double *noalias kx, const double *noalias ky,
                          double *noalias w, double *noalias pNext) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= nx || k >= ny)
    return;
  int row = nx + 2, c = (k + 1) * row + j + 1, at = k * nx + j;
  w[at] = (1 + (ky[c + row] + ky[c]) + (kx[c + 1] + kx[c])) * u[c] - (ky[c + row] * u[c + row] + ky[c] * u[c - row]) -
          (kx[c + 1] * u[c + 1] + kx[c] * u[c - 1]);
  pNext[at] = alpha * p[at] + beta * (u0[at] - w[at]);
}

// One step of conjugate gradients: residuals, preconditioned by the diagonal, and their scalar product.
__global__ void updateResidual(int nx, int ny, double alpha, const double *noalias w, const double *noalias kx,
                               const double *noalias ky, const double *noalias r, double *noalias rNext, double *rrn) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int k = blockIdx.y * blockDim.y + threadIdx.y;
  double total = 0;
  if (j < nx && k < ny) {
    int row = nx + 2, c = (k + 1) * row + j + 1, at = k * nx + j;
    rNext[at] = r[at] - alpha * w[at];
    double z = rNext[at] / (1 + (ky[c + row] + ky[c]) + (kx[c + 1] + kx[c]));
    total = rNext[at] * z;
  }
  __shared__ double partial[8];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2)
    total += __shfl_xor_sync(~0u, total, offset);
  if (thread % 32 == 0)
    partial[thread / 32] = total;
  __syncthreads();
  if (thread == 0) {
    for (int warp = 1; warp < 8; ++warp)
      total += partial[warp];
    atomicAdd(rrn, total);
  }
}

__device__ inline void cornerDerivative(const double *x, const double *y, const double *z, double &dvdx, double &dvdy,
                                        double &dvdz) {
  constexpr double twelfth = 1.0 / 12;
  dvdx = twelfth * ((y[1] + y[2]) * (z[0] + z[1]) - (y[0] + y[1]) * (z[1] + z[2]) + (y[0] + y[4]) * (z[3] + z[4]) -
                    (y[3] + y[4]) * (z[0] + z[4]) - (y[2] + y[5]) * (z[3] + z[5]) + (y[3] + y[5]) * (z[2] + z[5]));
  dvdy = twelfth * (-(x[1] + x[2]) * (z[0] + z[1]) + (x[0] + x[1]) * (z[1] + z[2]) - (x[0] + x[4]) * (z[3] + z[4]) +
                    (x[3] + x[4]) * (z[0] + z[4]) + (x[2] + x[5]) * (z[3] + z[5]) - (x[3] + x[5]) * (z[2] + z[5]));
  dvdz = twelfth * (-(y[1] + y[2]) * (x[0] + x[1]) + (y[0] + y[1]) * (x[1] + x[2]) - (y[0] + y[4]) * (x[3] + x[4]) +
                    (y[3] + y[4]) * (x[0] + x[4]) + (y[2] + y[5]) * (x[3] + x[5]) - (y[3] + y[5]) * (x[2] + x[5]));
}

__device__ inline void volumeDerivatives(const double *x, const double *y, const double *z, double *dvdx, double *dvdy,
                                         double *dvdz) {
  constexpr int around[corners][6] = {{1, 2, 3, 4, 5, 7}, {2, 3, 0, 5, 6, 4}, {3, 0, 1, 6, 7, 5}, {0, 1, 2, 7, 4, 6},
                                      {7, 6, 5, 0, 3, 1}, {4, 7, 6, 1, 0, 2}, {5, 4, 7, 2, 1, 3}, {6, 5, 4, 3, 2, 0}};
  for (int c = 0; c < corners; ++c) {
    double xs[6], ys[6], zs[6];
    for (int i = 0; i < 6; ++i) {
      xs[i] = x[around[c][i]];
      ys[i] = y[around[c][i]];
      zs[i] = z[around[c][i]];
    }
    cornerDerivative(xs, ys, zs, dvdx[c], dvdy[c], dvdz[c]);
  }
}

// Forces against hourglass modes of hexahedra.
__global__ void hourglass(int elements, const int *noalias nodelist, const double *noalias x, const double *noalias y,
                          const double *noalias z, const double *noalias xd, const double *noalias yd,
                          const double *noalias zd, const double *noalias determinant, const double *noalias ss,
                          const double *noalias mass, double factor, double *noalias fx, double *noalias fy,
                          double *noalias fz) {
  constexpr double modes[4][corners] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                        {1, -1, -1, 1, -1, 1, 1, -1},
                                        {1, -1, 1, -1, 1, -1, 1, -1},
                                        {-1, 1, -1, 1, 1, -1, 1, -1}};
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements)
    return;
  double xs[corners], ys[corners], zs[corners], xds[corners], yds[corners], zds[corners];
  for (int c = 0; c < corners; ++c) {
    int node = nodelist[c * elements + e];
    xs[c] = x[node];
    ys[c] = y[node];
    zs[c] = z[node];
    xds[c] = xd[node];
    yds[c] = yd[node];
    zds[c] = zd[node];
  }
  double dvdx[corners], dvdy[corners], dvdz[corners], gam[4][corners];
  volumeDerivatives(xs, ys, zs, dvdx, dvdy, dvdz);
  double volinv = 1 / determinant[e];
  for (int i = 0; i < 4; ++i) {
    double modx = 0, mody = 0, modz = 0;
    for (int c = 0; c < corners; ++c) {
      modx += xs[c] * modes[i][c];
      mody += ys[c] * modes[i][c];
      modz += zs[c] * modes[i][c];
    }
    for (int c = 0; c < corners; ++c)
      gam[i][c] = modes[i][c] - volinv * (dvdx[c] * modx + dvdy[c] * mody + dvdz[c] * modz);
  }
  double coefficient = -factor * 0.01 * ss[e] * mass[e] / pow(determinant[e], 1.0 / 3);
  double hx[corners] = {}, hy[corners] = {}, hz[corners] = {};
  for (int i = 0; i < 4; ++i) {
    double gx = 0, gy = 0, gz = 0;
    for (int c = 0; c < corners; ++c) {
      gx += gam[i][c] * xds[c];
      gy += gam[i][c] * yds[c];
      gz += gam[i][c] * zds[c];
    }
    for (int c = 0; c < corners; ++c) {
      hx[c] += gam[i][c] * gx;
      hy[c] += gam[i][c] * gy;
      hz[c] += gam[i][c] * gz;
    }
  }
  for (int c = 0; c < corners; ++c) {
    fx[c * elements + e] = coefficient * hx[c];
    fy[c * elements + e] = coefficient * hy[c];
    fz[c * elements + e] = coefficient * hz[c];
  }
}

// Stresses after one step, from differences of fourth order; Lame's parameters are averaged where they are wanted.
__global__ void elasticStress(int nx, int ny, int nz, float dth, const float *noalias vx, const float *noalias vy,
                              const float *noalias vz, const float *noalias lambda, const float *noalias mu,
                              const float *noalias sxx, const float *noalias syy, const float *noalias szz,
                              const float *noalias sxy, const float *noalias sxz, const float *noalias syz,
                              float *noalias sxxNext, float *noalias syyNext, float *noalias szzNext,
                              float *noalias sxyNext, float *noalias sxzNext, float *noalias syzNext) {
  constexpr float c1 = 9.0f / 8, c2 = -1.0f / 24;
  int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 2;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 2;
  if (i >= nx - 2 || j >= ny - 2 || k >= nz - 2)
    return;
  int y = nx, z = nx * ny, at = k * z + j * y + i;
  float dxx = c1 * (vx[at] - vx[at - 1]) + c2 * (vx[at + 1] - vx[at - 2]);
  float dyy = c1 * (vy[at] - vy[at - y]) + c2 * (vy[at + y] - vy[at - 2 * y]);
  float dzz = c1 * (vz[at] - vz[at - z]) + c2 * (vz[at + z] - vz[at - 2 * z]);
  float dxy = c1 * (vx[at + y] - vx[at]) + c2 * (vx[at + 2 * y] - vx[at - y]) + c1 * (vy[at + 1] - vy[at]) +
              c2 * (vy[at + 2] - vy[at - 1]);
  float dxz = c1 * (vx[at + z] - vx[at]) + c2 * (vx[at + 2 * z] - vx[at - z]) + c1 * (vz[at + 1] - vz[at]) +
              c2 * (vz[at + 2] - vz[at - 1]);
  float dyz = c1 * (vy[at + z] - vy[at]) + c2 * (vy[at + 2 * z] - vy[at - z]) + c1 * (vz[at + y] - vz[at]) +
              c2 * (vz[at + 2 * y] - vz[at - y]);
  float l = lambda[at], m = mu[at];
  float trace = dth * l * (dxx + dyy + dzz);
  sxxNext[at] = sxx[at] + trace + 2 * dth * m * dxx;
  syyNext[at] = syy[at] + trace + 2 * dth * m * dyy;
  szzNext[at] = szz[at] + trace + 2 * dth * m * dzz;
  sxyNext[at] = sxy[at] + dth * 0.25f * (mu[at] + mu[at + 1] + mu[at + y] + mu[at + y + 1]) * dxy;
  sxzNext[at] = sxz[at] + dth * 0.25f * (mu[at] + mu[at + 1] + mu[at + z] + mu[at + z + 1]) * dxz;
  syzNext[at] = syz[at] + dth * 0.25f * (mu[at] + mu[at + y] + mu[at + z] + mu[at + z + y]) * dyz;
}

// Transport of particles through the cells of a diagonal plane: a warp has the directions of one cell, negative fluxes
// are set to zero and the balance is repeated.
__global__ void sweepDiagonal(int n, int cells, const int *noalias cell, const double *noalias weight,
                              const double *noalias hi, const double *noalias hj, const double *noalias hk,
                              const double *noalias source, const double *noalias sigma, const double *noalias psii,
                              const double *noalias psij, const double *noalias psik, double *noalias psiiOut,
                              double *noalias psijOut, double *noalias psikOut, double *noalias flux) {
  int a = threadIdx.x, c = blockIdx.x * blockDim.y + threadIdx.y, g = blockIdx.y;
  if (c >= cells)
    return;
  int i = cell[3 * c] - 1, j = cell[3 * c + 1] - 1, k = cell[3 * c + 2] - 1;
  int at = (k * n + j) * n + i, atI = ((g * n + k) * n + j) * angles + a, atJ = ((g * n + k) * n + i) * angles + a,
      atK = ((g * n + j) * n + i) * angles + a;
  double q = source[at], s = sigma[g * n * n * n + at];
  double in[3] = {psii[atI], psij[atJ], psik[atK]}, h[3] = {hi[a], hj[a], hk[a]}, keep[3] = {1, 1, 1}, out[3];
  double psi = (q + 2 * (h[0] * in[0] + h[1] * in[1] + h[2] * in[2])) / (s + 2 * (h[0] + h[1] + h[2]));
  for (;;) {
    for (int d = 0; d < 3; ++d)
      out[d] = (2 * psi - in[d]) * keep[d];
    if (out[0] >= 0 && out[1] >= 0 && out[2] >= 0)
      break;
    double total = q, divisor = s;
    for (int d = 0; d < 3; ++d) {
      if (out[d] < 0)
        keep[d] = 0;
      total += h[d] * in[d] * (1 + keep[d]);
      divisor += 2 * h[d] * keep[d];
    }
    psi = total / divisor;
  }
  psiiOut[atI] = out[0];
  psijOut[atJ] = out[1];
  psikOut[atK] = out[2];
  double total = weight[a] * psi;
  for (int offset = 16; offset > 0; offset /= 2)
    total += __shfl_xor_sync(~0u, total, offset);
  if (a == 0)
    flux[g * cells + c] = total;
}

__device__ inline float square(float x) { return x * x; }

// Energies of many poses of a molecule beside a protein.
__global__ void dock(int poses, int ligandAtoms, int proteinAtoms, const Atom *noalias ligand,
                     const Atom *noalias protein, const ForceField *noalias field, const float *noalias transforms,
                     float *noalias energies) {
  constexpr float hbond = 4, mostNegative = -10, chargeScale = 45;
  int pose = blockIdx.x * blockDim.x + threadIdx.x;
  if (pose >= poses)
    return;
  float s[3], c[3], matrix[4][3];
  for (int d = 0; d < 3; ++d) {
    s[d] = sinf(transforms[d * poses + pose]);
    c[d] = cosf(transforms[d * poses + pose]);
    matrix[3][d] = transforms[(d + 3) * poses + pose];
  }
  matrix[0][0] = c[1] * c[2];
  matrix[0][1] = c[1] * s[2];
  matrix[0][2] = -s[1];
  matrix[1][0] = s[0] * s[1] * c[2] - c[0] * s[2];
  matrix[1][1] = s[0] * s[1] * s[2] + c[0] * c[2];
  matrix[1][2] = s[0] * c[1];
  matrix[2][0] = c[0] * s[1] * c[2] + s[0] * s[2];
  matrix[2][1] = c[0] * s[1] * s[2] - s[0] * c[2];
  matrix[2][2] = c[0] * c[1];
  float etot = 0;
  for (int il = 0; il < ligandAtoms; ++il) {
    const Atom place = ligand[il];
    const ForceField l = field[place.kind];
    float at[3];
    for (int d = 0; d < 3; ++d)
      at[d] = matrix[0][d] * place.x + matrix[1][d] * place.y + matrix[2][d] * place.z + matrix[3][d];
    for (int ip = 0; ip < proteinAtoms; ++ip) {
      const Atom other = protein[ip];
      const ForceField p = field[other.kind];
      float radij = p.radius + l.radius;
      float r = 1 / radij;
      float elcdst = l.hbtype == 70 ? 4 : 2;
      float elcdst1 = l.hbtype == 70 ? 0.25f : 0.5f;
      float pHphb = p.hphb * (p.hbtype == 69 && l.hphb > 0 ? -1 : 1);
      float lHphb = l.hphb * (l.hbtype == 69 && p.hphb < 0 ? -1 : 1);
      float distance = sqrtf(square(at[0] - other.x) + square(at[1] - other.y) + square(at[2] - other.z));
      float distbb = distance - radij;
      bool zone1 = distbb < 0;
      // Repulsion.
      if (zone1)
        etot += (1 - distance * r) * 38;
      // Charges.
      float chrg = l.elsc * p.elsc * chargeScale;
      float chrgE = 0;
      if (zone1)
        chrgE = chrg;
      else if (distbb < elcdst)
        chrgE = chrg * (1 - distbb * elcdst1);
      bool typeE = p.hbtype == 69 || l.hbtype == 69;
      if (typeE)
        chrgE = -fabsf(chrgE);
      etot += chrgE;
      // Solvent.
      float dslvInit = pHphb + lHphb;
      float hphb = 0;
      if (distbb < hbond)
        hphb = zone1 ? 1 : 1 - distbb / hbond;
      if (dslvInit < 0)
        etot += fmaxf(dslvInit * hphb, mostNegative);
    }
  }
  energies[pose] = 0.5f * etot;
}

template <class T>
static std::vector<T> random(size_t count, int seed, T add = 0) {
  std::vector<T> x(count);
  fill(x, seed);
  for (T &value : x)
    value += add;
  return x;
}

static std::vector<int> randomInts(size_t count, int below, int seed) {
  std::vector<int> x(count);
  fill(x, below, seed);
  return x;
}

void runVolumes() {
  const int n = sized(1536, 64, 20), cells = (n + 4) * (n + 4), faces = (n + 5) * (n + 4), nodes = (n + 5) * (n + 5);
  std::vector<double> density = random(cells, 4, 0.5), energy = random(cells, 5, 0.0);
  DeviceArray<double> xarea(random(faces, 1, 0.0)), yarea(random(faces, 2, 0.0)), volume(random(cells, 3, 1.0)),
      density0(density), energy0(energy), pressure(random(cells, 6, 0.0)), viscosity(random(cells, 7, 0.0)),
      xvel0(random(nodes, 8, 0.0)), xvel1(random(nodes, 9, 0.0)), yvel0(random(nodes, 10, 0.0)),
      yvel1(random(nodes, 11, 0.0)), density1(density), energy1(energy);
  if (beginCase("change_volumes", {.bytes = 104.0 * n * n})) {
    while (nextSample())
      changeVolumes<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(false, n, n, 0.1, xarea, yarea, volume, density0,
                                                                       density1, energy0, energy1, pressure, viscosity,
                                                                       xvel0, xvel1, yvel0, yvel1);
    endCase(checksum(density1.onHost()) + checksum(energy1.onHost()));
  }
}

void runRemap() {
  const int n = sized(2048, 64, 20), cells = (n + 4) * (n + 4), faces = (n + 5) * (n + 4);
  DeviceArray<double> density(random(cells, 1, 0.5)), energy(random(cells, 2, 0.0)), preVol(random(cells, 3, 1.0)),
      volFlux(random(faces, 4, -0.5)), vertexdx(random(n + 5, 5, 0.5)), massFlux(faces), energyFlux(faces);
  massFlux.clear();
  energyFlux.clear();
  if (beginCase("remap_fluxes", {.bytes = 48.0 * n * n})) {
    while (nextSample())
      remapFluxes<<<dim3((n + 33) / 32, (n + 7) / 8), dim3(32, 8)>>>(n, n, density, energy, preVol, vertexdx, volFlux,
                                                                     massFlux, energyFlux);
    endCase(checksum(massFlux.onHost()) + 3 * checksum(energyFlux.onHost()));
  }
}

void runHeat() {
  const int n = sized(2048, 64, 20), cells = n * n, wide = (n + 2) * (n + 2);
  std::vector<double> start = random(cells, 4, 0.0), direction = random(cells, 5, 0.0);
  DeviceArray<double> u(random(wide, 1, 0.0)), kx(random(wide, 2, 0.0)), ky(random(wide, 3, 0.0)), u0(start),
      p(direction), w(direction), r(start), pNext(cells), rNext(cells), rrnD(1);
  dim3 grid((n + 31) / 32, (n + 7) / 8), block(32, 8);
  if (beginCase("chebyshev_cuf", {.bytes = 56.0 * n * n})) {
    while (nextSample())
      chebyshev<<<grid, block>>>(n, n, 0.75, 0.125, u, u0, p, kx, ky, w, pNext);
    endCase(checksum(pNext.onHost()));
  }
  w = direction;
  if (beginCase("update_residual_cuf", {.bytes = 40.0 * n * n})) {
    double rrn = 0;
    while (nextSample()) {
      rrnD.clear();
      updateResidual<<<grid, block>>>(n, n, 0.5, w, kx, ky, r, rNext, rrnD);
      cudaMemcpy(&rrn, rrnD, sizeof rrn, cudaMemcpyDeviceToHost);
    }
    endCase(checksum(rNext.onHost()) + rrn);
  }
}

void runHourglass() {
  const int n = sized(80, 16, 6), elements = n * n * n, side = n + 1, nodes = side * side * side;
  std::vector<double> xyz = random(3 * nodes, 1, 0.0), v = random(3 * nodes, 2, 0.0),
                      scalars = random(3 * elements, 3, 0.5);
  std::vector<int> nodelist(size_t(elements) * corners);
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        int at = (k * side + j) * side + i, above = at + side * side;
        const int place[3] = {i, j, k};
        for (int d = 0; d < 3; ++d)
          xyz[d * nodes + at] = 0.3 * xyz[d * nodes + at] + place[d];
        if (std::max({i, j, k}) == n)
          continue;
        const int list[corners] = {at,    at + 1,    at + side + 1,    at + side,
                                   above, above + 1, above + side + 1, above + side};
        for (int c = 0; c < corners; ++c)
          nodelist[c * elements + (k * n + j) * n + i] = list[c];
      }
  DeviceArray<double> xyzD(xyz), vD(v), scalarsD(scalars), forces(3 * corners * size_t(elements));
  DeviceArray<int> nodelistD(nodelist);
  double *x = xyzD, *xd = vD, *determinant = scalarsD, *fx = forces;
  const int all = corners * elements;
  if (beginCase("hourglass", {.bytes = 248.0 * elements + 48.0 * nodes})) {
    while (nextSample())
      hourglass<<<(elements + 127) / 128, 128>>>(elements, nodelistD, x, x + nodes, x + 2 * nodes, xd, xd + nodes,
                                                 xd + 2 * nodes, determinant, determinant + elements,
                                                 determinant + 2 * elements, 3, fx, fx + all, fx + 2 * all);
    endCase(checksum(forces.onHost()));
  }
}

void runElastic() {
  const int nx = sized(256, 32, 16), ny = sized(160, 24, 12), nz = sized(128, 16, 10), n = nx * ny * nz;
  std::vector<float> before = random(6 * size_t(n), 4, 0.0f);
  DeviceArray<float> v(random(3 * size_t(n), 1, 0.0f)), lambda(random(n, 2, 0.0f)), mu(random(n, 3, 0.0f)), s(before),
      next(before);
  float *vx = v, *sxx = s, *sxxNext = next;
  if (beginCase("elastic_stress", {.bytes = 68.0 * n, .kind = 4})) {
    while (nextSample())
      elasticStress<<<dim3((nx + 27) / 32, ny / 4, nz / 2), dim3(32, 4, 2)>>>(
          nx, ny, nz, 0.125f, vx, vx + n, vx + 2 * n, lambda, mu, sxx, sxx + n, sxx + 2 * n, sxx + 3 * n, sxx + 4 * n,
          sxx + 5 * n, sxxNext, sxxNext + n, sxxNext + 2 * n, sxxNext + 3 * n, sxxNext + 4 * n, sxxNext + 5 * n);
    endCase(checksum(next.onHost()));
  }
}

void runSweep() {
  const int n = sized(64, 16, 8), groups = sized(32, 4, 2);
  std::vector<double> sigma = random(size_t(n) * n * n * groups, 4, 0.0);
  for (double &value : sigma)
    value *= 4;
  // The plane through the middle.
  std::vector<int> cell;
  for (int k = 1; k <= n; ++k)
    for (int j = 1; j <= n; ++j) {
      int i = 3 * n / 2 - j - k;
      if (i < 1 || i > n)
        continue;
      cell.insert(cell.end(), {i, j, k});
    }
  const int cells = int(cell.size()) / 3, all = angles * n * n * groups;
  std::vector<double> psi = random(3 * size_t(all), 5, 0.0);
  DeviceArray<double> weight(random(angles, 1, 0.0)), h(random(3 * angles, 2, 0.0)), source(random(n * n * n, 3, 0.0)),
      sigmaD(sigma), psiD(psi), out(psi), flux(cells * groups);
  DeviceArray<int> cellD(cell);
  double *hi = h, *psii = psiD, *psiiOut = out;
  if (beginCase("sweep_diagonal", {.bytes = 48.0 * angles * cells * groups})) {
    while (nextSample())
      sweepDiagonal<<<dim3((cells + 3) / 4, groups), dim3(angles, 4)>>>(
          n, cells, cellD, weight, hi, hi + angles, hi + 2 * angles, source, sigmaD, psii, psii + all, psii + 2 * all,
          psiiOut, psiiOut + all, psiiOut + 2 * all, flux);
    endCase(checksum(out.onHost()) + checksum(flux.onHost()));
  }
}

void runDocking() {
  const int poses = sized(2 << 15, 2 << 8, 150), inLigand = sized(26, 8, 5), inProtein = sized(256, 60, 30), kinds = 16;
  const int all = inLigand + inProtein + kinds;
  std::vector<float> transforms = random(6 * poses, 1, 0.0f), r = random(3 * all, 2, 0.0f);
  std::vector<int> kind = randomInts(all, kinds, 3);
  for (int i = 0; i < 6 * poses; ++i)
    transforms[i] = i < 3 * poses ? 6 * transforms[i] : 10 * transforms[i] - 5;
  std::vector<Atom> atoms(all);
  std::vector<ForceField> field(kinds);
  for (int i = 0; i < inLigand + inProtein; ++i) {
    float width = i < inLigand ? 6 : 24;
    atoms[i] = {width * r[3 * i] - width / 2, width * r[3 * i + 1] - width / 2, width * r[3 * i + 2] - width / 2,
                kind[i]};
  }
  for (int i = 0; i < kinds; ++i) {
    int m = inLigand + inProtein + i;
    field[i] = {69 + kind[m] % 3, 1 + r[3 * m], r[3 * m + 1] - 0.5f, r[3 * m + 2] - 0.5f};
  }
  DeviceArray<Atom> ligand(std::vector<Atom>(atoms.begin(), atoms.begin() + inLigand)),
      protein(std::vector<Atom>(atoms.begin() + inLigand, atoms.end()));
  DeviceArray<ForceField> fieldD(field);
  DeviceArray<float> transformsD(transforms), energies(poses);
  if (beginCase("dock", {.flops = 30.0 * poses * inLigand * inProtein, .kind = 4})) {
    while (nextSample())
      dock<<<(poses + 127) / 128, 128>>>(poses, inLigand, inProtein, ligand, protein, fieldD, transformsD, energies);
    endCase(checksum(energies.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runVolumes();
  runRemap();
  runHeat();
  runHourglass();
  runElastic();
  runSweep();
  runDocking();
  return finish();
}
