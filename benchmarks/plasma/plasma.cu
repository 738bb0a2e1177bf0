// Plasmas, gauge fields and spectral methods. Twin: plasma.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr double pi = 3.14159265358979324, gamma0 = 5.0 / 3;
constexpr int density = 0, vx = 1, vy = 2, vz = 3, pressure = 4, bx = 5, by = 6, bz = 7, variables = 8;

template <class T>
__device__ inline T square(T x) {
  return x * x;
}

// Electric fields at the edges of cells, from velocities in cells and the field on faces.
__global__ void edgeFields(int n, const double *noalias q, double resistivity, const double *noalias b,
                           double *noalias e) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z + 1;
  if (i > n + 1 || j > n + 1)
    return;
  int row = n + 2, plane = row * row, at = k * plane + j * row + i;
  auto cell = [&](int m, int di, int dj, int dk) { return q[variables * (at - dk * plane - dj * row - di) + m]; };
  auto face = [&](int m, int di, int dj, int dk) { return b[3 * (at - dk * plane - dj * row - di) + m]; };
  e += 3 * (((k - 1) * (n + 1) + j - 1) * (n + 1) + i - 1);
  double v = 0.25 * (cell(vy, 0, 0, 0) + cell(vy, 0, 1, 0) + cell(vy, 0, 0, 1) + cell(vy, 0, 1, 1));
  double w = 0.25 * (cell(vz, 0, 0, 0) + cell(vz, 0, 1, 0) + cell(vz, 0, 0, 1) + cell(vz, 0, 1, 1));
  e[0] = 0.5 * (w * (face(1, 0, 0, 0) + face(1, 0, 0, 1)) - v * (face(2, 0, 0, 0) + face(2, 0, 1, 0))) +
         resistivity * (face(2, 0, 0, 0) - face(2, 0, 1, 0) - face(1, 0, 0, 0) + face(1, 0, 0, 1));
  w = 0.25 * (cell(vz, 0, 0, 0) + cell(vz, 1, 0, 0) + cell(vz, 0, 0, 1) + cell(vz, 1, 0, 1));
  double u = 0.25 * (cell(vx, 0, 0, 0) + cell(vx, 1, 0, 0) + cell(vx, 0, 0, 1) + cell(vx, 1, 0, 1));
  e[1] = 0.5 * (u * (face(2, 0, 0, 0) + face(2, 1, 0, 0)) - w * (face(0, 0, 0, 0) + face(0, 0, 0, 1))) +
         resistivity * (face(0, 0, 0, 0) - face(0, 0, 0, 1) - face(2, 0, 0, 0) + face(2, 1, 0, 0));
  u = 0.25 * (cell(vx, 0, 0, 0) + cell(vx, 1, 0, 0) + cell(vx, 0, 1, 0) + cell(vx, 1, 1, 0));
  v = 0.25 * (cell(vy, 0, 0, 0) + cell(vy, 1, 0, 0) + cell(vy, 0, 1, 0) + cell(vy, 1, 1, 0));
  e[2] = 0.5 * (v * (face(0, 0, 0, 0) + face(0, 0, 1, 0)) - u * (face(1, 0, 0, 0) + face(1, 1, 0, 0))) +
         resistivity * (face(1, 0, 0, 0) - face(1, 1, 0, 0) - face(0, 0, 0, 0) + face(0, 0, 1, 0));
}

// The field on faces, changed by the electric field along their edges.
__global__ void updateFaces(int n, double dtdx, const double *noalias b, const double *noalias e,
                            double *noalias changed) {
  constexpr int next[3] = {1, 2, 0};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= n || j >= n)
    return;
  b += 3 * (((k + 1) * (n + 2) + j + 1) * (n + 2) + i + 1);
  e += 3 * ((k * (n + 1) + j) * (n + 1) + i);
  changed += 3 * ((k * n + j) * n + i);
  const int step[3] = {3, 3 * (n + 1), 3 * (n + 1) * (n + 1)};
  for (int m = 0; m < 3; ++m) {
    int p = next[m], r = next[p];
    changed[m] = b[m] - dtdx * (e[r + step[p]] - e[r] - e[p + step[r]] + e[p]);
  }
}

