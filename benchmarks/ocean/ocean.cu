// Models of the ocean and of sea ice. Twin: ocean.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int deepest = 48, growthSteps = 256;
constexpr double grav = 9.80665, rho0 = 1026;
__constant__ double rdt;

struct Barotropic {
  double *eta, *u, *v;
};

__device__ inline double square(double x) { return x * x; }

__device__ inline double upstream(double v, double t1, double t2, double t3, double t4) {
  return 0.5 * (t2 + t3) - (v > 0 ? t1 - 2 * t2 + t3 : t2 - 2 * t3 + t4) / 6;
}

// Centred in x, by upwind parabolas in y and upwind in z.
__global__ void advectTracer(int nx, int ny, int nz, double rdx, double rdy, const int *noalias kmt,
                             const double *noalias tracer, const double *noalias uvel, const double *noalias vvel,
                             const double *noalias wvel, const double *noalias e3t, double *noalias tendency) {
  int i = threadIdx.x + blockIdx.x * blockDim.x + 1;
  int j = threadIdx.y + blockIdx.y * blockDim.y + 1;
  int k = blockIdx.z + 1;
  if (i > nx || j > ny)
    return;
  int wide = nx + 2, bottom = j * wide + i, at = ((k - 1) * ny + j - 1) * nx + i - 1;
  int levels = kmt[bottom];
  if (k > levels) {
    tendency[at] = 0;
    return;
  }
  const double *t = tracer + ((k - 1) * (ny + 4) + j + 1) * wide + i;
  const double *e = e3t + ((k - 1) * (ny + 2) + j) * wide + i;
  const double *u = uvel + ((k - 1) * ny + j - 1) * (nx + 1) + i;
  const double *v = vvel + ((k - 1) * (ny + 1) + j) * nx + i - 1;
  double fe = 0, fw = 0, fn = 0, fs = 0, ft = 0, fb = 0;
  if (k <= kmt[bottom + 1])
    fe = 0.5 * u[0] * fmin(e[0], e[1]) * (t[0] + t[1]);
  if (k <= kmt[bottom - 1])
    fw = 0.5 * u[-1] * fmin(e[-1], e[0]) * (t[-1] + t[0]);
  if (k <= kmt[bottom + wide])
    fn = v[0] * fmin(e[0], e[wide]) * upstream(v[0], t[-wide], t[0], t[wide], t[2 * wide]);
  if (k <= kmt[bottom - wide])
    fs = v[-nx] * fmin(e[-wide], e[0]) * upstream(v[-nx], t[-2 * wide], t[-wide], t[0], t[wide]);
  int layer = wide * (ny + 4);
  if (k > 1)
    ft = fmax(wvel[at], 0.0) * t[0] + fmin(wvel[at], 0.0) * t[-layer];
  if (k < levels)
    fb = fmax(wvel[at + nx * ny], 0.0) * t[layer] + fmin(wvel[at + nx * ny], 0.0) * t[0];
  tendency[at] = -((fe - fw) * rdx + (fn - fs) * rdy + ft - fb) / e[0];
}

// Implicit mixing of the columns of an unstructured grid.
__global__ void mixColumns(int nodes, const int *noalias levels, const double *noalias kv,
                           const double *noalias thickness, const double *noalias t, double *noalias mixed) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes)
    return;
  kv += n * (deepest + 1);
  thickness += n * deepest;
  t += n * deepest;
  mixed += n * deepest;
  double cp[deepest], tp[deepest];
  int nzmax = levels[n];
  double c = -rdt * 2 * kv[1] / (thickness[0] + thickness[1]);
  double b = thickness[0] - c;
  cp[0] = c / b;
  tp[0] = thickness[0] * t[0] / b;
  for (int nz = 2; nz <= nzmax; ++nz) {
    double a = c;
    c = 0;
    if (nz < nzmax)
      c = -rdt * 2 * kv[nz] / (thickness[nz - 1] + thickness[nz]);
    b = thickness[nz - 1] - a - c;
    double m = 1 / (b - cp[nz - 2] * a);
    cp[nz - 1] = c * m;
    tp[nz - 1] = (thickness[nz - 1] * t[nz - 1] - tp[nz - 2] * a) * m;
  }
  mixed[nzmax - 1] = tp[nzmax - 1];
  for (int nz = nzmax - 2; nz >= 0; --nz) {
    tp[nz] = tp[nz] - cp[nz] * tp[nz + 1];
    mixed[nz] = tp[nz];
  }
}

