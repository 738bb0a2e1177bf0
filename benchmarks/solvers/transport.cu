// Kernels written by hand for the loops and array expressions of the twin, transport.cuf.
#include "solvers_common.h"

constexpr int pml = 20;

struct Primitive {
  double r, u, p;
};

// Velocities that take back the diffusion of upwind fluxes.
__global__ void antidiffusion(int nx, int ny, double eps, const double *noalias h, const double *noalias u,
                              const double *noalias v, double *noalias ua, double *noalias va) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int row = nx + 2, at = (j + 1) * row + i + 1, to = j * nx + i;
  double across = 0.25 * (v[at] + v[at + 1] + v[at - row] + v[at - row + 1]);
  double x = u[at], y = v[at];
  ua[to] = (fabs(x) - x * x) * (h[at + 1] - h[at]) / (h[at + 1] + h[at] + eps) -
           0.5 * x * across * (h[at + row + 1] + h[at + row] - h[at - row + 1] - h[at - row]) /
               (h[at + row + 1] + h[at + row] + h[at - row + 1] + h[at - row] + eps);
  across = 0.25 * (u[at] + u[at + row] + u[at - 1] + u[at + row - 1]);
  va[to] = (fabs(y) - y * y) * (h[at + row] - h[at]) / (h[at + row] + h[at] + eps) -
           0.5 * y * across * (h[at + row + 1] + h[at + 1] - h[at + row - 1] - h[at - 1]) /
               (h[at + row + 1] + h[at + 1] + h[at + row - 1] + h[at - 1] + eps);
}

// A wave into the state k, and its derivative by the pressure between the waves.
__device__ inline void wave(double p, const Primitive &k, double c, double &value, double &slope) {
  if (p > k.p) {
    double a = (2 / 2.4) / k.r, b = (0.4 / 2.4) * k.p;
    double root = sqrt(a / (p + b));
    value = (p - k.p) * root;
    slope = root * (1 - 0.5 * (p - k.p) / (p + b));
  } else {
    value = (2 / 0.4) * c * (pow(p / k.p, 0.4 / 2.8) - 1);
    slope = pow(p / k.p, -2.4 / 2.8) / (k.r * c);
  }
}

// Fluxes by the exact solution of Riemann's problem at the place of the jump.
__global__ void exactRiemann(int n, const double *noalias left, const double *noalias right, double *noalias fluxes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Primitive l = {left[i], left[n + i], left[2 * n + i]}, r = {right[i], right[n + i], right[2 * n + i]}, s;
  double cl = sqrt(1.4 * l.p / l.r), cr = sqrt(1.4 * r.p / r.r), fl, fr, dl, dr;
  double p = fmax(0.5 * (l.p + r.p) - 0.125 * (r.u - l.u) * (l.r + r.r) * (cl + cr), 1e-3);
  for (int iteration = 0; iteration < 30; ++iteration) {
    wave(p, l, cl, fl, dl);
    wave(p, r, cr, fr, dr);
    double change = (fl + fr + r.u - l.u) / (dl + dr);
    p = fmax(p - change, 1e-6);
    if (fabs(change) < 1e-9 * p)
      break;
  }
  double u = 0.5 * (l.u + r.u + fr - fl);
  if (u >= 0) {
    if (p > l.p) {
      double speed = l.u - cl * sqrt(2.4 / 2.8 * p / l.p + 0.4 / 2.8);
      if (speed >= 0)
        s = l;
      else
        s = {l.r * (p / l.p + 0.4 / 2.4) / (0.4 / 2.4 * p / l.p + 1), u, p};
    } else if (l.u - cl >= 0) {
      s = l;
    } else {
      double c = cl * pow(p / l.p, 0.4 / 2.8);
      if (u - c < 0) {
        s = {l.r * pow(p / l.p, 1 / 1.4), u, p};
      } else {
        c = 2 / 2.4 * (cl + 0.2 * l.u);
        double ratio = c / cl, second = ratio * ratio, fifth = second * second * ratio;
        s = {l.r * fifth, c, l.p * fifth * second};
      }
    }
  } else {
    if (p > r.p) {
      double speed = r.u + cr * sqrt(2.4 / 2.8 * p / r.p + 0.4 / 2.8);
      if (speed <= 0)
        s = r;
      else
        s = {r.r * (p / r.p + 0.4 / 2.4) / (0.4 / 2.4 * p / r.p + 1), u, p};
    } else if (r.u + cr <= 0) {
      s = r;
    } else {
      double c = cr * pow(p / r.p, 0.4 / 2.8);
      if (u + c > 0) {
        s = {r.r * pow(p / r.p, 1 / 1.4), u, p};
      } else {
        c = 2 / 2.4 * (cr - 0.2 * r.u);
        double ratio = c / cr, second = ratio * ratio, fifth = second * second * ratio;
        s = {r.r * fifth, -c, r.p * fifth * second};
      }
    }
  }
  fluxes[i] = s.r * s.u;
  fluxes[n + i] = s.r * s.u * s.u + s.p;
  fluxes[2 * n + i] = s.u * (3.5 * s.p + 0.5 * s.r * s.u * s.u);
}