// Densities of mass, momentum, energy and field; their fluxes, the total pressure and the speed of fast waves.
__device__ inline void conserved(const double *q, double field, double *u, double *f, double &total, double &fast) {
  double magnetic = square(field) + square(q[by]) + square(q[bz]);
  total = q[pressure] + 0.5 * magnetic;
  u[density] = q[density];
  for (int m = vx; m <= vz; ++m)
    u[m] = q[density] * q[m];
  u[pressure] =
      q[pressure] / (gamma0 - 1) + 0.5 * (q[density] * (square(q[vx]) + square(q[vy]) + square(q[vz])) + magnetic);
  u[bx] = field;
  u[by] = q[by];
  u[bz] = q[bz];
  for (int m = 0; m < variables; ++m)
    f[m] = q[vx] * u[m];
  f[vx] = f[vx] + total - square(field);
  f[vy] = f[vy] - field * q[by];
  f[vz] = f[vz] - field * q[bz];
  f[pressure] = f[pressure] + total * q[vx] - field * (field * q[vx] + (q[vy] * q[by] + q[vz] * q[bz]));
  f[bx] = 0;
  f[by] = f[by] - field * q[vy];
  f[bz] = f[bz] - field * q[vz];
  double sound = gamma0 * q[pressure] / q[density];
  double alfven = magnetic / q[density];
  fast = sqrt(0.5 * (sound + alfven + sqrt(square(sound + alfven) - 4 * sound * square(field) / q[density])));
}

// Behind a fast wave.
__device__ inline void starState(const double *q, const double *u, double field, double total, double s, double sm,
                                 double pt, double *us) {
  double mass = q[density] * (s - q[vx]);
  double divisor = mass * (s - sm) - square(field);
  double turn, stretch;
  if (fabs(divisor) < 1e-8 * pt) {
    turn = 0;
    stretch = 1;
  } else {
    turn = field * (sm - q[vx]) / divisor;
    stretch = (mass * (s - q[vx]) - square(field)) / divisor;
  }
  us[density] = mass / (s - sm);
  us[vx] = us[density] * sm;
  us[vy] = us[density] * (q[vy] - q[by] * turn);
  us[vz] = us[density] * (q[vz] - q[bz] * turn);
  us[bx] = field;
  us[by] = q[by] * stretch;
  us[bz] = q[bz] * stretch;
  us[pressure] = ((s - q[vx]) * u[pressure] - total * q[vx] + pt * sm +
                  field * (field * q[vx] + q[vy] * q[by] + q[vz] * q[bz] -
                           (us[vx] * field + us[vy] * us[by] + us[vz] * us[bz]) / us[density])) /
                 (s - sm);
}