// McDougall, Jackett, Wright and Feistel: a quotient of polynomials.
__device__ inline void density(double t, double s, double p, double *rho, double *drhodt) {
  double tq = fmin(fmax(t, -2.0), 40.0);
  double sq = fmin(fmax(s, 0.0), 42.0);
  double root = sqrt(sq);
  double n00 = 9.99843699e2 + p * (1.04004591e-2 + p * -3.24041825e-8);
  double n01 = 7.35212840;
  double n02 = -5.45928211e-2 + p * (1.03970529e-7 + p * -1.23869360e-11);
  double n03 = 3.98476704e-4;
  double above = n00 + tq * (n01 + tq * (n02 + n03 * tq)) +
                 sq * (2.96938239 + 5.18761880e-6 * p - 7.23268813e-3 * tq + 2.12382341e-3 * sq);
  double d00 = 1 + p * 5.30848875e-6;
  double d01 = 7.28606739e-3 + p * p * p * -1.27934137e-17;
  double d02 = -4.60835542e-5;
  double d03 = 3.68390573e-7 + p * p * -3.03175128e-16;
  double d04 = 1.80809186e-10;
  double below = d00 + tq * (d01 + tq * (d02 + tq * (d03 + tq * d04))) +
                 sq * (2.14691708e-3 + tq * (-9.27062484e-6 + tq * tq * -1.78343643e-10) +
                       root * (4.76534122e-6 + tq * tq * 1.63410736e-9));
  *rho = above / below;
  if (drhodt) {
    double slopeAbove = n01 + tq * (2 * n02 + 3 * n03 * tq) - 7.23268813e-3 * sq;
    double slopeBelow = d01 + tq * (2 * d02 + tq * (3 * d03 + 4 * tq * d04)) +
                        sq * (-9.27062484e-6 - 3 * 1.78343643e-10 * tq * tq + 2 * root * tq * 1.63410736e-9);
    *drhodt = (slopeAbove - slopeBelow * *rho) / below;
  }
}

// Densities, and their derivatives by temperature if wanted.
__global__ void equationOfState(int nx, int ny, int nz, const double *noalias t, const double *noalias s,
                                const double *noalias p, double *noalias rho, double *noalias drhodt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  for (int k = 0; k < nz; ++k) {
    int at = (k * ny + j) * nx + i;
    if (drhodt)
      density(t[at], s[at], p[k], &rho[at], &drhodt[at]);
    else
      density(t[at], s[at], p[k], &rho[at], nullptr);
  }
}

// One step of the waves of the surface.
__global__ void barotropicStep(int n, Barotropic now, Barotropic next, const double *noalias depth,
                               const int *noalias land, double f0, double drag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > n || j > n)
    return;
  int row = n + 2, at = j * row + i, wet = 1 - land[at];
  const double *eta = now.eta + at, *u = now.u + at, *v = now.v + at, *d = depth + at;
  double he = 0.5 * (d[0] + d[1] + eta[0] + eta[1]);
  double hw = 0.5 * (d[-1] + d[0] + eta[-1] + eta[0]);
  double hn = 0.5 * (d[0] + d[row] + eta[0] + eta[row]);
  double hs = 0.5 * (d[-row] + d[0] + eta[-row] + eta[0]);
  next.eta[at] = wet * (eta[0] - rdt * (he * u[0] - hw * u[-1] + hn * v[0] - hs * v[-row]));
  double vbar = 0.25 * (v[0] + v[1] + v[-row] + v[1 - row]);
  double ubar = 0.25 * (u[0] + u[row] + u[-1] + u[row - 1]);
  if (wet == 1 && land[at + 1] == 0)
    next.u[at] =
        u[0] + rdt * (f0 * vbar - grav * (eta[1] - eta[0]) - drag * u[0] * sqrt(square(u[0]) + square(vbar)) / he);
  else
    next.u[at] = 0;
  if (wet == 1 && land[at + row] == 0)
    next.v[at] =
        v[0] - rdt * (f0 * ubar + grav * (eta[row] - eta[0]) + drag * v[0] * sqrt(square(v[0]) + square(ubar)) / hn);
  else
    next.v[at] = 0;
}

