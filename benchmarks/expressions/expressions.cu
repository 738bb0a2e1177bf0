// The same kernels as in the twin, expressions.cuf; those of CUF kernels are written by hand.
#include "benchmark.h"

using namespace benchmark;

__device__ inline void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

__device__ inline double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// Torques on bodies whose coordinates are in columns, and their strengths.
__global__ void torques(int n, const double *noalias centre, const double *noalias x, const double *noalias f,
                        double *noalias torque, double *noalias strength) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double arm[3], force[3], t[3];
  for (int d = 0; d < 3; ++d) {
    arm[d] = x[d * n + i] - centre[d];
    force[d] = f[d * n + i];
  }
  cross(arm, force, t);
  for (int d = 0; d < 3; ++d)
    torque[d * n + i] = t[d];
  strength[i] = length(t);
}

// The greatest Courant number of every column of air.
__global__ void columnCourant(int n, int levels, double dt, const double *noalias w, const double *noalias dz,
                              double *noalias courant) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double most = -HUGE_VAL;
  for (int k = 0; k < levels; ++k)
    most = fmax(most, fabs(w[k * n + i]) * dt / dz[k]);
  courant[i] = most;
}

// Second derivatives along z by marching with a queue of nine values.
__global__ void marchingQueue(int nx, int ny, int nz, const float *noalias c, const float *noalias p,
                              float *noalias d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int plane = nx * ny, at = j * nx + i;
  float queue[9];
  for (int l = 1; l < 9; ++l)
    queue[l] = p[(l - 1) * plane + at];
  for (int k = 0; k < nz; ++k) {
    for (int l = 0; l < 8; ++l)
      queue[l] = queue[l + 1];
    queue[8] = p[(k + 8) * plane + at];
    float total = c[0] * queue[4];
    for (int l = 1; l <= 4; ++l)
      total = total + c[l] * (queue[4 - l] + queue[4 + l]);
    d[k * plane + at] = total;
  }
}

// Small systems by Gauss's method; rows change their places.
__global__ void pivotedSolve(int n, const double *noalias a, const double *noalias b, double *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double m[4][5];
  for (int k = 0; k < 4; ++k) {
    for (int l = 0; l < 4; ++l)
      m[k][l] = a[(l * 4 + k) * n + i];
    m[k][4] = b[k * n + i];
  }
  for (int k = 0; k < 4; ++k) {
    int p = k;
    for (int l = k + 1; l < 4; ++l)
      if (fabs(m[l][k]) > fabs(m[p][k]))
        p = l;
    for (int l = 0; l < 5; ++l) {
      double value = m[k][l];
      m[k][l] = m[p][l];
      m[p][l] = value;
    }
    for (int l = k + 1; l < 4; ++l) {
      double factor = m[l][k] / m[k][k];
      for (int c = k; c < 5; ++c)
        m[l][c] = m[l][c] - factor * m[k][c];
    }
  }
  for (int k = 3; k >= 0; --k) {
    double known = 0;
    for (int l = k + 1; l < 4; ++l)
      known += m[k][l] * m[l][4];
    m[k][4] = (m[k][4] - known) / m[k][k];
  }
  for (int k = 0; k < 4; ++k)
    x[k * n + i] = m[k][4];
}

// Mass fractions are made positive, and their sum 1.
__global__ void speciesLimiter(int n, int species, const double *noalias y, double *noalias z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int s = 0; s < species; ++s)
    z[s * n + i] = y[s * n + i];
  for (int s = 0; s < species; ++s)
    if (z[s * n + i] < 0)
      z[s * n + i] = 0;
  double total = 0;
  for (int s = 0; s < species; ++s)
    total += z[s * n + i];
  for (int s = 0; s < species; ++s)
    z[s * n + i] = z[s * n + i] / total;
}

// Matrices of 2 x 2, stored by columns.
struct Matrix2 {
  double m[4];
  __device__ double operator()(int i, int j) const { return m[2 * j + i]; }
};

__device__ inline Matrix2 inverse2(Matrix2 a) {
  double divisor = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  return {a(1, 1) / divisor, -a(1, 0) / divisor, -a(0, 1) / divisor, a(0, 0) / divisor};
}

__device__ inline Matrix2 operator*(Matrix2 a, Matrix2 b) {
  Matrix2 c;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      c.m[2 * j + i] = a(i, 0) * b(0, j) + a(i, 1) * b(1, j);
  return c;
}

__device__ inline Matrix2 operator+(Matrix2 a, Matrix2 b) {
  for (int m = 0; m < 4; ++m)
    a.m[m] += b.m[m];
  return a;
}

__device__ inline Matrix2 operator-(Matrix2 a) { return {-a.m[0], -a.m[1], -a.m[2], -a.m[3]}; }

__device__ inline Matrix2 operator-(Matrix2 a, Matrix2 b) { return a + -b; }