// Fluxes along x by the solver of Miyoshi and Kusano.
__global__ void hlldFluxes(int nx, int ny, int nz, const double *noalias q, double *noalias f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  double ql[variables], qr[variables], ul[variables], ur[variables], fl[variables], fr[variables], usl[variables],
      usr[variables], uss[variables];
  q += variables * ((k * ny + j) * (nx + 1) + i);
  f += variables * ((k * ny + j) * nx + i);
  for (int m = 0; m < variables; ++m) {
    ql[m] = q[m];
    qr[m] = q[variables + m];
  }
  double field = 0.5 * (ql[bx] + qr[bx]), ptl, ptr, cl, cr;
  conserved(ql, field, ul, fl, ptl, cl);
  conserved(qr, field, ur, fr, ptr, cr);
  double sl = fmin(ql[vx], qr[vx]) - fmax(cl, cr);
  double sr = fmax(ql[vx], qr[vx]) + fmax(cl, cr);
  if (sl >= 0) {
    for (int m = 0; m < variables; ++m)
      f[m] = fl[m];
  } else if (sr <= 0) {
    for (int m = 0; m < variables; ++m)
      f[m] = fr[m];
  } else {
    double sm = (ur[vx] * (sr - qr[vx]) - ul[vx] * (sl - ql[vx]) - ptr + ptl) /
                (qr[density] * (sr - qr[vx]) - ql[density] * (sl - ql[vx]));
    double pt = ptl + ql[density] * (sl - ql[vx]) * (sm - ql[vx]);
    starState(ql, ul, field, ptl, sl, sm, pt, usl);
    starState(qr, ur, field, ptr, sr, sm, pt, usr);
    double rootl = sqrt(usl[density]);
    double rootr = sqrt(usr[density]);
    double sls = sm - fabs(field) / rootl;
    double srs = sm + fabs(field) / rootr;
    if (sls >= 0) {
      for (int m = 0; m < variables; ++m)
        f[m] = fl[m] + sl * (usl[m] - ul[m]);
    } else if (srs <= 0) {
      for (int m = 0; m < variables; ++m)
        f[m] = fr[m] + sr * (usr[m] - ur[m]);
    } else {
      double way = copysign(1.0, field);
      double v2 = (usl[vy] / rootl + usr[vy] / rootr + (usr[by] - usl[by]) * way) / (rootl + rootr);
      double w2 = (usl[vz] / rootl + usr[vz] / rootr + (usr[bz] - usl[bz]) * way) / (rootl + rootr);
      double y2 = (rootl * usr[by] + rootr * usl[by] +
                   rootl * rootr * (usr[vy] / usr[density] - usl[vy] / usl[density]) * way) /
                  (rootl + rootr);
      double z2 = (rootl * usr[bz] + rootr * usl[bz] +
                   rootl * rootr * (usr[vz] / usr[density] - usl[vz] / usl[density]) * way) /
                  (rootl + rootr);
      double work = v2 * y2 + w2 * z2;
      if (sm >= 0) {
        for (int m = 0; m < variables; ++m)
          uss[m] = usl[m];
        uss[vy] = usl[density] * v2;
        uss[vz] = usl[density] * w2;
        uss[by] = y2;
        uss[bz] = z2;
        uss[pressure] = usl[pressure] - rootl * ((usl[vy] * usl[by] + usl[vz] * usl[bz]) / usl[density] - work) * way;
        for (int m = 0; m < variables; ++m)
          f[m] = fl[m] + sls * uss[m] - (sls - sl) * usl[m] - sl * ul[m];
      } else {
        for (int m = 0; m < variables; ++m)
          uss[m] = usr[m];
        uss[vy] = usr[density] * v2;
        uss[vz] = usr[density] * w2;
        uss[by] = y2;
        uss[bz] = z2;
        uss[pressure] = usr[pressure] + rootr * ((usr[vy] * usr[by] + usr[vz] * usr[bz]) / usr[density] - work) * way;
        for (int m = 0; m < variables; ++m)
          f[m] = fr[m] + srs * uss[m] - (srs - sr) * usr[m] - sr * ur[m];
      }
    }
  }
}