// Gradients of the hydrostatic pressure, from the top of each column to its bottom.
__global__ void pressureGradients(int nx, int ny, int nz, double rdx, double rdy, const double *noalias rho,
                                  const double *noalias z, double *noalias px, double *noalias py) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > nx || j > ny)
    return;
  int row = nx + 2, plane = row * (ny + 2), c = j * row + i, e = c + 1, n = c + row, at = (j - 1) * nx + i - 1;
  double half = 0.5 * grav / rho0;
  double sumX = half * (z[e] * rho[e] - z[c] * rho[c]) * rdx;
  double sumY = half * (z[n] * rho[n] - z[c] * rho[c]) * rdy;
  px[at] = sumX;
  py[at] = sumY;
  for (int k = 1; k < nz; ++k) {
    c += plane;
    e += plane;
    n += plane;
    at += nx * ny;
    sumX += half * rdx *
            ((z[e] - z[e - plane]) * (rho[e] + rho[e - plane]) - (z[c] - z[c - plane]) * (rho[c] + rho[c - plane]));
    sumY += half * rdy *
            ((z[n] - z[n - plane]) * (rho[n] + rho[n - plane]) - (z[c] - z[c - plane]) * (rho[c] + rho[c - plane]));
    px[at] = sumX - half * rdx * (rho[e] + rho[c]) * (z[e] - z[c]);
    py[at] = sumY - half * rdy * (rho[n] + rho[c]) * (z[n] - z[c]);
  }
}

// Viscosities from horizontal tension and shear, where there is water.
__global__ void smagorinsky(int nx, int ny, int nz, float dx, float dy, float lowest, float greatest,
                            const signed char *noalias wet, const float *noalias u, const float *noalias v,
                            float *noalias viscosity) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  int w = i == 0 ? nx - 1 : i - 1;
  int e = (i + 1) % nx;
  int s = max(j - 1, 0);
  int n = min(j + 1, ny - 1);
  int row = (k * ny + j) * nx, south = (k * ny + s) * nx, north = (k * ny + n) * nx;
  float tension = (u[row + i] - u[row + w]) / dx - (v[row + i] - v[south + i]) / dy;
  float shear = (u[north + i] - u[south + i]) / (2 * dy) + (v[row + e] - v[row + w]) / (2 * dx);
  viscosity[row + i] =
      wet[row + i] ? fminf(greatest, fmaxf(lowest, 0.1f * dx * dy * sqrtf(tension * tension + shear * shear))) : 0.0f;
}

__device__ inline double neutralDrag(double wind) { return 1e-3 * (2.7 / wind + 0.142 + 0.0764 * wind); }

__device__ inline void profiles(double zeta, double &psim, double &psih) {
  if (zeta > 0) {
    psim = -5 * zeta;
    psih = psim;
  } else {
    double x = sqrt(sqrt(1 - 16 * zeta));
    psim = 2 * log(0.5 * (1 + x)) + log(0.5 * (1 + x * x)) - 2 * atan(x) + 1.570796326794896619;
    psih = 2 * log(0.5 * (1 + x * x));
  }
}

// Stress of the wind, sensible heat and evaporation by similarity profiles, whose stability is iterated.
__global__ void bulkFluxes(int n, const double *noalias u, const double *noalias v, const double *noalias air,
                           const double *noalias humidity, const double *noalias sea, double *noalias stress,
                           double *noalias heat, double *noalias evaporation) {
  constexpr double karman = 0.4, height = 10, cpAir = 1004;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double wind = fmax(0.5, sqrt(square(u[i]) + square(v[i])));
  double saturated = 0.98 * 640380 / 1.22 * exp(-5107.4 / sea[i]);
  double dt = air[i] - sea[i];
  double dq = humidity[i] - saturated;
  double rdn = sqrt(neutralDrag(wind));
  double rd = rdn;
  double rh = dt > 0 ? 0.018 : 0.0327;
  double re = 0.0346;
  double ustar = rd * wind;
  double tstar = rh * dt;
  double qstar = re * dq;
  for (int iteration = 0; iteration < 5; ++iteration) {
    double zeta = karman * grav * height / square(ustar) * (tstar / air[i] + qstar / (1 / 0.608 + humidity[i]));
    zeta = copysign(fmin(fabs(zeta), 10.0), zeta);
    double psim, psih;
    profiles(zeta, psim, psih);
    double wind10 = fmax(0.5, wind / (1 + rdn / karman * -psim));
    rdn = sqrt(neutralDrag(wind10));
    double thickness = -psih / karman;
    rd = rdn / (1 - rdn / karman * psim);
    rh = (zeta > 0 ? 0.018 : 0.0327) / (1 + (zeta > 0 ? 0.018 : 0.0327) * thickness);
    re = 0.0346 / (1 + 0.0346 * thickness);
    ustar = rd * wind;
    tstar = rh * dt;
    qstar = re * dq;
  }
  stress[i] = 1.22 * square(ustar);
  heat[i] = 1.22 * cpAir * ustar * tstar;
  evaporation[i] = 1.22 * ustar * qstar;
}