// Four times four matrices, inverted by blocks of two times two.
__global__ void blockInverse(int n, const double *noalias a, double *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Matrix2 block[2][2], result[2][2];
  for (int k = 0; k < 2; ++k)
    for (int l = 0; l < 2; ++l)
      for (int m = 0; m < 4; ++m)
        block[k][l].m[m] = a[((2 * l + m / 2) * 4 + 2 * k + m % 2) * n + i];
  Matrix2 first = inverse2(block[0][0]);
  Matrix2 schur = inverse2(block[1][1] - block[1][0] * (first * block[0][1]));
  result[1][1] = schur;
  result[0][1] = -(first * (block[0][1] * schur));
  result[1][0] = -(schur * (block[1][0] * first));
  result[0][0] = first + (first * block[0][1]) * (schur * (block[1][0] * first));
  for (int k = 0; k < 2; ++k)
    for (int l = 0; l < 2; ++l)
      for (int m = 0; m < 4; ++m)
        b[((2 * l + m / 2) * 4 + 2 * k + m % 2) * n + i] = result[k][l].m[m];
}

struct Vector {
  double x, y, z;
};

struct Body {
  Vector place, velocity;
  double mass;
  int tag[2];
};

// Bodies in another order.
__global__ void reorderBodies(int n, const int *noalias from, const Body *noalias bodies, Body *noalias sorted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  sorted[i] = bodies[from[i] - 1];
  sorted[i].tag[1] = i + 1;
}

// All variables in the halos at both ends of x, for periodic boundaries.
__global__ void periodicHalos(int nx, int n, double *noalias q) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= n || k >= n)
    return;
  double *row = q + (k * n + j) * (nx + 4) * 5;
  for (int m = 0; m < 5; ++m)
    row[m] = row[nx * 5 + m];
  for (int m = 0; m < 5; ++m)
    row[5 + m] = row[(nx + 1) * 5 + m];
  for (int m = 0; m < 5; ++m)
    row[(nx + 2) * 5 + m] = row[2 * 5 + m];
  for (int m = 0; m < 5; ++m)
    row[(nx + 3) * 5 + m] = row[3 * 5 + m];
}

// Speeds and densities of energy of a fluid whose momenta are in columns.
__global__ void speeds(int n, const double *noalias density, const double *noalias momentum,
                       const double *noalias field, double *noalias speed, double *noalias energy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double m[3], b[3];
  for (int d = 0; d < 3; ++d) {
    m[d] = momentum[d * n + i];
    b[d] = field[d * n + i];
  }
  double v = length(m) / density[i], strength = length(b);
  speed[i] = v;
  energy[i] = 0.5 * (density[i] * (v * v) + strength * strength);
}

constexpr int most = 64;

// Tridiagonal equations, one column per thread.
__global__ void implicitColumns(int n, int columns, const double *noalias a, const double *noalias b,
                                const double *noalias c, const double *noalias d, double *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns)
    return;
  double g[most];
  int at = i * n;
  g[0] = c[at] / b[at];
  x[at] = d[at] / b[at];
  for (int k = 1; k < n; ++k) {
    double pivot = 1 / (b[at + k] - a[at + k] * g[k - 1]);
    g[k] = c[at + k] * pivot;
    x[at + k] = (d[at + k] - a[at + k] * x[at + k - 1]) * pivot;
  }
  for (int k = n - 2; k >= 0; --k)
    x[at + k] = x[at + k] - g[k] * x[at + k + 1];
}

__device__ inline double minmod(double a, double b) { return a * b > 0 ? copysign(fmin(fabs(a), fabs(b)), a) : 0; }

// Limited slopes of all variables.
__global__ void limitedSlopes(int variables, int nx, int ny, const double *noalias q, double *noalias slope) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int at = (j * (nx + 2) + i + 1) * variables, out = (j * nx + i) * variables;
  for (int m = 0; m < variables; ++m)
    slope[out + m] = minmod(q[at + m] - q[at - variables + m], q[at + variables + m] - q[at + m]);
}

// Values of an expansion in Chebyshev's polynomials.
__global__ void expansion(int n, int degree, const double *noalias c, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double t[most], total = 0;
  t[0] = 1;
  t[1] = x[i];
  for (int k = 2; k <= degree; ++k)
    t[k] = 2 * x[i] * t[k - 1] - t[k - 2];
  for (int k = 0; k <= degree; ++k)
    total += c[k] * t[k];
  y[i] = total;
}