__host__ __device__ inline double2 operator+(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }
__host__ __device__ inline double2 operator-(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
__host__ __device__ inline double2 operator*(double2 a, double2 b) {
  return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__host__ __device__ inline double2 operator*(double a, double2 z) { return make_double2(a * z.x, a * z.y); }
__host__ __device__ inline double2 operator/(double2 z, double a) { return make_double2(z.x / a, z.y / a); }
__host__ __device__ inline double2 conjugate(double2 z) { return make_double2(z.x, -z.y); }

// The difference of covariant shifts, from sites of one parity to those of the other.
__global__ void hop(int nx, int ny, int nz, int nt, int parity, const double2 *noalias u, const double2 *noalias psi,
                    double2 *noalias chi) {
  int half = nx * ny * nz * nt / 2, at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= half)
    return;
  const int extent[4] = {nx, ny, nz, nt};
  int c[4], rest = at / (nx / 2);
  c[1] = rest % ny;
  rest /= ny;
  c[2] = rest % nz;
  c[3] = rest / nz;
  c[0] = 2 * (at % (nx / 2)) + (c[1] + c[2] + c[3] + parity) % 2;
  double2 total[3] = {};
  int sum = 0;
  for (int mu = 0; mu < 4; ++mu) {
    int here = c[mu];
    c[mu] = (here + 1) % extent[mu];
    int ahead = (((c[3] * nz + c[2]) * ny + c[1]) * nx + c[0]) / 2;
    c[mu] = (here - 1 + extent[mu]) % extent[mu];
    int behind = (((c[3] * nz + c[2]) * ny + c[1]) * nx + c[0]) / 2;
    c[mu] = here;
    double phase = 1 - 2 * (sum % 2);
    sum += here;
    const double2 *hereU = u + ((parity * half + at) * 4 + mu) * 9;
    const double2 *behindU = u + (((1 - parity) * half + behind) * 4 + mu) * 9;
    for (int a = 0; a < 3; ++a) {
      double2 forward = {0, 0}, backward = {0, 0};
      for (int b = 0; b < 3; ++b) {
        forward = forward + hereU[b * 3 + a] * psi[3 * ahead + b];
        backward = backward + conjugate(behindU[a * 3 + b]) * psi[3 * behind + b];
      }
      total[a] = total[a] + phase * (forward - backward);
    }
  }
  for (int a = 0; a < 3; ++a)
    chi[3 * at + a] = total[a];
}

__device__ inline void spline(float f, float *w) {
  w[0] = (1 - f) * (1 - f) * (1 - f) / 6;
  w[1] = 2.0f / 3 - f * f * (1 - f / 2);
  w[2] = 2.0f / 3 - (1 - f) * (1 - f) * (1 + f) / 2;
  w[3] = f * f * f / 6;
}

__device__ inline void cross(const float *a, const float *b, float *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

__device__ inline float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// One step of particles in electric and magnetic fields that cubic splines take from 64 points.
__global__ void borisPush(int n, int m, float dt, const float *noalias eb, const float *noalias x,
                          const float *noalias u, float *noalias moved, float *noalias turned) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n)
    return;
  int row = m + 3, i = int(x[p]), j = int(x[n + p]), k = int(x[2 * n + p]);
  float wx[4], wy[4], wz[4], f[6] = {}, v[3], t[3], s[3], w[3], r[3];
  spline(x[p] - i, wx);
  spline(x[n + p] - j, wy);
  spline(x[2 * n + p] - k, wz);
  for (int c = 0; c < 4; ++c)
    for (int b = 0; b < 4; ++b)
      for (int a = 0; a < 4; ++a) {
        float weight = wx[a] * wy[b] * wz[c];
        const float *at = eb + 6 * (((k + c - 1) * row + j + b - 1) * row + i + a - 1);
        for (int l = 0; l < 6; ++l)
          f[l] += weight * at[l];
      }
  for (int l = 0; l < 3; ++l)
    v[l] = u[l * n + p] + 0.5f * dt * f[l];
  float lorentz = sqrtf(1 + dot(v, v));
  for (int l = 0; l < 3; ++l)
    t[l] = 0.5f * dt / lorentz * f[3 + l];
  cross(v, t, w);
  for (int l = 0; l < 3; ++l) {
    w[l] += v[l];
    s[l] = 2 * t[l] / (1 + dot(t, t));
  }
  cross(w, s, r);
  for (int l = 0; l < 3; ++l) {
    v[l] += r[l];
    v[l] += 0.5f * dt * f[l];
  }
  lorentz = sqrtf(1 + dot(v, v));
  for (int l = 0; l < 3; ++l) {
    turned[l * n + p] = v[l];
    moved[l * n + p] = x[l * n + p] + dt * v[l] / lorentz;
  }
}

// The shares of the points around an origin, from which the charge is at most one and a half points away.
__device__ inline void shapeAt(double x, int origin, double *s) {
  int nearest = int(round(x)), shift = nearest - origin + 2;
  double d = x - nearest;
  for (int i = 0; i < 5; ++i)
    s[i] = 0;
  s[shift - 1] = 0.5 * square(0.5 - d);
  s[shift] = 0.75 - square(d);
  s[shift + 1] = 0.5 * square(0.5 + d);
}

// Currents of moving charges with quadratic shapes, so that charges and currents fit: Esirkepov.
__global__ void depositCurrents(int n, int m, const double *noalias x0, const double *noalias z0,
                                const double *noalias x1, const double *noalias z1, const double *noalias vy,
                                const double *noalias charge, double *noalias jx, double *noalias jy,
                                double *noalias jz) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n)
    return;
  double sx[5], sz[5], dx[5], dz[5];
  int row = m + 5, i0 = int(round(x0[p])), k0 = int(round(z0[p]));
  shapeAt(x0[p], i0, sx);
  shapeAt(z0[p], k0, sz);
  shapeAt(x1[p], i0, dx);
  shapeAt(z1[p], k0, dz);
  for (int i = 0; i < 5; ++i) {
    dx[i] -= sx[i];
    dz[i] -= sz[i];
  }
  int at = k0 * row + i0;
  for (int k = 0; k < 5; ++k) {
    double current = 0;
    for (int i = 0; i < 4; ++i) {
      current -= charge[p] * dx[i] * (sz[k] + 0.5 * dz[k]);
      if (current != 0)
        atomicAdd(&jx[at + k * row + i], current);
    }
  }
  for (int i = 0; i < 5; ++i) {
    double current = 0;
    for (int k = 0; k < 4; ++k) {
      current -= charge[p] * dz[k] * (sx[i] + 0.5 * dx[i]);
      if (current != 0)
        atomicAdd(&jz[at + k * row + i], current);
    }
  }
  for (int k = 0; k < 5; ++k)
    for (int i = 0; i < 5; ++i) {
      double current = charge[p] * vy[p] * (sx[i] * sz[k] + 0.5 * (dx[i] * sz[k] + sx[i] * dz[k]) + dx[i] * dz[k] / 3);
      if (current != 0)
        atomicAdd(&jy[at + k * row + i], current);
    }
}