// Elastic, viscous and plastic stresses of ice at the corners of the cells in a list.
__global__ void iceStress(int nx, int ny, int icells, const int *noalias indxi, const int *noalias indxj,
                          const double *noalias uvel, const double *noalias vvel, const double *noalias dxt,
                          const double *noalias dyt, const double *noalias cxp, const double *noalias cyp,
                          const double *noalias cxm, const double *noalias cym, const double *noalias tinyarea,
                          const double *noalias strength, double *noalias stressp1, double *noalias stressp2,
                          double *noalias stressp3, double *noalias stressp4, double *noalias stressm1,
                          double *noalias stressm2, double *noalias stressm3, double *noalias stressm4,
                          double *noalias stress121, double *noalias stress122, double *noalias stress123,
                          double *noalias stress124, double ecci, double denom, double arlx) {
  int ij = blockIdx.x * blockDim.x + threadIdx.x;
  if (ij >= icells)
    return;
  int c = (indxj[ij] - 1) * nx + indxi[ij] - 1, w = c - 1, s = c - nx, sw = s - 1;
  double divune = cyp[c] * uvel[c] - dyt[c] * uvel[w] + cxp[c] * vvel[c] - dxt[c] * vvel[s];
  double divunw = cym[c] * uvel[w] + dyt[c] * uvel[c] + cxp[c] * vvel[w] - dxt[c] * vvel[sw];
  double divusw = cym[c] * uvel[sw] + dyt[c] * uvel[s] + cxm[c] * vvel[sw] + dxt[c] * vvel[w];
  double divuse = cyp[c] * uvel[s] - dyt[c] * uvel[sw] + cxm[c] * vvel[s] + dxt[c] * vvel[c];
  double tensionne = -cym[c] * uvel[c] - dyt[c] * uvel[w] + cxm[c] * vvel[c] + dxt[c] * vvel[s];
  double tensionnw = -cyp[c] * uvel[w] + dyt[c] * uvel[c] + cxm[c] * vvel[w] + dxt[c] * vvel[sw];
  double tensionsw = -cyp[c] * uvel[sw] + dyt[c] * uvel[s] + cxp[c] * vvel[sw] - dxt[c] * vvel[w];
  double tensionse = -cym[c] * uvel[s] - dyt[c] * uvel[sw] + cxp[c] * vvel[s] - dxt[c] * vvel[c];
  double shearne = -cym[c] * vvel[c] - dyt[c] * vvel[w] - cxm[c] * uvel[c] - dxt[c] * uvel[s];
  double shearnw = -cyp[c] * vvel[w] + dyt[c] * vvel[c] - cxm[c] * uvel[w] - dxt[c] * uvel[sw];
  double shearsw = -cyp[c] * vvel[sw] + dyt[c] * vvel[s] - cxp[c] * uvel[sw] + dxt[c] * uvel[w];
  double shearse = -cym[c] * vvel[s] - dyt[c] * vvel[sw] - cxp[c] * uvel[s] + dxt[c] * uvel[c];
  double deltane = sqrt(square(divune) + ecci * (square(tensionne) + square(shearne)));
  double deltanw = sqrt(square(divunw) + ecci * (square(tensionnw) + square(shearnw)));
  double deltasw = sqrt(square(divusw) + ecci * (square(tensionsw) + square(shearsw)));
  double deltase = sqrt(square(divuse) + ecci * (square(tensionse) + square(shearse)));
  double c1ne = strength[c] / fmax(deltane, tinyarea[c]) * arlx;
  double c1nw = strength[c] / fmax(deltanw, tinyarea[c]) * arlx;
  double c1sw = strength[c] / fmax(deltasw, tinyarea[c]) * arlx;
  double c1se = strength[c] / fmax(deltase, tinyarea[c]) * arlx;
  stressp1[c] = (stressp1[c] + c1ne * (divune - deltane)) * denom;
  stressp2[c] = (stressp2[c] + c1nw * (divunw - deltanw)) * denom;
  stressp3[c] = (stressp3[c] + c1sw * (divusw - deltasw)) * denom;
  stressp4[c] = (stressp4[c] + c1se * (divuse - deltase)) * denom;
  stressm1[c] = (stressm1[c] + c1ne * ecci * tensionne) * denom;
  stressm2[c] = (stressm2[c] + c1nw * ecci * tensionnw) * denom;
  stressm3[c] = (stressm3[c] + c1sw * ecci * tensionsw) * denom;
  stressm4[c] = (stressm4[c] + c1se * ecci * tensionse) * denom;
  stress121[c] = (stress121[c] + c1ne * ecci * shearne * 0.5) * denom;
  stress122[c] = (stress122[c] + c1nw * ecci * shearnw * 0.5) * denom;
  stress123[c] = (stress123[c] + c1sw * ecci * shearsw * 0.5) * denom;
  stress124[c] = (stress124[c] + c1se * ecci * shearse * 0.5) * denom;
}

