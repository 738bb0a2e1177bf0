// Kernels written by hand for the loops and array expressions of the twin, models.cuf.
#include "solvers_common.h"

constexpr int species = 5;

struct Stress {
  float s[6], angles[3];
};

struct Smile {
  double alpha, beta, rho, nu;
};

// Rates of four reactions by Arrhenius.
__device__ inline void rates(double t, double k[4]) {
  k[0] = 40 * exp(-300 / t);
  k[1] = 5 * exp(-150 / t);
  k[2] = 0.3 * pow(t / 300, 1.5);
  k[3] = 2e3 * exp(-1200 / t);
}

__device__ inline void tendency(const double c[4], const double k[4], double d[4]) {
  double w0 = k[0] * c[0] * c[1], w1 = k[1] * c[2], w2 = k[2] * c[2] * c[3], w3 = k[3] * c[0] * c[0];
  d[0] = -w0 + w1 - 2 * w3;
  d[1] = -w0 + w1 + 2 * w2;
  d[2] = w0 - w1 - w2;
  d[3] = w3 - w2;
}

// a[column][row]
__device__ inline void jacobian(const double c[4], const double k[4], double a[4][4]) {
  a[0][0] = -k[0] * c[1] - 4 * k[3] * c[0];
  a[0][1] = -k[0] * c[1];
  a[0][2] = k[0] * c[1];
  a[0][3] = 2 * k[3] * c[0];
  a[1][0] = -k[0] * c[0];
  a[1][1] = -k[0] * c[0];
  a[1][2] = k[0] * c[0];
  a[1][3] = 0;
  a[2][0] = k[1];
  a[2][1] = k[1] + 2 * k[2] * c[3];
  a[2][2] = -k[1] - k[2] * c[3];
  a[2][3] = -k[2] * c[3];
  a[3][0] = 0;
  a[3][1] = 2 * k[2] * c[2];
  a[3][2] = -k[2] * c[2];
  a[3][3] = -k[2] * c[2];
}

__device__ inline void solve(const double a[4][4], double x[4]) {
  for (int p = 1; p < 4; ++p)
    for (int q = 0; q < p; ++q)
      x[p] -= a[q][p] * x[q];
  for (int p = 3; p >= 0; --p) {
    for (int q = p + 1; q < 4; ++q)
      x[p] -= a[q][p] * x[q];
    x[p] = x[p] / a[p][p];
  }
}

// A step of stiff reactions by a Rosenbrock method of two stages, with elimination in an array of the thread.
__global__ void react(int n, double h, const double *noalias t, const double *noalias conc, double *noalias next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  constexpr double gamma = 1 + 0.70710678118654752440;
  double k[4], c[4], a[4][4], first[4], second[4], state[4];
  rates(t[i], k);
  for (int p = 0; p < 4; ++p)
    c[p] = conc[p * n + i];
  jacobian(c, k, a);
  for (int q = 0; q < 4; ++q)
    for (int p = 0; p < 4; ++p)
      a[q][p] = -gamma * h * a[q][p] + (p == q);
  for (int p = 0; p < 3; ++p)
    for (int q = p + 1; q < 4; ++q) {
      a[p][q] = a[p][q] / a[p][p];
      for (int r = p + 1; r < 4; ++r)
        a[r][q] = a[r][q] - a[p][q] * a[r][p];
    }
  tendency(c, k, first);
  solve(a, first);
  for (int p = 0; p < 4; ++p)
    state[p] = c[p] + h * first[p];
  tendency(state, k, second);
  for (int p = 0; p < 4; ++p)
    second[p] -= 2 * first[p];
  solve(a, second);
  for (int p = 0; p < 4; ++p)
    next[p * n + i] = fmax(c[p] + 1.5 * h * first[p] + 0.5 * h * second[p], 0.0);
}

// Volatility of an option by Hagan's formula.
__device__ inline double hagan(const Smile &m, double k, double f, double t) {
  double oneBeta = 1 - m.beta, square = oneBeta * oneBeta, logfk = log(f / k), power = pow(f * k, oneBeta / 2);
  double log2 = logfk * logfk;
  double a = power * (1 + square / 24 * log2 + square * square / 1920 * log2 * log2);
  double b = 1 + t * (square / 24 * (m.alpha * m.alpha) / (power * power) +
                      m.rho * m.beta * m.nu * m.alpha / (4 * power) + (2 - 3 * m.rho * m.rho) / 24 * (m.nu * m.nu));
  if (fabs(logfk) < 1e-4)
    return m.alpha * b / a;
  double z = m.nu / m.alpha * power * logfk;
  double x = log((sqrt(1 - 2 * m.rho * z + z * z) + z - m.rho) / (1 - m.rho));
  return m.alpha / a * (z / x) * b;
}