// Vertical velocities by differences of eighth order, absorbed at both ends of z.
__global__ void absorbVelocity(int nx, int ny, int nz, float dt, const float *noalias pressure,
                               const float *noalias buoyancy, const float *noalias dampA, const float *noalias dampB,
                               const float *noalias dampK, float *noalias memory, float *noalias vz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  constexpr float c[4] = {1225 / 1024.0f, -245 / 3072.0f, 49 / 5120.0f, -5 / 7168.0f};
  int plane = nx * ny, at = k * plane + j * nx + i;
  float d = 0;
  for (int l = 0; l < 4; ++l)
    d = d + c[l] * (pressure[at + (5 + l) * plane] - pressure[at + (4 - l) * plane]);
  int layer = k < pml ? k : k >= nz - pml ? k - nz + 2 * pml : -1;
  if (layer >= 0) {
    int m = layer * plane + j * nx + i;
    float past = dampB[layer] * memory[m] + dampA[layer] * d;
    memory[m] = past;
    d = d / dampK[layer] + past;
  }
  vz[at] = vz[at] - dt * buoyancy[at] * d;
}

// Drag and diffusion in two velocities, for each place and species.
__global__ void collide(int n, int m, const double *noalias f, const double *noalias vpar, const double *noalias vperp,
                        const double *noalias nu, const double *noalias drift, const double *noalias temperature,
                        double *noalias df) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, xs = blockIdx.z;
  if (i >= n || j >= m)
    return;
  double dv = vpar[1] - vpar[0], dw = vperp[1] - vperp[0];
  int at = (xs * m + j) * n + i;
  double fc = f[at], up = 0, down = 0, outer = 0, inner = 0, t = temperature[xs], u = drift[xs];
  if (i < n - 1)
    up = (0.5 * (vpar[i] + vpar[i + 1]) - u) * 0.5 * (fc + f[at + 1]) + t * (f[at + 1] - fc) / dv;
  if (i > 0)
    down = (0.5 * (vpar[i] + vpar[i - 1]) - u) * 0.5 * (fc + f[at - 1]) + t * (fc - f[at - 1]) / dv;
  if (j < m - 1)
    outer = 0.5 * (vperp[j] + vperp[j + 1]) *
            (0.25 * (vperp[j] + vperp[j + 1]) * (fc + f[at + n]) + t * (f[at + n] - fc) / dw);
  if (j > 0)
    inner = 0.5 * (vperp[j] + vperp[j - 1]) *
            (0.25 * (vperp[j] + vperp[j - 1]) * (fc + f[at - n]) + t * (fc - f[at - n]) / dw);
  df[at] = nu[xs] * ((up - down) / dv + (outer - inner) / (vperp[j] * dw));
}

struct Moments {
  double mass;
  unsigned long long greatest, least;
  int above;
};