// Sources of phytoplankton, zooplankton, nutrient and detritus below the light that each type of water leaves.
__global__ void plankton(int nx, int ny, int nz, const int *noalias water, const int *noalias levels,
                         const float *noalias dz, const float *noalias surface, const float *noalias growth,
                         const float *noalias tr, float *noalias source) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int at = j * nx + i, cells = nx * ny * nz;
  float attenuation;
  switch (water[at]) {
  case 1:
    attenuation = 0.037f;
    break;
  case 2:
  case 3:
    attenuation = 0.052f;
    break;
  case 4:
    attenuation = 0.088f;
    break;
  default:
    attenuation = 0.134f;
  }
  float light = surface[at], fromAbove = 0;
  int bottom = levels[at];
  for (int k = 0; k < bottom; ++k, at += nx * ny) {
    float p = fmaxf(tr[at], 0);
    float z = fmaxf(tr[cells + at], 0);
    float n = fmaxf(tr[2 * cells + at], 0);
    float d = fmaxf(tr[3 * cells + at], 0);
    light = light * expf(-(attenuation + 0.03f * p) * dz[k]);
    float position = fminf(light, 0.999999f) * growthSteps;
    int cell = int(position);
    float mu = (growth[cell] + (position - cell) * (growth[cell + 1] - growth[cell])) * fminf(n / (n + 0.5f), 1);
    float grazing = 1.5f * (p * p) / (1 + p * p) * z;
    float mortality = 0.05f * p + 0.1f * z * z;
    float remineralised = 0.04f * d;
    float sinking = 3 * d / dz[k];
    source[at] = mu * p - grazing - 0.05f * p;
    source[cells + at] = 0.75f * grazing - 0.1f * z * z;
    source[2 * cells + at] = remineralised - mu * p;
    source[3 * cells + at] = mortality + 0.25f * grazing - remineralised - sinking + fromAbove;
    fromAbove = sinking;
  }
}

