// The same kernels as in the twin, studies.cuf.
#include "studies_common.h"
#include <cuComplex.h>

constexpr int levels = 40, tx27 = 32, ty27 = 8;

// A link of a lattice gauge field, by columns.
struct SU3 {
  cuDoubleComplex e[3][3];
};

struct ContactLaw {
  double kn, kt, gammaN, gammaT, friction;
};

// A node of a tree of boxes; leaves have no right child, and the number of their sphere on the left.
struct Node {
  float lo[3], hi[3];
  int left, right;
};

// Weights of the centre, of faces, edges and corners.
__constant__ double weight[4];

// --- gauge field ---

__device__ inline SU3 productOf(const SU3 &a, const SU3 &b) {
  SU3 c;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      c.e[j][i] = make_cuDoubleComplex(0, 0);
      for (int k = 0; k < 3; ++k)
        c.e[j][i] = cuCadd(c.e[j][i], cuCmul(a.e[k][i], b.e[j][k]));
    }
  return c;
}

// Real part of the trace of a times the adjoint of b.
__device__ inline double traceWithAdjoint(const SU3 &a, const SU3 &b) {
  double trace = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      trace += cuCreal(cuCmul(a.e[j][i], cuConj(b.e[j][i])));
  return trace;
}

__global__ void plaquette(int volume, const int *noalias forward, const SU3 *noalias u, double *noalias action) {
  int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= volume)
    return;
  double total = 0;
  for (int mu = 0; mu < 3; ++mu)
    for (int nu = mu + 1; nu < 4; ++nu) {
      SU3 a = productOf(u[mu * volume + site], u[nu * volume + forward[mu * volume + site]]);
      SU3 b = productOf(u[nu * volume + site], u[mu * volume + forward[nu * volume + site]]);
      total += 1 - traceWithAdjoint(a, b) / 3;
    }
  action[site] = total;
}

// --- torsions ---

__global__ void setZero(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 0;
}

__device__ inline float3 cross(float3 a, float3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ inline float3 operator*(float s, float3 a) { return {s * a.x, s * a.y, s * a.z}; }

__device__ inline float3 operator+(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

__device__ inline float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

__device__ inline float3 operator-(float3 a) { return {-a.x, -a.y, -a.z}; }

__device__ inline float3 load3(const float *x, int i) { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }

__device__ inline void add3(float *f, int i, float3 a) {
  atomicAdd(&f[3 * i], a.x);
  atomicAdd(&f[3 * i + 1], a.y);
  atomicAdd(&f[3 * i + 2], a.z);
}

// The angle between the planes of b1, b2 and of b2, b3, and their normals.
__device__ inline void torsionAngle(float3 b1, float3 b2, float3 b3, float3 &m, float3 &n, float &length2, float &phi) {
  m = cross(b1, b2);
  n = cross(b2, b3);
  length2 = sqrtf(dot(b2, b2));
  phi = atan2f(length2 * dot(b1, n), dot(m, n));
}

// Forces of torsions of three kinds, added to atoms.
__global__ void torsions(int count, const int *noalias quads, const int8_t *noalias kinds,
                         const float *noalias constants, const float *noalias x, float *noalias f) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= count)
    return;
  int i1 = quads[4 * q], i2 = quads[4 * q + 1], i3 = quads[4 * q + 2], i4 = quads[4 * q + 3];
  float3 b1 = load3(x, i2) - load3(x, i1);
  float3 b2 = load3(x, i3) - load3(x, i2);
  float3 b3 = load3(x, i4) - load3(x, i3);
  float3 m, n;
  float length2, phi, slope, c;
  torsionAngle(b1, b2, b3, m, n, length2, phi);
  const float *k = &constants[3 * q];
  switch (kinds[q]) {
  case 1:
    slope = -k[0] * k[1] * sinf(k[1] * phi - k[2]);
    break;
  case 2:
    slope = -2 * k[0] * (cosf(phi) - k[1]) * sinf(phi);
    break;
  case 3:
    c = cosf(phi);
    slope = -sinf(phi) * (k[0] + c * (2 * k[1] + c * 3 * k[2]));
    break;
  default:
    slope = 0;
  }
  float3 f1 = -slope * length2 / fmaxf(dot(m, m), 0.05f) * m;
  float3 f4 = slope * length2 / fmaxf(dot(n, n), 0.05f) * n;
  float s = dot(b1, b2) / (length2 * length2);
  float t = dot(b3, b2) / (length2 * length2);
  float3 f2 = -f1 - s * f1 + t * f4;
  float3 f3 = -f4 + s * f1 - t * f4;
  add3(f, i1, f1);
  add3(f, i2, f2);
  add3(f, i3, f3);
  add3(f, i4, f4);
}