// Moments of a distribution by place, and what they are in all.
__global__ void moments(int n, int nv, double fast, const double *noalias g, const double *noalias v,
                        double *noalias density, double *noalias velocity, Moments *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  double mass = 0, greatest = 0, least = 1e300;
  int above = 0;
  if (i < n && j < n) {
    int cells = n * n, at = j * n + i;
    double m0 = 0, m1 = 0, m2 = 0, m3 = 0;
    for (int l = 0; l < nv; ++l)
      for (int k = 0; k < nv; ++k) {
        double value = g[(l * nv + k) * cells + at];
        m0 = m0 + value;
        m1 = m1 + value * v[k];
        m2 = m2 + value * v[l];
        m3 = m3 + value * (0.5 * (v[k] * v[k] + v[l] * v[l]));
      }
    density[at] = m0;
    velocity[at] = m1 / m0;
    velocity[cells + at] = m2 / m0;
    double heat = m3 - 0.5 * (m1 * m1 + m2 * m2) / m0;
    velocity[2 * cells + at] = heat;
    double speed = sqrt(m1 * m1 + m2 * m2) / m0;
    mass = m0;
    greatest = speed;
    if (m0 > 0)
      least = heat;
    above = speed > fast;
  }
  mass = overBlock(mass, Add());
  greatest = overBlock(greatest, Greater());
  least = overBlock(least, Less());
  above = overBlock(above, Add());
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    atomicAdd(&found->mass, mass);
    atomicGreatest(&found->greatest, greatest);
    atomicGreatest(&found->least, 1 / least);
    atomicAdd(&found->above, above);
  }
}

// A step of the wave equation by differences of fourth order.
__global__ void waveStep(int n, const float *noalias now, const float *noalias c, float *noalias next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 2, j = blockIdx.y * blockDim.y + threadIdx.y + 2;
  int k = blockIdx.z + 2;
  if (i >= n - 2 || j >= n - 2)
    return;
  int plane = n * n, at = k * plane + j * n + i;
  next[at] = 2 * now[at] - next[at] +
             c[at] * (-7.5f * now[at] +
                      4 / 3.0f * (now[at - 1] + now[at + 1] + now[at - n] + now[at + n] + now[at - plane] +
                                  now[at + plane]) -
                      1 / 12.0f * (now[at - 2] + now[at + 2] + now[at - 2 * n] + now[at + 2 * n] + now[at - 2 * plane] +
                                   now[at + 2 * plane]));
}

// Transport by upwind fluxes.
__global__ void upwindFlux(int nx, int ny, const float *noalias courant, const float *noalias tracer,
                           float *noalias flux) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, at = j * nx + i;
  if (i < nx - 1 && j < ny)
    flux[at] = fmaxf(courant[at], 0) * tracer[at] + fminf(courant[at], 0) * tracer[at + 1];
}

__global__ void upwindMove(int nx, int ny, const float *noalias flux, const float *noalias tracer,
                           float *noalias moved) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y, at = j * nx + i;
  if (i < nx - 1 && j < ny)
    moved[at] = tracer[at] - (flux[at] - flux[at - 1]);
}

// A stage of a Runge-Kutta method.
__global__ void stage(int n, double dt, const double *noalias old, const double *noalias r, double *noalias now) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    now[i] = 0.75 * old[i] + 0.25 * (now[i] + dt * r[i]);
}

// The lesser of two neighbours of the same sign.
__global__ void limit(int nx, int ny, const float *noalias a, float *noalias s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y, at = j * nx + i;
  if (i >= nx || j >= ny)
    return;
  float here = a[at], before = a[at - 1];
  if (here * before <= 0)
    s[at] = 0;
  else if (fabsf(here) < fabsf(before))
    s[at] = here;
  else
    s[at] = before;
}