// How much of the antidiffusive fluxes into and out of each cell its neighbours allow: Zalesak.
__global__ void fluxLimits(int n, const double *noalias before, const double *noalias after, const double *noalias ax,
                           const double *noalias ay, const double *noalias az, double *noalias up,
                           double *noalias down) {
  constexpr double tiny = 1e-20;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (max(max(i, j), k) >= n)
    return;
  int row = n + 2, plane = row * row, at = (k * n + j) * n + i;
  const double *b = before + (k + 1) * plane + (j + 1) * row + i + 1;
  const double *a = after + (k + 1) * plane + (j + 1) * row + i + 1;
  const double *x = ax + (k * n + j) * (n + 1) + i, *y = ay + (k * (n + 1) + j) * n + i, *z = az + at;
  double greatest = fmax(b[0], a[0]), least = fmin(b[0], a[0]);
  greatest = fmax(fmax(fmax(greatest, b[-1]), a[-1]), b[1]);
  greatest = fmax(fmax(fmax(greatest, a[1]), b[-row]), a[-row]);
  greatest = fmax(fmax(fmax(greatest, b[row]), a[row]), b[-plane]);
  greatest = fmax(fmax(fmax(greatest, a[-plane]), b[plane]), a[plane]);
  least = fmin(fmin(fmin(least, b[-1]), a[-1]), b[1]);
  least = fmin(fmin(fmin(least, a[1]), b[-row]), a[-row]);
  least = fmin(fmin(fmin(least, b[row]), a[row]), b[-plane]);
  least = fmin(fmin(fmin(least, a[-plane]), b[plane]), a[plane]);
  double into =
      fmax(0.0, x[0]) - fmin(0.0, x[1]) + fmax(0.0, y[0]) - fmin(0.0, y[n]) + fmax(0.0, z[0]) - fmin(0.0, z[n * n]);
  double out =
      fmax(0.0, x[1]) - fmin(0.0, x[0]) + fmax(0.0, y[n]) - fmin(0.0, y[0]) + fmax(0.0, z[n * n]) - fmin(0.0, z[0]);
  up[at] = fmin(1.0, (greatest - a[0]) / (into + tiny));
  down[at] = fmin(1.0, (a[0] - least) / (out + tiny));
}

std::vector<double> random(size_t count, int seed, double plus = 0, double times = 1) {
  std::vector<double> x(count);
  fill(x, seed);
  for (double &value : x)
    value = times * (value + plus);
  return x;
}

std::vector<int> randomInts(size_t count, int below, int seed) {
  std::vector<int> x(count);
  fill(x, below, seed);
  return x;
}

void setStep(double step) { cudaMemcpyToSymbol(rdt, &step, sizeof step); }

void runTracer() {
  const int nx = sized(512, 64, 20), ny = sized(384, 32, 12), nz = sized(50, 20, 8);
  std::vector<int> bottom = randomInts((nx + 2) * (ny + 2), nz, 6);
  for (int &value : bottom)
    value = nz - value / 4;
  DeviceArray<double> t(random((nx + 2) * (ny + 4) * nz, 1)), u(random((nx + 1) * ny * nz, 2, -0.5)),
      v(random(nx * (ny + 1) * nz, 3, -0.5)), w(random(nx * ny * nz, 4, -0.5)),
      e3(random((nx + 2) * (ny + 2) * nz, 5, 0.5)), tendency(nx * ny * nz);
  DeviceArray<int> kmt(bottom);
  if (beginCase("advect_tracer", {.bytes = 48.0 * nx * ny * nz})) {
    while (nextSample())
      advectTracer<<<dim3((nx + 31) / 32, (ny + 3) / 4, nz), dim3(32, 4)>>>(nx, ny, nz, 1.5, 0.75, kmt, t, u, v, w, e3,
                                                                            tendency);
    endCase(checksum(tendency.onHost()));
  }
}

void runColumns() {
  const int nodes = sized(128 * 1024, 4096, 300);
  std::vector<int> levels = randomInts(nodes, 16, 4);
  for (int &value : levels)
    value = deepest - value;
  DeviceArray<double> kv(random((deepest + 1) * nodes, 1)), thickness(random(deepest * nodes, 2, 0.5)),
      t(random(deepest * nodes, 3)), x(deepest * nodes);
  DeviceArray<int> levelsD(levels);
  x.clear();
  setStep(0.75);
  if (beginCase("mix_columns", {.bytes = 32.0 * deepest * nodes})) {
    while (nextSample())
      mixColumns<<<(nodes + 127) / 128, 128>>>(nodes, levelsD, kv, thickness, t, x);
    endCase(checksum(x.onHost()));
  }
}