// --- warm rain ---

// Kessler's scheme: rain falls by steps short enough, then cloud becomes rain, vapour condenses and rain evaporates.
__global__ void kessler(int ims, int ime, int kms, int kme, int jms, int jme, int its, int ite, int kts, int kte,
                        int jts, int jte, float dt, float dz, const float *noalias th, const float *noalias qv,
                        const float *noalias qc, const float *noalias qr, const float *noalias rho,
                        const float *noalias pii, float *noalias thNew, float *noalias qvNew, float *noalias qcNew,
                        float *noalias qrNew, float *noalias rain) {
  constexpr float c1 = 0.001f, c2 = 0.001f, c3 = 2.2f, c4 = 0.875f, maxCourant = 0.8f;
  constexpr float lvOverCp = 2.5e6f / 1004.5f, p0 = 1e5f, rOverCp = 287.0f / 1004.5f;
  int i = its + blockIdx.x * blockDim.x + threadIdx.x, j = jts + blockIdx.y * blockDim.y + threadIdx.y;
  if (i > ite || j > jte)
    return;
  int ni = ime - ims + 1, nk = kme - kms + 1;
  auto at = [=](int k) { return ((j - jms) * nk + k - kms) * ni + i - ims; };
  float fall[levels], qrl[levels], greatest = 0;
  float rhoLowest = rho[at(kts)];
  for (int k = kts; k <= kte; ++k) {
    qrl[k - kts] = qr[at(k)];
    float rain = fmaxf(0, qrl[k - kts] * 0.001f * rho[at(k)]);
    fall[k - kts] = 36.34f * powf(rain, 0.1364f) * sqrtf(rhoLowest / rho[at(k)]);
    greatest = fmaxf(greatest, fall[k - kts]);
  }
  int steps = max(1, int(roundf(0.5f + greatest * dt / (maxCourant * dz))));
  float dtFall = dt / steps, total = 0;
  int top = kte - kts;
  for (int n = 1; n <= steps; ++n) {
    total = total + rhoLowest * qrl[0] * fall[0] * dtFall;
    float flux = rhoLowest * qrl[0] * fall[0];
    for (int k = kts; k < kte; ++k) {
      float fluxAbove = rho[at(k + 1)] * qrl[k + 1 - kts] * fall[k + 1 - kts];
      qrl[k - kts] = fmaxf(0, qrl[k - kts] + dtFall / dz * (fluxAbove - flux) / rho[at(k)]);
      flux = fluxAbove;
    }
    qrl[top] = fmaxf(0, qrl[top] - dtFall / dz * qrl[top] * fall[top]);
  }
  rain[(j - jms) * ni + i - ims] = total;
  for (int k = kts; k <= kte; ++k) {
    int a = at(k);
    float q = qrl[k - kts];
    float factor = 1 / (1 + c3 * dt * powf(fmaxf(0, q), c4));
    float made = qc[a] * (1 - factor) + factor * c1 * dt * fmaxf(qc[a] - c2, 0);
    float cloud = fmaxf(0, qc[a] - made);
    q = fmaxf(0, q + made);
    float vapour = qv[a];
    float temperature = pii[a] * th[a];
    float pressure = p0 * powf(pii[a], 1 / rOverCp);
    float es = 611.2f * expf(17.67f * (temperature - 273.15f) / (temperature - 29.65f));
    float qvs = 0.622f * es / (pressure - es);
    thNew[a] = th[a];
    qvNew[a] = vapour;
    qcNew[a] = cloud;
    qrNew[a] = q;
    if (vapour < qvs && cloud <= 0 && q <= 0)
      continue;
    float colder = temperature - 29.65f;
    float change = (vapour - qvs) / (1 + 4093.0f * lvOverCp * qvs / (colder * colder));
    float evaporated = 0;
    if (change + cloud < 0) {
      float gain = 1.6f + 124.9f * powf(c1 * rho[a] * q, 0.2046f);
      evaporated = dt * gain * powf(c1 * rho[a] * q, 0.525f) * (qvs - vapour) /
                   (2.55e8f / (pressure * qvs) + 5.4e5f) / (c1 * rho[a] * qvs);
      evaporated = fminf(fminf(evaporated, -change - cloud), q);
    }
    change = fmaxf(change, -cloud);
    thNew[a] = th[a] + lvOverCp / pii[a] * (change - evaporated);
    qvNew[a] = vapour - change + evaporated;
    qcNew[a] = cloud + change;
    qrNew[a] = q - evaporated;
  }
}