struct Fit {
  double squares;
  unsigned long long worst;
  int outside;
};

// How well a model of volatilities fits to what is seen at markets.
__global__ void fitSmile(int n, Smile m, const double *noalias strike, const double *noalias forward,
                         const double *noalias years, const float *noalias seen, Fit *fit) {
  double squares = 0, worst = 0;
  int outside = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double miss = hagan(m, strike[i], forward[i], years[i]) - seen[i];
    squares = squares + miss * miss;
    worst = fmax(worst, fabs(miss));
    if (miss < -0.05 || miss > 0.1)
      ++outside;
  }
  squares = overBlock(squares, Add());
  worst = overBlock(worst, Greater());
  outside = overBlock(outside, Add());
  if (threadIdx.x == 0) {
    atomicAdd(&fit->squares, squares);
    atomicGreatest(&fit->worst, worst);
    atomicAdd(&fit->outside, outside);
  }
}

struct Pairs {
  double energy;
  unsigned long long near;
  unsigned least;
};

// Energy of all pairs, their least distance, and how many are near.
__global__ void pairEnergy(int n, const float *noalias x, const float *noalias mass, float radius, Pairs *pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double energy = 0;
  float least = HUGE_VALF;
  long long near = 0;
  if (i < n - 1) {
    float x0 = x[3 * i], x1 = x[3 * i + 1], x2 = x[3 * i + 2], mine = mass[i];
    for (int j = i + 1; j < n; ++j) {
      float a = x[3 * j] - x0, b = x[3 * j + 1] - x1, c = x[3 * j + 2] - x2;
      float d2 = a * a + b * b + c * c;
      least = fminf(least, d2);
      if (d2 < radius * radius)
        ++near;
      else
        energy = energy - mine * mass[j] / sqrtf(d2);
    }
  }
  energy = overBlock(energy, Add());
  least = overBlock(least, Less());
  near = overBlock(near, Add());
  if (threadIdx.x == 0) {
    atomicAdd(&pairs->energy, energy);
    atomicMax(&pairs->least, ~__float_as_uint(least));
    atomicAdd(&pairs->near, (unsigned long long)near);
  }
}

// A wavelet transform in place along the rows, by steps of every second number.
__global__ void liftOdd(int n, int rows, float a, float *noalias x) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= rows)
    return;
  x += j * n;
  x[i] = x[i] + a * (x[i - 1] + x[(i + 1) % n]);
}

__global__ void liftEven(int n, int rows, float b, float *noalias x) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x), j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n - 1 || j >= rows)
    return;
  x += j * n;
  x[i] = x[i] + b * (x[(i - 1 + n) % n] + x[i + 1]);
}

struct Norms {
  double norm;
  unsigned long long peak;
};

// The phase that a wave gets by a potential and by itself, its norm and greatest density.
__global__ void turnPhase(int n, double dt, double g, const double *noalias v, double2 *noalias psi, Norms *norms) {
  double norm = 0, peak = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double2 p = psi[i];
    double density = p.x * p.x + p.y * p.y, s, c;
    sincos(-dt * (v[i] + g * density), &s, &c);
    psi[i] = make_double2(p.x * c - p.y * s, p.x * s + p.y * c);
    norm = norm + density;
    peak = fmax(peak, density);
  }
  norm = overBlock(norm, Add());
  peak = overBlock(peak, Greater());
  if (threadIdx.x == 0) {
    atomicAdd(&norms->norm, norm);
    atomicGreatest(&norms->peak, peak);
  }
}