__device__ inline void fieldAt(int n, const float *b, const float *p, float *f) {
  int i = int(p[0]), j = int(p[1]), k = int(p[2]);
  float x = p[0] - i, y = p[1] - j, z = p[2] - k;
  int row = 3 * n, plane = row * n;
  const float *c = b + (k - 1) * plane + (j - 1) * row + 3 * (i - 1);
  for (int m = 0; m < 3; ++m)
    f[m] = (1 - z) * ((1 - y) * ((1 - x) * c[m] + x * c[3 + m]) + y * ((1 - x) * c[row + m] + x * c[row + 3 + m])) +
           z * ((1 - y) * ((1 - x) * c[plane + m] + x * c[plane + 3 + m]) +
                y * ((1 - x) * c[plane + row + m] + x * c[plane + row + 3 + m]));
}

// Lines of a field, by the classical method of Runge and Kutta.
__global__ void traceLines(int lines, int n, int steps, float h, const float *noalias b, const float *noalias first,
                           float *noalias last, int *noalias used) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines)
    return;
  float p[3], r[3], k1[3], k2[3], k3[3], k4[3];
  for (int m = 0; m < 3; ++m)
    p[m] = first[3 * line + m];
  int step;
  for (step = 1; step <= steps; ++step) {
    fieldAt(n, b, p, k1);
    for (int m = 0; m < 3; ++m)
      r[m] = p[m] + 0.5f * h * k1[m];
    fieldAt(n, b, r, k2);
    for (int m = 0; m < 3; ++m)
      r[m] = p[m] + 0.5f * h * k2[m];
    fieldAt(n, b, r, k3);
    for (int m = 0; m < 3; ++m)
      r[m] = p[m] + h * k3[m];
    fieldAt(n, b, r, k4);
    bool out = false;
    for (int m = 0; m < 3; ++m) {
      p[m] += h / 6 * (k1[m] + 2 * (k2[m] + k3[m]) + k4[m]);
      out |= p[m] < 2 || p[m] > n - 1;
    }
    if (out)
      break;
  }
  for (int m = 0; m < 3; ++m)
    last[3 * line + m] = p[m];
  used[line] = step;
}

__device__ inline void byFours(double2 *c) {
  double2 e0 = c[0] + c[2], e1 = c[0] - c[2], e2 = c[1] + c[3], e3 = make_double2(0, -1) * (c[1] - c[3]);
  c[0] = e0 + e2;
  c[1] = e1 + e3;
  c[2] = e0 - e2;
  c[3] = e1 - e3;
}

// A pass of a Fourier transform by eights; the transforms that earlier passes have made are `done` long.
__global__ void passByEights(int n, int done, const double2 *noalias w, const double2 *noalias x, double2 *noalias y) {
  constexpr double halfRoot = 0.707106781186547524;
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 8)
    return;
  double2 v[8], a[4], b[4];
  int k = t % done, base = (t / done) * 8 * done + k;
  for (int r = 0; r < 8; ++r)
    v[r] = x[t + r * (n / 8)] * w[k * r];
  for (int r = 0; r < 4; ++r) {
    a[r] = v[r] + v[4 + r];
    b[r] = v[r] - v[4 + r];
  }
  b[1] = b[1] * make_double2(halfRoot, -halfRoot);
  b[2] = make_double2(b[2].y, -b[2].x);
  b[3] = b[3] * make_double2(-halfRoot, -halfRoot);
  byFours(a);
  byFours(b);
  for (int r = 0; r < 4; ++r) {
    y[base + 2 * r * done] = a[r];
    y[base + (2 * r + 1) * done] = b[r];
  }
}