// The lowest level where a column is warmer than a limit, how far it is from the level below, and the mean beneath.
__global__ void lowestWarm(int levels, int columns, float limit, const float *noalias t, int *noalias level,
                           float *noalias excess, float *noalias mean) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns)
    return;
  int k = 0, at = i * levels;
  while (k < levels && !(t[at + k] > limit))
    ++k;
  k = k == levels ? 0 : k + 1;
  level[i] = k;
  excess[i] = 0;
  mean[i] = 0;
  if (k > 1) {
    excess[i] = t[at + k - 1] - t[at + k - 2];
    float total = 0;
    for (int l = 0; l < k - 1; ++l)
      total += t[at + l];
    mean[i] = total / (k - 1);
  }
}

// Each element of every row becomes a mean of its neighbours, in its place.
__global__ void smoothRows(int rows, int n, const double *noalias u, double *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  for (int k = 0; k < n; ++k)
    v[k * rows + i] = u[k * rows + i];
  double before = v[i];
  for (int k = 1; k < n - 1; ++k) {
    double here = v[k * rows + i];
    v[k * rows + i] = 0.25 * (before + 2 * here + v[(k + 1) * rows + i]);
    before = here;
  }
}

static std::vector<double> random(size_t count, int seed, double factor = 1, double add = 0) {
  std::vector<double> x(count);
  fill(x, seed);
  for (double &value : x)
    value = factor * value + add;
  return x;
}

static std::vector<float> randomFloats(size_t count, int seed) {
  std::vector<float> x(count);
  fill(x, seed);
  return x;
}

void runTorques() {
  const int n = sized(1 << 22, 1 << 14, 500);
  DeviceArray<double> centre(random(3, 1)), x(random(3 * n, 2)), f(random(3 * n, 3, 1, -0.5)), torque(3 * n),
      strength(n);
  if (beginCase("torques", {.bytes = 80.0 * n})) {
    while (nextSample())
      torques<<<(n + 127) / 128, 128>>>(n, centre, x, f, torque, strength);
    endCase(checksum(torque.onHost()) + checksum(strength.onHost()));
  }
}

void runCourant() {
  const int n = sized(1 << 18, 1 << 11, 200), levels = sized(80, 40, 12);
  DeviceArray<double> w(random(size_t(n) * levels, 1, 1, -0.5)), dz(random(levels, 2, 1, 0.5)), courant(n);
  if (beginCase("column_courant", {.bytes = 8.0 * n * levels})) {
    while (nextSample())
      columnCourant<<<(n + 127) / 128, 128>>>(n, levels, 0.25, w, dz, courant);
    endCase(checksum(courant.onHost()));
  }
}

void runQueue() {
  const int nx = sized(512, 48, 20), ny = sized(512, 24, 12), nz = sized(96, 16, 8);
  const size_t plane = size_t(nx) * ny;
  DeviceArray<float> c(randomFloats(5, 1)), p(randomFloats(plane * (nz + 8), 2)), d(plane * nz);
  if (beginCase("marching_queue", {.bytes = 8.0 * plane * nz, .kind = 4})) {
    while (nextSample())
      marchingQueue<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(nx, ny, nz, c, p, d);
    endCase(checksum(d.onHost()));
  }
}

void runPivots() {
  const int n = sized(500000, 1 << 12, 200);
  DeviceArray<double> a(random(16 * n, 1, 1, -0.5)), b(random(4 * n, 2)), x(4 * n);
  if (beginCase("pivoted_solve", {.bytes = 192.0 * n})) {
    while (nextSample())
      pivotedSolve<<<(n + 127) / 128, 128>>>(n, a, b, x);
    std::vector<double> got = x.onHost();
    double total = 0;
    for (double value : got)
      total += value / (1 + fabs(value));
    endCase(total);
  }
}

void runSpecies() {
  const int n = sized(500000, 1 << 12, 200), species = sized(19, 9, 5);
  DeviceArray<double> y(random(size_t(n) * species, 1, 1, -0.1)), z(size_t(n) * species);
  if (beginCase("species_limiter", {.bytes = 16.0 * n * species})) {
    while (nextSample())
      speciesLimiter<<<(n + 127) / 128, 128>>>(n, species, y, z);
    endCase(checksum(z.onHost()));
  }
}

void runInverses() {
  const int n = sized(1 << 19, 1 << 12, 200);
  std::vector<double> a = random(16 * n, 1);
  for (int d = 0; d < 4; ++d)
    for (int i = 0; i < n; ++i)
      a[5 * d * n + i] += 4;
  DeviceArray<double> aD(a), b(16 * n);
  if (beginCase("block_inverse", {.bytes = 256.0 * n})) {
    while (nextSample())
      blockInverse<<<(n + 127) / 128, 128>>>(n, aD, b);
    endCase(checksum(b.onHost()));
  }
}