// What is left of Poisson's equation on triangles, added up at their corners.
__global__ void assemble(int triangles, const int *noalias corner, const double *noalias xy, const double *noalias u,
                         const double *noalias kappa, double *noalias left) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= triangles)
    return;
  int at[3];
  double x[3], y[3], values[3];
  for (int a = 0; a < 3; ++a) {
    at[a] = corner[3 * e + a];
    x[a] = xy[2 * at[a]];
    y[a] = xy[2 * at[a] + 1];
    values[a] = u[at[a]];
  }
  double b[3] = {y[1] - y[2], y[2] - y[0], y[0] - y[1]}, c[3] = {x[2] - x[1], x[0] - x[2], x[1] - x[0]};
  double twice = b[0] * c[1] - b[1] * c[0];
  double gx = (b[0] * values[0] + b[1] * values[1] + b[2] * values[2]) / twice;
  double gy = (c[0] * values[0] + c[1] * values[1] + c[2] * values[2]) / twice;
  for (int a = 0; a < 3; ++a)
    atomicAdd(&left[at[a]], -0.5 * kappa[e] * (b[a] * gx + c[a] * gy));
}

// A trace with its delayed copies, in a ring.
__global__ void echoes(int64_t n, int delays, const int64_t *noalias delay, const float *noalias gain,
                       const float *noalias x, float *noalias y) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float total = x[i];
  for (int k = 0; k < delays; ++k) {
    int64_t from = (i - delay[k]) % n;
    total = total + gain[k] * x[from < 0 ? from + n : from];
  }
  y[i] = total;
}

struct Drainage {
  unsigned steepest;
  int pits;
};

// To which neighbour water flows from each cell, how steeply at most, and how many cells are pits.
__global__ void drain(int nx, int ny, const float *noalias z, int8_t *noalias way, Drainage *found) {
  constexpr int di[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dj[8] = {0, -1, -1, -1, 0, 1, 1, 1};
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float best = 0;
  int pit = 0;
  if (i < nx && j < ny) {
    int to = 0, row = nx + 2, at = (j + 1) * row + i + 1;
    for (int k = 0; k < 8; ++k) {
      float slope = z[at] - z[at + dj[k] * row + di[k]];
      if (k % 2 == 1)
        slope = slope / sqrtf(2.0f);
      if (slope > best) {
        best = slope;
        to = k + 1;
      }
    }
    way[j * nx + i] = to;
    pit = to == 0;
  }
  best = overBlock(best, Greater());
  pit = overBlock(pit, Add());
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    atomicMax(&found->steepest, __float_as_uint(best));
    atomicAdd(&found->pits, pit);
  }
}

// Viscosities of mixtures by Wilke's rule.
__global__ void mixtureViscosity(int nx, int ny, const double *noalias y, const double *noalias t,
                                 double *noalias mu) {
  constexpr double molar[species] = {28.01, 32.0, 44.01, 18.02, 2.016};
  constexpr double mu0[species] = {1.663e-5, 1.919e-5, 1.37e-5, 1.12e-5, 8.411e-6};
  constexpr double suther[species] = {107, 139, 222, 1064, 97};
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int at = j * nx + i, cells = nx * ny;
  double x[species], m[species], all = 0, total = 0, hot = t[at] / 273, root = sqrt(hot);
  for (int a = 0; a < species; ++a) {
    x[a] = y[a * cells + at] / molar[a];
    all += x[a];
  }
  for (int a = 0; a < species; ++a) {
    x[a] = x[a] / all;
    m[a] = mu0[a] * hot * root * (273 + suther[a]) / (t[at] + suther[a]);
  }
  for (int a = 0; a < species; ++a) {
    double mixed = 0;
    for (int b = 0; b < species; ++b) {
      double one = 1 + sqrt(m[a] / m[b]) * sqrt(sqrt(molar[b] / molar[a]));
      mixed += x[b] * (one * one / sqrt(8 * (1 + molar[a] / molar[b])));
    }
    total = total + x[a] * m[a] / mixed;
  }
  mu[at] = total;
}