// How vortices are stretched, and where they are stronger than strain.
__global__ void stretch(int n, const float *noalias u, float scale, float *noalias q, float *noalias change) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i >= n || j >= n)
    return;
  int row = n + 2, plane = row * row, at = (k + 1) * plane + (j + 1) * row + i + 1, to = (k * n + j) * n + i;
  int step[3] = {1, row, plane};
  float g[3][3], strain[3][3], spins = 0, strains = 0;
  for (int d = 0; d < 3; ++d)
    for (int c = 0; c < 3; ++c)
      g[c][d] = scale * (u[c * row * plane + at + step[d]] - u[c * row * plane + at - step[d]]);
  for (int d = 0; d < 3; ++d)
    for (int c = 0; c < 3; ++c) {
      strain[c][d] = 0.5f * (g[c][d] + g[d][c]);
      float spin = g[c][d] - strain[c][d];
      spins += spin * spin;
      strains += strain[c][d] * strain[c][d];
    }
  float w[3] = {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
  q[to] = 0.5f * (spins - strains);
  for (int c = 0; c < 3; ++c)
    change[c * n * n * n + to] = strain[c][0] * w[0] + strain[c][1] * w[1] + strain[c][2] * w[2];
}

// The coefficients of a parabola through means of five cells, whose edges are limited.
__device__ inline void parabola(const double *noalias q, int n, double c[3]) {
  double q0 = q[0], q1 = q[n], q2 = q[2 * n], q3 = q[3 * n], q4 = q[4 * n];
  double left = (7 * (q1 + q2) - q0 - q3) / 12, right = (7 * (q2 + q3) - q1 - q4) / 12;
  left = fmin(fmax(left, fmin(q1, q2)), fmax(q1, q2));
  right = fmin(fmax(right, fmin(q2, q3)), fmax(q2, q3));
  if ((right - q2) * (q2 - left) <= 0) {
    left = q2;
    right = q2;
  } else {
    double d = right - left, six = 6 * (q2 - 0.5 * (left + right));
    if (d * six > d * d)
      left = 3 * q2 - 2 * right;
    else if (-d * d > d * six)
      right = 3 * q2 - 2 * left;
  }
  c[0] = left;
  c[1] = right - left;
  c[2] = 6 * (q2 - 0.5 * (left + right));
}

// Columns of air are moved to other levels by limited parabolas: what goes through the floor of each layer.
__global__ void remapColumns(int n, int levels, const double *noalias q, const double *noalias shift,
                             double *noalias through) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double above[3], below[3];
  through[i] = 0;
  parabola(q + i, n, above);
  for (int k = 1; k < levels; ++k) {
    parabola(q + k * n + i, n, below);
    double s = shift[k * n + i];
    if (s > 0)
      through[k * n + i] = s * (above[0] + above[1] - 0.5 * s * (above[1] - (1 - 2 / 3.0 * s) * above[2]));
    else
      through[k * n + i] = s * (below[0] + 0.5 * (-s) * (below[1] + (1 + 2 / 3.0 * s) * below[2]));
    for (int c = 0; c < 3; ++c)
      above[c] = below[c];
  }
  through[levels * n + i] = 0;
}

void runAntidiffusion() {
  const int nx = sized(4096, 128, 33), ny = sized(2048, 64, 18);
  const size_t cells = size_t(nx) * ny, wide = size_t(nx + 2) * (ny + 2);
  DeviceArray<double> h(random(wide, 1, 1.0)), u(random(wide, 2, 1.0, -0.5)), v(random(wide, 3, 1.0, -0.5)), ua(cells),
      va(cells);
  if (beginCase("antidiffusion_cuf", {.bytes = 40.0 * cells})) {
    while (nextSample())
      antidiffusion<<<dim3(blocksFor(nx, 32), blocksFor(ny, 4)), dim3(32, 4)>>>(nx, ny, 1e-12, h, u, v, ua, va);
    endCase(checksum(ua.onHost()) + 2 * checksum(va.onHost()));
  }
}