// --- stencil of 27 points ---

// A plane with its halo goes to shared memory.
__device__ inline void loadPlane(int nx, int ny, int nz, int plane, const double *a, double s[ty27 + 2][tx27 + 2]) {
  for (int jj = threadIdx.y; jj < ty27 + 2; jj += ty27)
    for (int ii = threadIdx.x; ii < tx27 + 2; ii += tx27) {
      int gi = blockIdx.x * tx27 + ii, gj = blockIdx.y * ty27 + jj;
      if (gi <= nx + 1 && gj <= ny + 1 && plane <= nz + 1)
        s[jj][ii] = a[(plane * (ny + 2) + gj) * (nx + 2) + gi];
    }
}

// Three planes are kept in shared memory, in a ring; a block goes up through depth planes.
__global__ void ring27(int nx, int ny, int nz, int depth, const double *noalias a, double *noalias b) {
  __shared__ double s[3][ty27 + 2][tx27 + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, i = blockIdx.x * tx27 + tx, j = blockIdx.y * ty27 + ty;
  int first = blockIdx.z * depth + 1, lower = 0, middle = 1, upper = 2;
  loadPlane(nx, ny, nz, first - 1, a, s[lower]);
  loadPlane(nx, ny, nz, first, a, s[middle]);
  for (int k = first; k <= min(first + depth - 1, nz); ++k) {
    loadPlane(nx, ny, nz, k + 1, a, s[upper]);
    __syncthreads();
    if (i <= nx && j <= ny) {
      double faces = s[middle][ty][tx - 1] + s[middle][ty][tx + 1] + s[middle][ty - 1][tx] + s[middle][ty + 1][tx] +
                     s[lower][ty][tx] + s[upper][ty][tx];
      double edges = s[middle][ty - 1][tx - 1] + s[middle][ty - 1][tx + 1] + s[middle][ty + 1][tx - 1] +
                     s[middle][ty + 1][tx + 1] + s[lower][ty][tx - 1] + s[lower][ty][tx + 1] + s[lower][ty - 1][tx] +
                     s[lower][ty + 1][tx] + s[upper][ty][tx - 1] + s[upper][ty][tx + 1] + s[upper][ty - 1][tx] +
                     s[upper][ty + 1][tx];
      double corners = s[lower][ty - 1][tx - 1] + s[lower][ty - 1][tx + 1] + s[lower][ty + 1][tx - 1] +
                       s[lower][ty + 1][tx + 1] + s[upper][ty - 1][tx - 1] + s[upper][ty - 1][tx + 1] +
                       s[upper][ty + 1][tx - 1] + s[upper][ty + 1][tx + 1];
      b[(k * (ny + 2) + j) * (nx + 2) + i] =
          weight[0] * s[middle][ty][tx] + weight[1] * faces + weight[2] * edges + weight[3] * corners;
    }
    __syncthreads();
    int swap = lower;
    lower = middle;
    middle = upper;
    upper = swap;
  }
}

// --- grains ---

// Forces and torques of contacts with damping, springs along the surface that remember, and friction.
__global__ void contacts(int count, ContactLaw law, double dt, const int *noalias start, const int *noalias neighbour,
                         const double *noalias x, const double *noalias v, const double *noalias omega,
                         const double *noalias radius, const double *noalias history, double *noalias historyNew,
                         double *noalias force, double *noalias torque) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double xi[3], vi[3], wi[3], fTotal[3] = {}, tTotal[3] = {};
  for (int c = 0; c < 3; ++c) {
    xi[c] = x[3 * i + c];
    vi[c] = v[3 * i + c];
    wi[c] = omega[3 * i + c];
  }
  double ri = radius[i];
  for (int p = start[i]; p < start[i + 1]; ++p) {
    int j = neighbour[p];
    double rj = radius[j], d[3], n[3], w[3], vRel[3], vT[3], spring[3], fT[3];
    for (int c = 0; c < 3; ++c)
      d[c] = xi[c] - x[3 * j + c];
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 >= (ri + rj) * (ri + rj)) {
      for (int c = 0; c < 3; ++c)
        historyNew[3 * p + c] = 0;
      continue;
    }
    double r = sqrt(r2), delta = ri + rj - r;
    for (int c = 0; c < 3; ++c) {
      n[c] = d[c] / r;
      w[c] = ri * wi[c] + rj * omega[3 * j + c];
      vRel[c] = vi[c] - v[3 * j + c];
    }
    vRel[0] -= w[1] * n[2] - w[2] * n[1];
    vRel[1] -= w[2] * n[0] - w[0] * n[2];
    vRel[2] -= w[0] * n[1] - w[1] * n[0];
    double vN = vRel[0] * n[0] + vRel[1] * n[1] + vRel[2] * n[2];
    for (int c = 0; c < 3; ++c)
      vT[c] = vRel[c] - vN * n[c];
    double root = sqrt(delta * ri * rj / (ri + rj));
    double fN = fmax(root * (law.kn * delta - law.gammaN * vN), 0.0);
    for (int c = 0; c < 3; ++c)
      spring[c] = history[3 * p + c] + vT[c] * dt;
    double along = spring[0] * n[0] + spring[1] * n[1] + spring[2] * n[2];
    for (int c = 0; c < 3; ++c) {
      spring[c] = spring[c] - along * n[c];
      fT[c] = -root * (law.kt * spring[c] + law.gammaT * vT[c]);
    }
    double sizeT = sqrt(fT[0] * fT[0] + fT[1] * fT[1] + fT[2] * fT[2]);
    double most = law.friction * fN;
    if (sizeT > most)
      for (int c = 0; c < 3; ++c) {
        fT[c] = fT[c] * (most / sizeT);
        spring[c] = -(fT[c] / root + law.gammaT * vT[c]) / law.kt;
      }
    for (int c = 0; c < 3; ++c) {
      historyNew[3 * p + c] = spring[c];
      fTotal[c] += fN * n[c] + fT[c];
    }
    tTotal[0] -= ri * (n[1] * fT[2] - n[2] * fT[1]);
    tTotal[1] -= ri * (n[2] * fT[0] - n[0] * fT[2]);
    tTotal[2] -= ri * (n[0] * fT[1] - n[1] * fT[0]);
  }
  for (int c = 0; c < 3; ++c) {
    force[3 * i + c] = fTotal[c];
    torque[3 * i + c] = tTotal[c];
  }
}