// One prediction and update of many filters with four states each. Matrices are stored by columns.
__global__ void kalman(int n, const double *noalias f, const double *noalias noise, double r, const double *noalias h,
                       const double *noalias seen, double *noalias x, double *noalias p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double y[4], half[4][4], c[4][4], ch[4], gain[4], old[4], predicted = 0, variance = 0;
  for (int k = 0; k < 4; ++k)
    old[k] = x[k * n + i];
  for (int j = 0; j < 4; ++j) {
    y[j] = 0;
    for (int k = 0; k < 4; ++k)
      y[j] += f[4 * k + j] * old[k];
  }
  for (int k = 0; k < 4; ++k) {
    double column[4];
    for (int l = 0; l < 4; ++l)
      column[l] = p[(4 * k + l) * n + i];
    for (int j = 0; j < 4; ++j) {
      half[k][j] = 0;
      for (int l = 0; l < 4; ++l)
        half[k][j] += f[4 * l + j] * column[l];
    }
  }
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j) {
      c[k][j] = 0;
      for (int l = 0; l < 4; ++l)
        c[k][j] += half[l][j] * f[4 * l + k];
      if (j == k)
        c[k][j] += noise[k];
    }
  for (int j = 0; j < 4; ++j) {
    ch[j] = 0;
    for (int k = 0; k < 4; ++k)
      ch[j] += c[k][j] * h[k];
    predicted += h[j] * y[j];
  }
  for (int j = 0; j < 4; ++j)
    variance += h[j] * ch[j];
  double miss = seen[i] - predicted;
  for (int j = 0; j < 4; ++j) {
    gain[j] = ch[j] / (variance + r);
    x[j * n + i] = y[j] + gain[j] * miss;
  }
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      p[(4 * k + j) * n + i] = c[k][j] - gain[j] * ch[k];
}

// Stresses in turned rock, and how far they are from yielding.
__global__ void turnStress(int n, const Stress *noalias rock, float *noalias turned, float *noalias yield) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Stress mine = rock[i];
  const float *a = mine.s;
  float s[3][3] = {{a[0], a[5], a[4]}, {a[5], a[1], a[3]}, {a[4], a[3], a[2]}}, half[3][3], sin[3], cos[3];
  for (int d = 0; d < 3; ++d)
    sincosf(mine.angles[d], &sin[d], &cos[d]);
  float r[3][3] = {
      {cos[0] * cos[1], cos[0] * sin[1] * sin[2] - sin[0] * cos[2], cos[0] * sin[1] * cos[2] + sin[0] * sin[2]},
      {sin[0] * cos[1], sin[0] * sin[1] * sin[2] + cos[0] * cos[2], sin[0] * sin[1] * cos[2] - cos[0] * sin[2]},
      {-sin[1], cos[1] * sin[2], cos[1] * cos[2]}};
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k)
      half[j][k] = s[j][0] * r[k][0] + s[j][1] * r[k][1] + s[j][2] * r[k][2];
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k)
      s[j][k] = r[j][0] * half[0][k] + r[j][1] * half[1][k] + r[j][2] * half[2][k];
  float *to = turned + 6 * i;
  to[0] = s[0][0];
  to[1] = s[1][1];
  to[2] = s[2][2];
  to[3] = s[1][2];
  to[4] = s[0][2];
  to[5] = s[0][1];
  float mean = (s[0][0] + s[1][1] + s[2][2]) / 3, squares = 0;
  for (int k = 0; k < 3; ++k)
    s[k][k] -= mean;
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k)
      squares += s[j][k] * s[j][k];
  yield[i] = sqrtf(1.5f * squares);
}

void runReactions() {
  const int n = sized(1 << 21, 1 << 12, 400);
  DeviceArray<double> t(random(n, 1, 100.0, 250.0)), c(random(4 * n, 2, 1.0)), next(4 * n);
  if (beginCase("react_cuf", {.bytes = 72.0 * n})) {
    while (nextSample())
      react<<<blocksFor(n, 128), 128>>>(n, 0.05, t, c, next);
    endCase(checksum(next.onHost()));
  }
}

void runSmile() {
  const int n = sized(1 << 22, 1 << 13, 1000);
  DeviceArray<double> strike(random(n, 1, 40.0, 80.0)), forward(random(n, 2, 40.0, 80.0)),
      years(random(n, 3, 2.0, 0.25));
  DeviceArray<float> seen(random(n, 4, 0.2f, 0.15f));
  DeviceArray<Fit> fitD(1);
  Smile m = {0.8, 0.7, -0.3, 0.4};
  if (beginCase("fit_smile_cuf", {.bytes = 28.0 * n})) {
    Fit fit;
    while (nextSample()) {
      fitD.clear();
      fitSmile<<<1056, 256>>>(n, m, strike, forward, years, seen, fitD);
      cudaMemcpy(&fit, fitD, sizeof fit, cudaMemcpyDeviceToHost);
    }
    endCase(fit.squares + 10 * asDouble(fit.worst) + fit.outside);
  }
}