void runDensity() {
  const int nx = sized(512, 64, 20), ny = sized(384, 32, 12), nz = sized(40, 20, 8), cells = nx * ny * nz;
  std::vector<double> levels(nz);
  for (int k = 0; k < nz; ++k)
    levels[k] = 100.0 * (k + 1);
  DeviceArray<double> t(random(cells, 1, -1.0 / 35, 35)), s(random(cells, 2, 3, 10)), p(levels), rho(cells),
      slope(cells);
  dim3 grid((nx + 31) / 32, (ny + 3) / 4), block(32, 4);
  if (beginCase("density", {.bytes = 24.0 * cells})) {
    while (nextSample())
      equationOfState<<<grid, block>>>(nx, ny, nz, t, s, p, rho, nullptr);
    endCase(checksum(rho.onHost()));
  }
  if (beginCase("density_slope", {.bytes = 32.0 * cells})) {
    while (nextSample())
      equationOfState<<<grid, block>>>(nx, ny, nz, t, s, p, rho, slope);
    endCase(checksum(slope.onHost()));
  }
}

void runBarotropic() {
  const int n = sized(2048, 96, 24), cells = (n + 2) * (n + 2);
  std::vector<int> land = randomInts(cells, 5, 5);
  for (int &value : land)
    value /= 4;
  DeviceArray<double> eta(random(cells, 1)), u(random(cells, 2, -0.5)), v(random(cells, 3, -0.5)),
      depth(random(cells, 4, 0.5, 10)), nextEta(cells), nextU(cells), nextV(cells);
  DeviceArray<int> landD(land);
  nextEta.clear();
  nextU.clear();
  nextV.clear();
  setStep(0.01);
  Barotropic now{eta, u, v}, next{nextEta, nextU, nextV};
  if (beginCase("barotropic_step", {.bytes = 60.0 * n * n})) {
    while (nextSample())
      barotropicStep<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(n, now, next, depth, landD, 0.1, 0.02);
    endCase(checksum(nextEta.onHost()) + checksum(nextU.onHost()) + checksum(nextV.onHost()));
  }
}

void runPressure() {
  const int nx = sized(512, 64, 20), ny = sized(384, 32, 12), nz = sized(40, 20, 8), plane = (nx + 2) * (ny + 2);
  std::vector<double> z = random(plane * nz, 2);
  for (int i = 0; i < plane * nz; ++i)
    z[i] = 10 * (i / plane + 1 + z[i]);
  DeviceArray<double> rho(random(plane * nz, 1, 1025)), zD(z), px(nx * ny * nz), py(nx * ny * nz);
  if (beginCase("pressure_gradients", {.bytes = 32.0 * nx * ny * nz})) {
    while (nextSample())
      pressureGradients<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(nx, ny, nz, 0.25, 0.125, rho, zD, px, py);
    endCase(checksum(px.onHost()) - checksum(py.onHost()) * 3);
  }
}

void runViscosity() {
  const int nx = sized(512, 64, 20), ny = sized(384, 32, 12), nz = sized(60, 20, 8), cells = nx * ny * nz;
  std::vector<float> u(cells), v(cells);
  std::vector<signed char> wet(cells);
  fill(u, 1);
  fill(v, 2);
  for (int i = 0; i < cells; ++i)
    wet[i] = u[i] + v[i] < 1.5f;
  DeviceArray<float> uD(u), vD(v), viscosity(cells);
  DeviceArray<signed char> wetD(wet);
  if (beginCase("smagorinsky", {.bytes = 13.0 * cells, .kind = 4})) {
    while (nextSample())
      smagorinsky<<<dim3((nx + 63) / 64, (ny + 1) / 2, (nz + 1) / 2), dim3(64, 2, 2)>>>(nx, ny, nz, 0.5f, 0.25f, 2e-3f,
                                                                                        4e-2f, wetD, uD, vD, viscosity);
    endCase(checksum(viscosity.onHost()));
  }
}

void runBulk() {
  const int n = sized(1 << 21, 1 << 14, 1000);
  std::vector<double> air = random(n, 3), sea = random(n, 5);
  for (int i = 0; i < n; ++i) {
    air[i] = 273 + 25 * air[i];
    sea[i] = air[i] + 6 * (sea[i] - 0.5);
  }
  DeviceArray<double> u(random(n, 1, -0.5, 20)), v(random(n, 2, -0.5, 20)), airD(air), humidity(random(n, 4, 0, 0.018)),
      seaD(sea), stress(n), heat(n), evaporation(n);
  if (beginCase("bulk_fluxes", {.bytes = 64.0 * n})) {
    while (nextSample())
      bulkFluxes<<<(n + 127) / 128, 128>>>(n, u, v, airD, humidity, seaD, stress, heat, evaporation);
    endCase(sum(stress.onHost()) - sum(heat.onHost()));
  }
}