// --- trajectories ---

// Velocity at a place by bilinear interpolation; the wind adds a part of itself, if there is one.
__device__ inline bool velocityAt(int nx, int ny, const float *u, const float *v, float x, float y, float &ux,
                                  float &vy, const float *wind = nullptr) {
  bool inside = x >= 0 && y >= 0 && x < nx - 1 && y < ny - 1;
  ux = 0;
  vy = 0;
  if (!inside)
    return false;
  int i = int(x), j = int(y), at = j * nx + i;
  float fx = x - i, fy = y - j;
  ux = (1 - fy) * ((1 - fx) * u[at] + fx * u[at + 1]) + fy * ((1 - fx) * u[at + nx] + fx * u[at + nx + 1]);
  vy = (1 - fy) * ((1 - fx) * v[at] + fx * v[at + 1]) + fy * ((1 - fx) * v[at + nx] + fx * v[at + nx + 1]);
  if (wind) {
    ux = ux + 0.03f * wind[0];
    vy = vy + 0.03f * wind[1];
  }
  return true;
}

// Drifters go with currents by Runge and Kutta's method until they leave the area.
__global__ void drift(int n, int steps, float dt, float windX, float windY, int nx, int ny, const float *noalias u,
                      const float *noalias v, const float *noalias x, const float *noalias y, float *noalias xEnd,
                      float *noalias yEnd, int8_t *noalias status) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n)
    return;
  float px = x[p], py = y[p], k1[2], k2[2], k3[2], k4[2];
  const float wind[2] = {windX, windY};
  status[p] = 0;
  int step;
  for (step = 1; step <= steps; ++step) {
    if (!velocityAt(nx, ny, u, v, px, py, k1[0], k1[1], wind))
      break;
    if (!velocityAt(nx, ny, u, v, px + 0.5f * dt * k1[0], py + 0.5f * dt * k1[1], k2[0], k2[1]))
      break;
    if (!velocityAt(nx, ny, u, v, px + 0.5f * dt * k2[0], py + 0.5f * dt * k2[1], k3[0], k3[1]))
      break;
    if (!velocityAt(nx, ny, u, v, px + dt * k3[0], py + dt * k3[1], k4[0], k4[1], wind))
      break;
    px = px + dt / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
    py = py + dt / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
  }
  if (step <= steps)
    status[p] = 1;
  xEnd[p] = px;
  yEnd[p] = py;
}