void runPairs() {
  const int n = sized(1 << 15, 1 << 10, 200);
  DeviceArray<float> x(random(3 * n, 1, 1.0f)), mass(random(n, 2, 1.0f));
  DeviceArray<Pairs> pairsD(1);
  if (beginCase("pair_energy_cuf", {.flops = 6.0 * n * (n - 1.0), .kind = 4})) {
    Pairs pairs;
    while (nextSample()) {
      pairsD.clear();
      pairEnergy<<<blocksFor(n, 128), 128>>>(n, x, mass, 0.1f, pairsD);
      cudaMemcpy(&pairs, pairsD, sizeof pairs, cudaMemcpyDeviceToHost);
    }
    endCase(pairs.energy + pairs.near);
  }
}

void runLifting() {
  const int n = sized(8192, 128, 34), rows = sized(4096, 64, 9);
  std::vector<float> x = random(size_t(n) * rows, 1, 1.0f);
  DeviceArray<float> xD(x);
  dim3 block(64, 4), grid(blocksFor(n / 2, 64), blocksFor(rows, 4));
  auto lift = [&] {
    liftOdd<<<grid, block>>>(n, rows, -1.58613434f, xD);
    liftEven<<<grid, block>>>(n, rows, -0.05298012f, xD);
    liftOdd<<<grid, block>>>(n, rows, 0.88291107f, xD);
    liftEven<<<grid, block>>>(n, rows, 0.44350685f, xD);
  };
  if (beginCase("lift_cuf", {.bytes = 24.0 * n * rows, .kind = 4})) {
    while (nextSample())
      lift();
    xD = x;
    lift();
    endCase(checksum(xD.onHost()));
  }
}

void runPhase() {
  const int n = sized(224, 32, 12), all = n * n * n;
  std::vector<double> parts = random(2 * all, 1, 1.0);
  for (int i = 0; i < all; ++i)
    parts[2 * i + 1] -= 0.5;
  DeviceArray<double> psi(parts), v(random(all, 2, 1.0));
  DeviceArray<Norms> normsD(1);
  auto *psiD = reinterpret_cast<double2 *>((double *)psi);
  if (beginCase("turn_phase_cuf", {.bytes = 40.0 * all})) {
    Norms norms;
    auto turn = [&] {
      normsD.clear();
      turnPhase<<<132 * 8, 256>>>(all, 0.1, 5, v, psiD, normsD);
      cudaMemcpy(&norms, normsD, sizeof norms, cudaMemcpyDeviceToHost);
    };
    while (nextSample())
      turn();
    psi = parts;
    turn();
    endCase(checksum(psi.onHost()) + norms.norm + asDouble(norms.peak));
  }
}

void runAssembly() {
  const int n = sized(1408, 64, 16), triangles = 2 * (n - 1) * (n - 1), points = n * n;
  std::vector<double> jitter = random(2 * points, 1, 1.0), xy(2 * points);
  std::vector<int> place(points), corner(3 * triangles);
  for (int i = 0; i < points; ++i) {
    place[i] = i - i % 8 + (5 * (i % 8) + 3) % 8;
    xy[2 * place[i]] = i % n + 0.4 * jitter[2 * i];
    xy[2 * place[i] + 1] = i / n + 0.4 * jitter[2 * i + 1];
  }
  int *next = corner.data();
  for (int j = 0; j < n - 1; ++j)
    for (int i = 0; i < n - 1; ++i) {
      int from = j * n + i;
      for (int p : {from, from + 1, from + n, from + 1, from + n + 1, from + n})
        *next++ = place[p];
    }
  DeviceArray<int> cornerD(corner);
  DeviceArray<double> xyD(xy), u(random(points, 2, 1.0)), kappa(random(triangles, 3, 1.0)), left(points);
  left.clear();
  if (beginCase("assemble_cuf", {.bytes = 20.0 * triangles + 40.0 * points})) {
    while (nextSample())
      assemble<<<blocksFor(triangles, 128), 128>>>(triangles, cornerD, xyD, u, kappa, left);
    left.clear();
    assemble<<<blocksFor(triangles, 128), 128>>>(triangles, cornerD, xyD, u, kappa, left);
    std::vector<double> got = left.onHost();
    for (double &value : got)
      value = fabs(value);
    endCase(checksum(got));
  }
}