void runBodies() {
  const int n = sized(1 << 20, 1 << 12, 200);
  std::vector<double> x = random(7 * n, 1);
  std::vector<int> from(n);
  fill(from, 256, 2);
  std::vector<Body> bodies(n);
  for (int i = 0; i < n; ++i) {
    const double *r = &x[7 * i];
    bodies[i] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, r[6], {i + 1, 0}};
    from[i] = std::min(n, (i ^ from[i]) + 1);
  }
  DeviceArray<Body> bodiesD(bodies), sortedD(n);
  DeviceArray<int> fromD(from);
  if (beginCase("reorder_bodies", {.bytes = 132.0 * n})) {
    while (nextSample())
      reorderBodies<<<(n + 127) / 128, 128>>>(n, fromD, bodiesD, sortedD);
    std::vector<Body> sorted = sortedD.onHost();
    double total = 0;
    for (int i = 0; i < n; ++i)
      total += (sorted[i].place.z + 2 * sorted[i].velocity.x) * (1 + (i + 1) % 1009);
    endCase(total);
  }
}

void runHalos() {
  const int nx = sized(8, 6, 4), n = sized(512, 48, 12);
  DeviceArray<double> q(random(5 * size_t(nx + 4) * n * n, 1));
  dim3 block(32, 4);
  if (beginCase("periodic_halos_cuf", {.bytes = 320.0 * n * n})) {
    while (nextSample())
      periodicHalos<<<dim3((n + 31) / 32, (n + 3) / 4), block>>>(nx, n, q);
    endCase(checksum(q.onHost()));
  }
}

void runSpeeds() {
  const int n = sized(1 << 22, 1 << 14, 500);
  DeviceArray<double> density(random(n, 1, 1, 0.5)), momentum(random(3 * n, 2)), field(random(3 * n, 3)), speed(n),
      energy(n);
  if (beginCase("speeds_cuf", {.bytes = 72.0 * n})) {
    while (nextSample())
      speeds<<<(n + 127) / 128, 128>>>(n, density, momentum, field, speed, energy);
    endCase(checksum(speed.onHost()) + checksum(energy.onHost()));
  }
}

void runColumns() {
  const int n = sized(40, 20, 8), columns = sized(1 << 18, 1 << 11, 100), all = n * columns;
  DeviceArray<double> a(random(all, 1)), b(random(all, 2, 1, 3)), c(random(all, 3)), d(random(all, 4)), x(all);
  if (beginCase("implicit_columns_cuf", {.bytes = 40.0 * all})) {
    while (nextSample())
      implicitColumns<<<(columns + 63) / 64, 64>>>(n, columns, a, b, c, d, x);
    endCase(checksum(x.onHost()));
  }
}

void runSlopes() {
  const int variables = sized(7, 5, 5), nx = sized(1024, 64, 20), ny = sized(1024, 48, 10);
  DeviceArray<double> q(random(size_t(variables) * (nx + 2) * ny, 1)), slope(size_t(variables) * nx * ny);
  if (beginCase("limited_slopes_cuf", {.bytes = 16.0 * variables * nx * ny})) {
    while (nextSample())
      limitedSlopes<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(variables, nx, ny, q, slope);
    endCase(checksum(slope.onHost()));
  }
}

void runExpansion() {
  const int n = sized(1 << 21, 1 << 13, 500), degree = sized(20, 12, 6);
  DeviceArray<double> c(random(degree + 1, 1)), x(random(n, 2, 2, -1)), y(n);
  if (beginCase("expansion_cuf", {.bytes = 16.0 * n, .flops = 5.0 * n * degree})) {
    while (nextSample())
      expansion<<<(n + 127) / 128, 128>>>(n, degree, c, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runLevels() {
  const int levels = sized(60, 30, 10), columns = sized(1 << 19, 1 << 12, 200);
  DeviceArray<float> t(randomFloats(size_t(levels) * columns, 1)), excess(columns), mean(columns);
  DeviceArray<int> level(columns);
  if (beginCase("lowest_warm_cuf", {.bytes = 4.0 * levels * columns, .kind = 4})) {
    while (nextSample())
      lowestWarm<<<(columns + 127) / 128, 128>>>(levels, columns, 0.95f, t, level, excess, mean);
    endCase(checksum(level.onHost()) + checksum(excess.onHost()) + checksum(mean.onHost()));
  }
}

void runRows() {
  const int rows = sized(1 << 19, 1 << 12, 200), n = sized(16, 10, 6);
  DeviceArray<double> u(random(size_t(rows) * n, 1)), v(size_t(rows) * n);
  if (beginCase("smooth_rows_cuf", {.bytes = 32.0 * rows * n})) {
    while (nextSample())
      smoothRows<<<(rows + 127) / 128, 128>>>(rows, n, u, v);
    endCase(checksum(v.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runTorques();
  runCourant();
  runQueue();
  runPivots();
  runSpecies();
  runInverses();
  runBodies();
  runHalos();
  runSpeeds();
  runColumns();
  runSlopes();
  runExpansion();
  runLevels();
  runRows();
  return finish();
}