// --- condensate ---

// A step of the equation of Gross and Pitaevskii: kinetic energy, then the phase of trap and density.
__global__ void condensateStep(int nx, int ny, int nz, double dt, double strength, double halfH2,
                               const cuDoubleComplex *noalias psi, const double *noalias trap,
                               cuDoubleComplex *noalias psiNext) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i > nx || j > ny || k > nz)
    return;
  int y = nx + 2, z = (nx + 2) * (ny + 2), at = k * z + j * y + i;
  cuDoubleComplex own = psi[at];
  cuDoubleComplex laplacian =
      cuCadd(cuCadd(cuCadd(cuCadd(cuCadd(psi[at - 1], psi[at + 1]), psi[at - y]), psi[at + y]), psi[at - z]),
             psi[at + z]);
  laplacian = cuCsub(laplacian, make_cuDoubleComplex(6 * own.x, 6 * own.y));
  cuDoubleComplex now = cuCadd(own, cuCmul(make_cuDoubleComplex(0, dt * halfH2), laplacian));
  double phase = dt * (trap[((k - 1) * ny + j - 1) * nx + i - 1] + strength * (now.x * now.x + now.y * now.y));
  psiNext[at] = cuCmul(make_cuDoubleComplex(cos(phase), -sin(phase)), now);
}

// --- rays through a tree ---

// Whether a ray meets a box before it has gone far.
__device__ inline bool meetsBox(const Node &box, const float origin[3], const float inverse[3], float far) {
  float enter = 0, leave = far;
  for (int d = 0; d < 3; ++d) {
    float t0 = (box.lo[d] - origin[d]) * inverse[d];
    float t1 = (box.hi[d] - origin[d]) * inverse[d];
    enter = fmaxf(enter, fminf(t0, t1));
    leave = fminf(leave, fmaxf(t0, t1));
  }
  return enter <= leave;
}

// The nearest sphere on rays from the pixels of a picture. Numbers of nodes and spheres count from 1.
__global__ void trace(int width, int height, float scale, const Node *noalias nodes, const float *noalias spheres,
                      int *noalias hit, float *noalias depth) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  int stack[32], top = 0, nearest = 0;
  const float origin[3] = {(px + 0.5f) * scale, (py + 0.5f) * scale, -1};
  const float direction[3] = {0.1f, 0.05f, 0.99373f};
  float inverse[3], from[3], far = 1e30f;
  for (int d = 0; d < 3; ++d)
    inverse[d] = 1 / direction[d];
  stack[top++] = 1;
  while (top > 0) {
    const Node &node = nodes[stack[--top] - 1];
    if (!meetsBox(node, origin, inverse, far))
      continue;
    if (node.right > 0) {
      stack[top++] = node.right;
      stack[top++] = node.left;
      continue;
    }
    const float *sphere = &spheres[4 * (node.left - 1)];
    for (int d = 0; d < 3; ++d)
      from[d] = origin[d] - sphere[d];
    float b = from[0] * direction[0] + from[1] * direction[1] + from[2] * direction[2];
    float c = from[0] * from[0] + from[1] * from[1] + from[2] * from[2] - sphere[3] * sphere[3];
    float discriminant = b * b - c;
    if (discriminant < 0)
      continue;
    float t = -b - sqrtf(discriminant);
    if (t > 0 && t < far) {
      far = t;
      nearest = node.left;
    }
  }
  hit[py * width + px] = nearest;
  depth[py * width + px] = nearest > 0 ? far : 0;
}