// Sums of spherical harmonics over degrees, for both hemispheres: those of even and odd degree differ in signs only.
__global__ void synthesis(int top, int half, const double *noalias x, const double *noalias seed,
                          const double *noalias ratio, const double2 *noalias c, double2 *noalias g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = blockIdx.y;
  if (i >= half)
    return;
  double2 even = {0, 0}, odd = {0, 0};
  int first = m * (2 * top + 3 - m) / 2 - m;
  double now = seed[m] * pow(sqrt(1 - square(x[i])), m);
  double before = 0;
  for (int l = m; l <= top; l += 2) {
    even = even + now * c[first + l];
    if (l == top)
      break;
    double after = ratio[first + l + 1] * (x[i] * now - before);
    odd = odd + after * c[first + l + 1];
    before = now / ratio[first + l + 1];
    now = after;
    after = ratio[first + l + 2] * (x[i] * now - before);
    before = now / ratio[first + l + 2];
    now = after;
  }
  g[m * 2 * half + i] = even + odd;
  g[m * 2 * half + 2 * half - 1 - i] = even - odd;
}

__device__ inline void philox(uint64_t key, uint32_t *c) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * c[0], p1 = uint64_t(0xCD9E8D57u) * c[2];
    c[0] = uint32_t(p1 >> 32) ^ c[1] ^ k0;
    c[1] = uint32_t(p1);
    c[2] = uint32_t(p0 >> 32) ^ c[3] ^ k1;
    c[3] = uint32_t(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

__device__ inline void normals(const uint32_t *c, double *x) {
  double length = sqrt(-2 * log(((int64_t(c[0]) << 21) + (c[1] >> 11) + 0.5) / 9007199254740992.0));
  double angle = 6.28318530717958648 * (((int64_t(c[2]) << 21) + (c[3] >> 11) + 0.5) / 9007199254740992.0);
  x[0] = length * cos(angle);
  x[1] = length * sin(angle);
}

// Normal numbers from counters, by Philox with ten rounds and the method of Box and Muller.
__global__ void philoxNormals(int n, uint64_t key, double *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t c[4] = {uint32_t(i), 0, 0, 0};
  philox(key, c);
  normals(c, x + 2 * i);
}

// What changes a distribution over waves, places along the field and velocities: upwind streaming, drifts and mirrors.
__global__ void streaming(int nkx, int nky, int nz, int nv, const double *noalias velocity, const double *noalias drift,
                          const double *noalias mirror, const double2 *noalias g, double2 *noalias rate) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= nkx * nky * nz * nv)
    return;
  int own = at, waves = nkx * nky;
  int kx = at % nkx;
  at /= nkx;
  int ky = at % nky;
  at /= nky;
  int z = at % nz, v = at / nz;
  int wave = ky * nkx + kx;
  const double2 *here = g + (v + 1) * nz * waves + wave;
  int m1 = (z - 1 + nz) % nz, m2 = (z - 2 + nz) % nz, p1 = (z + 1) % nz, p2 = (z + 2) % nz;
  double2 slope;
  if (velocity[v] > 0)
    slope = (2 * here[p1 * waves] + 3 * here[z * waves] - 6 * here[m1 * waves] + here[m2 * waves]) / 6;
  else
    slope = (6 * here[p1 * waves] - here[p2 * waves] - 3 * here[z * waves] - 2 * here[m1 * waves]) / 6;
  rate[own] = -velocity[v] * slope -
              make_double2(0, 1) * (drift[z * waves + wave] * square(velocity[v]) * here[z * waves]) +
              0.5 * mirror[z] * (here[(nz + z) * waves] - here[(z - nz) * waves]);
}

std::vector<double> random(size_t count, int seed, double plus = 0, double times = 1) {
  std::vector<double> x(count);
  fill(x, seed);
  for (double &value : x)
    value = times * (value + plus);
  return x;
}

std::vector<float> randomFloats(size_t count, int seed, float times = 1, float plus = 0) {
  std::vector<float> x(count);
  fill(x, seed);
  for (float &value : x)
    value = times * value + plus;
  return x;
}

double2 *complex(DeviceArray<double> &parts) { return reinterpret_cast<double2 *>((double *)parts); }