void runIce() {
  const int nx = sized(1152, 96, 24), ny = sized(1024, 48, 16), plane = nx * ny;
  std::vector<double> r = random(10 * plane, 1);
  for (int i = 0; i < 2 * plane; ++i)
    r[i] -= 0.5;
  std::vector<int> ice = randomInts(plane, 4, 2), indxi(plane), indxj(plane);
  int cells = 0;
  for (int j = 2; j <= ny; ++j)
    for (int i = 2; i <= nx; ++i)
      if (ice[(j - 1) * nx + i - 1]) {
        indxi[cells] = i;
        indxj[cells++] = j;
      }
  DeviceArray<double> rD(r), pD(4 * plane), mD(4 * plane), sD(4 * plane);
  DeviceArray<int> indxiD(indxi), indxjD(indxj);
  double *in[10], *p[4], *m[4], *s[4];
  for (int l = 0; l < 10; ++l)
    in[l] = rD + l * plane;
  for (int l = 0; l < 4; ++l) {
    p[l] = pD + l * plane;
    m[l] = mD + l * plane;
    s[l] = sD + l * plane;
  }
  auto reset = [&] {
    pD = std::vector<double>(4 * plane, 0.25);
    mD = std::vector<double>(4 * plane, 0.5);
    sD = std::vector<double>(4 * plane, 0.75);
  };
  auto step = [&] {
    iceStress<<<(cells + 127) / 128, 128>>>(nx, ny, cells, indxiD, indxjD, in[0], in[1], in[2], in[3], in[4], in[5],
                                            in[6], in[7], in[8], in[9], p[0], p[1], p[2], p[3], m[0], m[1], m[2], m[3],
                                            s[0], s[1], s[2], s[3], 0.25, 0.75, 0.125);
  };
  reset();
  if (beginCase("ice_stress", {.bytes = 216.0 * cells})) {
    while (nextSample())
      step();
    reset();
    step();
    endCase(checksum(pD.onHost()) + checksum(mD.onHost()) * 2 + checksum(sD.onHost()) * 3);
  }
}

void runPlankton() {
  const int nx = sized(512, 64, 20), ny = sized(384, 32, 12), nz = sized(32, 20, 8), cells = nx * ny * nz;
  std::vector<float> tr(4 * cells), dz(nz), surface(nx * ny), growth(growthSteps + 1);
  std::vector<int> levels = randomInts(nx * ny, nz / 2, 5);
  fill(tr, 1);
  fill(dz, 2);
  fill(surface, 3);
  for (float &value : tr)
    value = 2 * value - 0.05f;
  for (float &value : dz)
    value += 0.5f;
  for (int &value : levels)
    value = nz - value;
  for (int i = 0; i <= growthSteps; ++i)
    growth[i] = 2 * tanhf(i * 4.0f / growthSteps);
  DeviceArray<float> trD(tr), dzD(dz), surfaceD(surface), growthD(growth), source(4 * cells);
  DeviceArray<int> water(randomInts(nx * ny, 6, 4)), levelsD(levels);
  source.clear();
  if (beginCase("plankton", {.bytes = 24.0 * cells, .kind = 4})) {
    while (nextSample())
      plankton<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(nx, ny, nz, water, levelsD, dzD, surfaceD, growthD,
                                                                    trD, source);
    endCase(checksum(source.onHost()));
  }
}

void runLimits() {
  const int n = sized(192, 48, 16), cells = n * n * n, wide = (n + 2) * (n + 2) * (n + 2), faces = (n + 1) * n * n;
  DeviceArray<double> before(random(wide, 1)), after(random(wide, 2)), ax(random(faces, 3, -0.5)),
      ay(random(faces, 4, -0.5)), az(random(faces, 5, -0.5)), up(cells), down(cells);
  if (beginCase("flux_limits", {.bytes = 56.0 * cells})) {
    while (nextSample())
      fluxLimits<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), dim3(32, 4, 2)>>>(n, before, after, ax, ay, az, up,
                                                                                    down);
    endCase(checksum(up.onHost()) + 2 * checksum(down.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runTracer();
  runColumns();
  runDensity();
  runBarotropic();
  runPressure();
  runViscosity();
  runBulk();
  runIce();
  runPlankton();
  runLimits();
  return finish();
}