// --- cases ---

void runPlaquette() {
  const int n = sized(24, 6, 4), volume = n * n * n * n;
  std::vector<double> parts = random(size_t(72) * volume, 1, 1.0, -0.5);
  std::vector<SU3> u(4 * volume);
  memcpy(u.data(), parts.data(), parts.size() * sizeof(double));
  std::vector<int> forward(4 * volume);
  for (int site = 0; site < volume; ++site)
    for (int mu = 0, stride = 1; mu < 4; ++mu, stride *= n)
      forward[mu * volume + site] = site + (site / stride % n < n - 1 ? stride : stride * (1 - n));
  DeviceArray<SU3> uD(u);
  DeviceArray<int> forwardD(forward);
  DeviceArray<double> action(volume);
  if (beginCase("plaquette", {.bytes = 600.0 * volume})) {
    while (nextSample())
      plaquette<<<(volume + 127) / 128, 128>>>(volume, forwardD, uD, action);
    endCase(checksum(action.onHost()));
  }
}

void runTorsions() {
  const int atoms = sized(1 << 20, 1 << 13, 500), count = 2 * atoms;
  std::vector<int> r = randomInts(count, 81, 1), quads(4 * count);
  std::vector<float> constants = random(3 * count, 2, 1.0f), x = random(3 * atoms, 3, 0.3f);
  std::vector<int8_t> kinds(count);
  for (int i = 1; i <= atoms; ++i) {
    x[3 * i - 3] += i % 7;
    x[3 * i - 2] += i % 5;
    x[3 * i - 1] += 3 * i % 11;
  }
  for (int q = 1; q <= count; ++q) {
    int base = (q - 1) / 2 % (atoms - 16), s = r[q - 1], *quad = &quads[4 * (q - 1)];
    quad[0] = base;
    quad[1] = base + 1 + s % 3;
    quad[2] = base + 4 + s / 3 % 3;
    quad[3] = base + 7 + s / 9 % 3;
    kinds[q - 1] = 1 + (s / 27 + q / 64) % 3;
    if (kinds[q - 1] == 1)
      constants[3 * (q - 1) + 1] = 1 + q % 3;
  }
  DeviceArray<int> quadsD(quads);
  DeviceArray<int8_t> kindsD(kinds);
  DeviceArray<float> constantsD(constants), xD(x), f(3 * atoms);
  if (beginCase("torsions", {.bytes = 29.0 * count + 36.0 * atoms, .kind = 4})) {
    while (nextSample()) {
      setZero<<<(3 * atoms + 255) / 256, 256>>>(3 * atoms, f);
      torsions<<<(count + 127) / 128, 128>>>(count, quadsD, kindsD, constantsD, xD, f);
    }
    endCase(magnitudes(f.onHost()));
  }
}