void runEchoes() {
  const int n = sized(1 << 25, 1 << 15, 1000);
  const std::vector<int64_t> delay = {1, 17, 101, 230, 555, 990};
  DeviceArray<float> x(random(n, 1, 1.0f)), gain(random(6, 2, 1.0f)), y(n);
  DeviceArray<int64_t> delayD(delay);
  if (beginCase("echoes_cuf", {.bytes = 8.0 * n, .kind = 4})) {
    while (nextSample())
      echoes<<<blocksFor(n, 128), 128>>>(n, 6, delayD, gain, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runDrainage() {
  const int nx = sized(8192, 128, 37), ny = sized(4096, 64, 21);
  DeviceArray<float> z(random(size_t(nx + 2) * (ny + 2), 1, 1.0f));
  DeviceArray<int8_t> way(size_t(nx) * ny);
  DeviceArray<Drainage> foundD(1);
  if (beginCase("drain_cuf", {.bytes = 5.0 * nx * ny, .kind = 4})) {
    Drainage found;
    while (nextSample()) {
      foundD.clear();
      drain<<<dim3(blocksFor(nx, 32), blocksFor(ny, 8)), dim3(32, 8)>>>(nx, ny, z, way, foundD);
      cudaMemcpy(&found, foundD, sizeof found, cudaMemcpyDeviceToHost);
    }
    float steepest;
    memcpy(&steepest, &found.steepest, sizeof steepest);
    endCase(checksum(way.onHost()) + found.pits + steepest);
  }
}

void runMixture() {
  const int nx = sized(2048, 64, 21), ny = sized(1024, 32, 10), cells = nx * ny;
  DeviceArray<double> y(random(size_t(cells) * species, 1, 1.0)), t(random(cells, 2, 1000.0, 300.0)), mu(cells);
  if (beginCase("mixture_viscosity_cuf", {.bytes = 56.0 * cells})) {
    while (nextSample())
      mixtureViscosity<<<dim3(blocksFor(nx, 32), blocksFor(ny, 4)), dim3(32, 4)>>>(nx, ny, y, t, mu);
    endCase(checksum(mu.onHost()));
  }
}

void runFilters() {
  const int n = sized(1 << 20, 1 << 12, 300);
  const std::vector<double> f = {1, 0, 0, 0, 0, 0.875, 0, 0, 0.125, 0.0625, 0.75, 0, 0, 0.25, 0.125, 0.5};
  std::vector<double> x = random(4 * n, 4, 1.0), p = random(16 * size_t(n), 5, 1.0);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < n; ++i)
      p[size_t(5 * k) * n + i] += 3;
    for (int j = 0; j < k; ++j)
      for (int i = 0; i < n; ++i)
        p[size_t(4 * k + j) * n + i] = p[size_t(4 * j + k) * n + i];
  }
  DeviceArray<double> fD(f), noise(random(4, 1, 1.0)), h(random(4, 2, 1.0)), seen(random(n, 3, 1.0)), xD(x), pD(p);
  if (beginCase("kalman", {.bytes = 328.0 * n})) {
    while (nextSample())
      kalman<<<blocksFor(n, 128), 128>>>(n, fD, noise, 0.5, h, seen, xD, pD);
    xD = x;
    pD = p;
    kalman<<<blocksFor(n, 128), 128>>>(n, fD, noise, 0.5, h, seen, xD, pD);
    endCase(checksum(xD.onHost()) + checksum(pD.onHost()));
  }
}

void runStress() {
  const int n = sized(1 << 21, 1 << 12, 400);
  std::vector<float> x = random(9 * size_t(n), 1, 1.0f);
  std::vector<Stress> rock(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 6; ++k)
      rock[i].s[k] = x[9 * i + k];
    for (int k = 0; k < 3; ++k)
      rock[i].angles[k] = 3 * x[9 * i + 6 + k];
  }
  DeviceArray<Stress> rockD(rock);
  DeviceArray<float> turned(6 * n), yield(n);
  if (beginCase("turn_stress", {.bytes = 64.0 * n, .kind = 4})) {
    while (nextSample())
      turnStress<<<blocksFor(n, 128), 128>>>(n, rockD, turned, yield);
    endCase(checksum(turned.onHost()) + checksum(yield.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runReactions();
  runSmile();
  runPairs();
  runLifting();
  runPhase();
  runAssembly();
  runEchoes();
  runDrainage();
  runMixture();
  runFilters();
  runStress();
  return finish();
}