void runRiemann() {
  const int n = sized(1 << 21, 1 << 12, 500);
  std::vector<double> left = random(3 * n, 1, 1.0, 0.25), right = random(3 * n, 2, 1.0, 0.25);
  for (int i = n; i < 2 * n; ++i) {
    left[i] = 2 * left[i] - 1.5;
    right[i] = 2 * right[i] - 1.5;
  }
  DeviceArray<double> leftD(left), rightD(right), fluxes(3 * n);
  if (beginCase("exact_riemann_cuf", {.bytes = 72.0 * n})) {
    while (nextSample())
      exactRiemann<<<blocksFor(n, 128), 128>>>(n, leftD, rightD, fluxes);
    endCase(checksum(fluxes.onHost()));
  }
}

void runAbsorption() {
  const int n = sized(320, 48, 12), nz = sized(320, 64, 50), plane = n * n;
  std::vector<float> v = random(plane * nz, 2, 1.0f), m = random(plane * 2 * pml, 4, 1.0f);
  DeviceArray<float> p(random(plane * (nz + 8), 1, 1.0f)), b(random(plane * nz, 3, 1.0f)), vD(v), mD(m);
  DeviceArray<float> a(random(2 * pml, 5, -0.5f)), c(random(2 * pml, 5, -0.5f, 1.0f)),
      k(random(2 * pml, 6, 1.0f, 1.0f));
  dim3 block(32, 4, 2), grid(blocksFor(n, 32), blocksFor(n, 4), blocksFor(nz, 2));
  if (beginCase("absorb_velocity_cuf", {.bytes = 16.0 * plane * nz, .kind = 4})) {
    while (nextSample())
      absorbVelocity<<<grid, block>>>(n, n, nz, 0.125f, p, b, a, c, k, mD, vD);
    vD = v;
    mD = m;
    absorbVelocity<<<grid, block>>>(n, n, nz, 0.125f, p, b, a, c, k, mD, vD);
    endCase(checksum(vD.onHost()) + checksum(mD.onHost()));
  }
}

void runCollisions() {
  const int n = sized(64, 32, 20), m = sized(48, 16, 10), nx = sized(2048, 16, 5), ns = 3, all = n * m * nx * ns;
  std::vector<double> c = random(3 * nx * ns, 2, 1.0), v(n), w(m);
  for (int i = 0; i < n; ++i)
    v[i] = 8.0 * (i + 1) / n - 4;
  for (int i = 0; i < m; ++i)
    w[i] = (i + 0.5) / 4;
  DeviceArray<double> f(random(all, 1, 1.0)), cD(c), vD(v), wD(w), df(all);
  if (beginCase("collide_cuf", {.bytes = 16.0 * all})) {
    while (nextSample())
      collide<<<dim3(blocksFor(n, 32), blocksFor(m, 4), nx * ns), dim3(32, 4)>>>(n, m, f, vD, wD, cD, cD + nx * ns,
                                                                                 cD + 2 * nx * ns, df);
    endCase(checksum(df.onHost()));
  }
}