void runKessler() {
  const int nx = sized(512, 60, 20), ny = sized(256, 40, 10), ime = nx + 3, jme = ny + 3, ni = nx + 6, nj = ny + 6;
  const size_t all = size_t(ni) * levels * nj;
  std::vector<float> th = random(all, 1, 1.0f), qv = random(all, 2, 1.0f), qc = random(all, 3, 1.0f),
                     qr = random(all, 4, 1.0f), rho(all), pii(all);
  size_t a = 0;
  for (int j = 0; j < nj; ++j)
    for (int k = 1; k <= levels; ++k)
      for (int i = 0; i < ni; ++i, ++a) {
        pii[a] = 1 - 0.01f * k;
        rho[a] = 1.2f - 0.02f * k;
        th[a] = 290 + 0.9f * k + 2 * th[a];
        qv[a] = 0.016f * qv[a] * (1 - 0.02f * k);
        qc[a] = std::max(0.0f, 0.004f * qc[a] - 0.002f);
        qr[a] = std::max(0.0f, 0.006f * qr[a] - 0.004f);
      }
  DeviceArray<float> thD(th), qvD(qv), qcD(qc), qrD(qr), rhoD(rho), piiD(pii), thNew(all), qvNew(all), qcNew(all),
      qrNew(all), rain(ni * nj);
  thNew.clear();
  qvNew.clear();
  qcNew.clear();
  qrNew.clear();
  rain.clear();
  if (beginCase("kessler", {.bytes = (40.0 * levels + 4) * nx * ny, .kind = 4})) {
    while (nextSample())
      kessler<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(-2, ime, 1, levels, -2, jme, 1, nx, 1, levels, 1, ny,
                                                                  20.0f, 250.0f, thD, qvD, qcD, qrD, rhoD, piiD, thNew,
                                                                  qvNew, qcNew, qrNew, rain);
    endCase(checksum(qvNew.onHost()) + checksum(qcNew.onHost()) + checksum(qrNew.onHost()) +
            checksum(thNew.onHost()) / 1000 + checksum(rain.onHost()));
  }
}

void runRing() {
  const int n = sized(256, 40, 20), depth = 32, wide = n + 2;
  const double w[4] = {0.5, 0.04, 0.015, 0.01};
  cudaMemcpyToSymbol(weight, w, sizeof w);
  DeviceArray<double> a(random(size_t(wide) * wide * wide, 1, 1.0)), b(size_t(wide) * wide * wide);
  b.clear();
  if (beginCase("ring27", {.bytes = 16.0 * n * n * n})) {
    while (nextSample())
      ring27<<<dim3((n + tx27 - 1) / tx27, (n + ty27 - 1) / ty27, (n + depth - 1) / depth), dim3(tx27, ty27)>>>(
          n, n, n, depth, a, b);
    endCase(checksum(b.onHost()));
  }
}

void runGrains() {
  const int n = sized(64, 12, 6), count = n * n * n;
  const double dt = 0.01;
  const int step[14][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1}, {1, 1, 0},
                           {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {0, 1, 1},  {0, -1, -1}, {1, 0, 1},  {-1, 0, -1}};
  std::vector<int> start = randomInts(count + 1, 9, 5), neighbour;
  std::vector<double> x = random(3 * count, 1, 0.3);
  int pairs = 0;
  for (int &s : start) {
    int m = s + 6;
    s = pairs;
    pairs += m;
  }
  pairs = start[count];
  neighbour.resize(pairs);
  for (int i = 0; i < count; ++i) {
    const int c[3] = {i % n, i / n % n, i / (n * n)};
    for (int d = 0; d < 3; ++d)
      x[3 * i + d] += c[d];
    for (int p = start[i]; p < start[i + 1]; ++p) {
      int b[3];
      for (int d = 0; d < 3; ++d)
        b[d] = (c[d] + step[p - start[i]][d] + n) % n;
      neighbour[p] = b[0] + n * (b[1] + n * b[2]);
    }
  }
  const ContactLaw law = {100, 70, 2, 1, 0.4};
  DeviceArray<int> startD(start), neighbourD(neighbour);
  DeviceArray<double> xD(x), v(random(3 * count, 2, 1.0, -0.5)), omega(random(3 * count, 3, 1.0, -0.5)),
      radius(random(count, 4, 0.1, 0.5)), history(random(3 * pairs, 6, 0.02, -0.01)), historyNew(3 * pairs),
      force(3 * count), torque(3 * count);
  if (beginCase("contacts", {.bytes = 52.0 * pairs + 132.0 * count})) {
    while (nextSample())
      contacts<<<(count + 127) / 128, 128>>>(count, law, dt, startD, neighbourD, xD, v, omega, radius, history,
                                             historyNew, force, torque);
    endCase(magnitudes(force.onHost()) + magnitudes(torque.onHost()) + magnitudes(historyNew.onHost()));
  }
}