void runTransport() {
  const int n = sized(160, 32, 12), wide = (n + 2) * (n + 2) * (n + 2), edges = (n + 1) * (n + 1) * (n + 1);
  DeviceArray<double> q(random(variables * wide, 1, -0.5)), b(random(3 * wide, 2, -0.5)), e(random(3 * edges, 3)),
      changed(3 * n * n * n);
  if (beginCase("update_faces", {.bytes = 72.0 * n * n * n})) {
    while (nextSample())
      updateFaces<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, 0.3, b, e, changed);
    endCase(checksum(changed.onHost()));
  }
  if (beginCase("edge_fields", {.bytes = 72.0 * n * n * n})) {
    while (nextSample())
      edgeFields<<<dim3((n + 32) / 32, (n + 4) / 4, n + 1), dim3(32, 4)>>>(n, q, 0.1, b, e);
    endCase(checksum(e.onHost()));
  }
}

void runRiemann() {
  const int n = sized(128, 32, 12), cells = (n + 1) * n * n;
  std::vector<double> q = random(variables * cells, 1);
  for (int i = 0; i < cells; ++i) {
    double *state = &q[variables * i];
    state[density] += 0.5;
    state[pressure] += 0.5;
    for (int m = vx; m <= vz; ++m)
      state[m] = 4 * state[m] - 2;
    for (int m = bx; m <= bz; ++m)
      state[m] = 2 * state[m] - 1;
  }
  DeviceArray<double> qD(q), f(variables * n * n * n);
  if (beginCase("hlld_fluxes", {.bytes = 128.0 * n * n * n})) {
    while (nextSample())
      hlldFluxes<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(n, n, n, qD, f);
    endCase(checksum(f.onHost()));
  }
}

void runQuarks() {
  const int n = sized(24, 8, 4), nt = sized(16, 6, 6), half = n * n * n * nt / 2;
  DeviceArray<double> u(random(144 * half, 1, -0.5)), psi(random(6 * half, 2)), chi(6 * half);
  if (beginCase("hop", {.bytes = (1152.0 + 96) * half, .flops = 570.0 * half})) {
    while (nextSample())
      hop<<<(half + 127) / 128, 128>>>(n, n, n, nt, 0, complex(u), complex(psi), complex(chi));
    endCase(checksum(chi.onHost()));
  }
}

void runPush() {
  const int n = sized(1 << 20, 1 << 13, 500), m = sized(64, 16, 8);
  DeviceArray<float> eb(randomFloats(6 * (m + 3) * (m + 3) * (m + 3), 1, 1, -0.5f)),
      x(randomFloats(3 * n, 2, m - 1, 1)), u(randomFloats(3 * n, 3)), moved(3 * n), turned(3 * n);
  if (beginCase("boris_push", {.bytes = 48.0 * n, .flops = 850.0 * n, .kind = 4})) {
    while (nextSample())
      borisPush<<<(n + 127) / 128, 128>>>(n, m, 0.5f, eb, x, u, moved, turned);
    endCase(checksum(moved.onHost()) + checksum(turned.onHost()));
  }
}

void runCurrents() {
  const int n = sized(1 << 18, 1 << 13, 500), m = sized(512, 32, 16), row = m + 5;
  std::vector<double> x0 = random(n, 1), z0 = random(n, 2), x1 = random(n, 3), z1 = random(n, 4);
  for (int i = 0; i < n; ++i) {
    x0[i] = 1 + (m - 2) * x0[i];
    z0[i] = 1 + (m - 2) * z0[i];
    x1[i] = x0[i] + 1.6 * (x1[i] - 0.5);
    z1[i] = z0[i] + 1.6 * (z1[i] - 0.5);
  }
  DeviceArray<double> x0D(x0), z0D(z0), x1D(x1), z1D(z1), vyD(random(n, 5)), charge(random(n, 6)), jx(row * row),
      jy(row * row), jz(row * row);
  auto reset = [&] {
    jx.clear();
    jy.clear();
    jz.clear();
  };
  auto step = [&] { depositCurrents<<<(n + 127) / 128, 128>>>(n, m, x0D, z0D, x1D, z1D, vyD, charge, jx, jy, jz); };
  reset();
  if (beginCase("deposit_currents", {.bytes = 48.0 * n + 24.0 * m * m})) {
    while (nextSample())
      step();
    reset();
    step();
    endCase(checksum(jx.onHost()) + checksum(jy.onHost()) + checksum(jz.onHost()));
  }
}