void runMoments() {
  const int n = sized(256, 32, 20), nv = sized(16, 8, 6), all = n * n * nv * nv;
  std::vector<double> v(nv);
  for (int k = 0; k < nv; ++k)
    v[k] = (2 * (k + 1) - nv) / double(nv);
  DeviceArray<double> g(random(all, 1, 1.0)), vD(v), density(n * n), velocity(3 * n * n);
  DeviceArray<Moments> foundD(1);
  if (beginCase("moments_cuf", {.bytes = 8.0 * all})) {
    Moments found;
    while (nextSample()) {
      foundD.clear();
      moments<<<dim3(blocksFor(n, 32), blocksFor(n, 4)), dim3(32, 4)>>>(n, nv, 0.1, g, vD, density, velocity, foundD);
      cudaMemcpy(&found, foundD, sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(checksum(density.onHost()) + checksum(velocity.onHost()) + found.mass + 10 * asDouble(found.greatest) +
            100 / asDouble(found.least) + found.above);
  }
}

void runWave() {
  const int n = sized(324, 48, 14), all = n * n * n;
  std::vector<float> next = random(all, 2, 1.0f);
  DeviceArray<float> now(random(all, 1, 1.0f)), c(random(all, 3, 1.0f)), nextD(next);
  dim3 grid(blocksFor(n - 4, 32), blocksFor(n - 4, 4), n - 4);
  if (beginCase("wave_array", {.bytes = 16.0 * (n - 4.0) * (n - 4.0) * (n - 4.0), .kind = 4})) {
    while (nextSample())
      waveStep<<<grid, dim3(32, 4)>>>(n, now, c, nextD);
    nextD = next;
    waveStep<<<grid, dim3(32, 4)>>>(n, now, c, nextD);
    endCase(checksum(nextD.onHost()));
  }
}

void runUpwind() {
  const int nx = sized(8192, 128, 40), ny = sized(3072, 64, 12);
  const size_t all = size_t(nx) * ny;
  DeviceArray<float> tracer(random(all, 1, 1.0f)), courant(random(all, 2, 1.0f, -0.5f)), flux(all),
      moved(random(all, 1, 1.0f));
  dim3 block(32, 4), grid(blocksFor(nx, 32), blocksFor(ny, 4));
  if (beginCase("upwind_array", {.bytes = 24.0 * all, .kind = 4})) {
    while (nextSample()) {
      upwindFlux<<<grid, block>>>(nx, ny, courant, tracer, flux);
      upwindMove<<<grid, block>>>(nx, ny, flux, tracer, moved);
    }
    endCase(checksum(moved.onHost()));
  }
}

void runStages() {
  const int n = sized(120, 24, 8), all = 5 * n * n * n;
  std::vector<double> q = random(2 * size_t(all), 1, 1.0);
  DeviceArray<double> qD(q), r(random(all, 2, 1.0));
  if (beginCase("stages_array", {.bytes = 32.0 * all})) {
    while (nextSample())
      stage<<<blocksFor(all, 128), 128>>>(all, 0.5, qD, r, qD + all);
    qD = q;
    stage<<<blocksFor(all, 128), 128>>>(all, 0.5, qD, r, qD + all);
    endCase(checksum(qD.onHost()));
  }
}

void runLimiting() {
  const int nx = sized(8193, 129, 41), ny = sized(4096, 64, 12);
  const size_t all = size_t(nx) * ny;
  DeviceArray<float> a(random(all, 1, 1.0f, -0.5f)), s(std::vector<float>(all, -1));
  if (beginCase("limit_array", {.bytes = 8.0 * all, .kind = 4})) {
    while (nextSample())
      limit<<<dim3(blocksFor(nx - 1, 32), blocksFor(ny, 4)), dim3(32, 4)>>>(nx, ny, a, s);
    endCase(checksum(s.onHost()));
  }
}

void runStretching() {
  const int n = sized(256, 32, 14), cells = n * n * n, wide = (n + 2) * (n + 2) * (n + 2);
  DeviceArray<float> u(random(3 * size_t(wide), 1, 1.0f)), q(cells), change(3 * size_t(cells));
  if (beginCase("stretch", {.bytes = 28.0 * cells, .kind = 4})) {
    while (nextSample())
      stretch<<<dim3(blocksFor(n, 32), blocksFor(n, 4), n), dim3(32, 4)>>>(n, u, 0.5f, q, change);
    endCase(checksum(q.onHost()) + 2 * checksum(change.onHost()));
  }
}

void runRemapping() {
  const int n = sized(1 << 17, 1 << 9, 50), levels = sized(64, 24, 12);
  DeviceArray<double> q(random(size_t(n) * (levels + 4), 1, 1.0)),
      shift(random(size_t(n) * (levels + 1), 2, 1.0, -0.5)), through(size_t(n) * (levels + 1));
  if (beginCase("remap_columns", {.bytes = 24.0 * n * levels})) {
    while (nextSample())
      remapColumns<<<blocksFor(n, 128), 128>>>(n, levels, q, shift, through);
    endCase(checksum(through.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runAntidiffusion();
  runRiemann();
  runAbsorption();
  runCollisions();
  runMoments();
  runWave();
  runUpwind();
  runStages();
  runLimiting();
  runStretching();
  runRemapping();
  return finish();
}