void runDrift() {
  const int n = sized(1 << 18, 1 << 11, 400), m = sized(1023, 127, 31), wide = m + 1, steps = 20;
  DeviceArray<float> u(random(wide * wide, 1, 2.0f, -1.0f)), v(random(wide * wide, 2, 2.0f, -1.0f)),
      x(random(n, 3, float(m))), y(random(n, 4, float(m))), xEnd(n), yEnd(n);
  DeviceArray<int8_t> status(n);
  if (beginCase("drift", {.bytes = 17.0 * n + 8.0 * wide * wide, .kind = 4})) {
    while (nextSample())
      drift<<<(n + 255) / 256, 256>>>(n, steps, 0.25f, 3.0f, -2.0f, wide, wide, u, v, x, y, xEnd, yEnd, status);
    endCase(checksum(xEnd.onHost()) + checksum(yEnd.onHost()) + sum(status.onHost()));
  }
}

void runCondensate() {
  const int n = sized(192, 30, 14), wide = n + 2;
  const size_t all = size_t(wide) * wide * wide;
  std::vector<double> parts = random(2 * all, 1, 1.0);
  std::vector<cuDoubleComplex> psi(all);
  memcpy(psi.data(), parts.data(), parts.size() * sizeof(double));
  DeviceArray<cuDoubleComplex> psiD(psi), psiNext(all);
  DeviceArray<double> trap(random(size_t(n) * n * n, 2, 30.0));
  psiNext.clear();
  if (beginCase("condensate", {.bytes = 40.0 * n * n * n})) {
    while (nextSample())
      condensateStep<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), dim3(32, 4, 2)>>>(n, n, n, 1e-3, 20, 50, psiD,
                                                                                        trap, psiNext);
    psi = psiNext.onHost();
    memcpy(parts.data(), psi.data(), parts.size() * sizeof(double));
    endCase(checksum(parts));
  }
}

void runTrace() {
  const int bits = sized(16, 10, 8), count = 1 << bits, width = sized(768, 64, 24);
  std::vector<Node> nodes(2 * count - 1);
  std::vector<float> spheres = random(4 * count, 1, 1.0f);
  for (int s = 0; s < count; ++s) {
    int c[3] = {};
    for (int bit = 0; bit < bits; ++bit)
      c[bit % 3] += (s >> bit & 1) << bit / 3;
    for (int d = 0; d < 3; ++d)
      spheres[4 * s + d] += c[d];
    spheres[4 * s + 3] = 0.1f + 0.15f * spheres[4 * s + 3];
  }
  for (int i = 2 * count - 1; i >= 1; --i) {
    Node &node = nodes[i - 1];
    for (int d = 0; d < 3; ++d)
      if (i >= count) {
        const float *s = &spheres[4 * (i - count)];
        node.lo[d] = s[d] - s[3];
        node.hi[d] = s[d] + s[3];
        node.left = i - count + 1;
        node.right = 0;
      } else {
        node.lo[d] = std::min(nodes[2 * i - 1].lo[d], nodes[2 * i].lo[d]);
        node.hi[d] = std::max(nodes[2 * i - 1].hi[d], nodes[2 * i].hi[d]);
        node.left = 2 * i;
        node.right = 2 * i + 1;
      }
  }
  const float scale = float(1 << (bits + 2) / 3) / width;
  DeviceArray<Node> nodesD(nodes);
  DeviceArray<float> spheresD(spheres), depth(width * width);
  DeviceArray<int> hit(width * width);
  if (beginCase("trace", {.bytes = 8.0 * width * width + 80.0 * count, .kind = 4})) {
    while (nextSample())
      trace<<<dim3((width + 7) / 8, (width + 7) / 8), dim3(8, 8)>>>(width, width, scale, nodesD, spheresD, hit, depth);
    endCase(checksum(depth.onHost()) + sum(hit.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runPlaquette();
  runTorsions();
  runKessler();
  runRing();
  runGrains();
  runDrift();
  runCondensate();
  runTrace();
  return finish();
}