void runEights() {
  const int n = sized(1 << 23, 1 << 14, 1 << 9), done = sized(64, 64, 8);
  std::vector<double> w(16 * done);
  for (int r = 0; r < 8 * done; ++r) {
    double angle = -2 * pi * r / (8 * done);
    w[2 * r] = cos(angle);
    w[2 * r + 1] = sin(angle);
  }
  DeviceArray<double> x(random(2 * n, 1, -0.5)), y(2 * n), wD(w);
  if (beginCase("pass_by_eights", {.bytes = 32.0 * n})) {
    while (nextSample())
      passByEights<<<(n / 8 + 127) / 128, 128>>>(n, done, complex(wD), complex(x), complex(y));
    endCase(checksum(y.onHost()));
  }
}

void runHarmonics() {
  const int top = sized(767, 63, 15), half = sized(384, 32, 8), count = (top + 1) * (top + 2) / 2;
  std::vector<double> x(half), seed(top + 1), ratio(count + 1, 1);
  for (int i = 0; i < half; ++i)
    x[i] = (i + 0.5) / half;
  seed[0] = sqrt(0.25 / pi);
  for (int m = 1; m <= top; ++m)
    seed[m] = -seed[m - 1] * sqrt((2 * m + 1.0) / (2 * m));
  // Degrees and orders follow each other; each order begins with its own degree.
  for (int m = 0; m <= top; ++m)
    for (int l = m + 1; l <= top; ++l)
      ratio[m * (2 * top + 3 - m) / 2 - m + l] = sqrt((4.0 * l * l - 1) / (double(l) * l - double(m) * m));
  DeviceArray<double> xD(x), seedD(seed), ratioD(ratio), c(random(2 * (count + 1), 1, -0.5)), g(4 * half * (top + 1));
  if (beginCase("synthesis", {.flops = 8.0 * count * half})) {
    while (nextSample())
      synthesis<<<dim3((half + 63) / 64, top + 1), 64>>>(top, half, xD, seedD, ratioD, complex(c), complex(g));
    double total = 0;
    std::vector<double> parts = g.onHost();
    for (size_t i = 0; i < parts.size(); i += 2)
      total += parts[i] + 2 * parts[i + 1];
    endCase(total);
  }
}

void runPhilox() {
  const int n = sized(1 << 22, 1 << 14, 1000);
  DeviceArray<double> x(2 * n);
  if (beginCase("philox_normals", {.bytes = 16.0 * n})) {
    while (nextSample())
      philoxNormals<<<(n + 255) / 256, 256>>>(n, 0, x);
    double total = 0;
    for (double value : x.onHost())
      total += fabs(value);
    endCase(total);
  }
}

void runLines() {
  const int lines = sized(1 << 17, 1 << 11, 300), n = sized(128, 24, 12), steps = sized(32, 16, 8);
  DeviceArray<float> b(randomFloats(3 * n * n * n, 1, 1, -0.5f)), first(randomFloats(3 * lines, 2, n - 4, 2.5f)),
      last(3 * lines);
  DeviceArray<int> used(lines);
  if (beginCase("trace_lines", {.flops = 400.0 * lines * steps, .kind = 4})) {
    while (nextSample())
      traceLines<<<(lines + 127) / 128, 128>>>(lines, n, steps, 0.125f, b, first, last, used);
    endCase(checksum(last.onHost()) + sum(used.onHost()));
  }
}

void runStreaming() {
  const int nkx = sized(64, 16, 8), nky = sized(32, 8, 4), nz = sized(64, 16, 6), nv = sized(40, 12, 6),
            plane = nkx * nky * nz;
  std::vector<double> velocity(nv);
  for (int v = 0; v < nv; ++v)
    velocity[v] = 4 * (v + 0.5) / nv - 2;
  DeviceArray<double> g(random(2 * plane * (nv + 2), 1)), drift(random(plane, 2)), mirror(random(nz, 3)),
      velocityD(velocity), rate(2 * plane * nv);
  if (beginCase("streaming", {.bytes = 32.0 * plane * nv})) {
    while (nextSample())
      streaming<<<(plane * nv + 255) / 256, 256>>>(nkx, nky, nz, nv, velocityD, drift, mirror, complex(g),
                                                   complex(rate));
    double total = 0;
    std::vector<double> parts = rate.onHost();
    for (size_t i = 0; i < parts.size(); i += 2)
      total += parts[i] + 3 * parts[i + 1];
    endCase(total);
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runTransport();
  runRiemann();
  runQuarks();
  runPush();
  runCurrents();
  runEights();
  runHarmonics();
  runPhilox();
  runLines();
  runStreaming();
  return finish();
}
