// The same kernels as in the twin, simulations.cuf.
#include "topics_common.h"

constexpr int small = 12, deepest = 40, bins = 16;

struct Reaction {
  float du, dv, feed, kill, dt;
};

struct Motion {
  double position[3], velocity[3];
};

struct Atom {
  Motion now;
  double mass;
  int species;
};

// The flux of shallow water through an edge by the local Lax-Friedrichs method.
__device__ inline void rusanov(const double left[3], const double right[3], double nx, double ny, double flux[3]) {
  constexpr double g = 9.81;
  double ul = (left[1] * nx + left[2] * ny) / left[0];
  double ur = (right[1] * nx + right[2] * ny) / right[0];
  double fl[3], fr[3];
  for (int m = 0; m < 3; ++m) {
    fl[m] = left[m] * ul;
    fr[m] = right[m] * ur;
  }
  fl[1] += 0.5 * g * left[0] * left[0] * nx;
  fl[2] += 0.5 * g * left[0] * left[0] * ny;
  fr[1] += 0.5 * g * right[0] * right[0] * nx;
  fr[2] += 0.5 * g * right[0] * right[0] * ny;
  double speed = fmax(fabs(ul) + sqrt(g * left[0]), fabs(ur) + sqrt(g * right[0]));
  for (int m = 0; m < 3; ++m)
    flux[m] = 0.5 * (fl[m] + fr[m] - speed * (right[m] - left[m]));
}

// A random number in (0, 1) by a congruential generator of 48 bits.
__device__ inline double nextRandom(int64_t &state) {
  state = (state * 25214903917 + 11) & 281474976710655;
  return (state + 0.5) * 3.552713678800501e-15;
}

__device__ inline double integrand(double p, double x) {
  return exp(-x * x) * sin(p * x) + 1 / (1 + p * ((x - 1) * (x - 1)));
}

// A matrix in coordinate form times a vector; terms of a row are added within the warp first.
__global__ void cooProduct(int nonzeros, const int *noalias row, const int *noalias column, const double *noalias a,
                           const double *noalias x, double *y) {
  int k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int r = -1;
  double v = 0;
  if (k < nonzeros) {
    r = row[k];
    v = a[k] * x[column[k]];
  }
  for (int offset = 1; offset < 32; offset *= 2) {
    double other = __shfl_up_sync(~0u, v, offset);
    int otherR = __shfl_up_sync(~0u, r, offset);
    if (lane >= offset && otherR == r)
      v = v + other;
  }
  int otherR = __shfl_down_sync(~0u, r, 1);
  if (r >= 0 && (lane == 31 || otherR != r))
    atomicAdd(&y[r], v);
}

// The game of life with 64 cells per word on a torus.
__global__ void packedLife(int words, int rows, const uint64_t *noalias before, uint64_t *noalias after) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= words || j >= rows)
    return;
  int west = i == 0 ? words - 1 : i - 1, east = i == words - 1 ? 0 : i + 1, k = 0;
  uint64_t near[8], middle[3], ones = 0, twos = 0, fours = 0;
  for (int d = -1; d <= 1; ++d) {
    int row = j + d;
    if (row < 0)
      row = rows - 1;
    if (row == rows)
      row = 0;
    middle[d + 1] = before[row * words + i];
    near[k] = (middle[d + 1] << 1) | (before[row * words + west] >> 63);
    near[k + 1] = (middle[d + 1] >> 1) | (before[row * words + east] << 63);
    k += 2;
  }
  near[6] = middle[0];
  near[7] = middle[2];
  uint64_t own = middle[1];
  for (int k = 0; k < 8; ++k) {
    uint64_t carry = ones & near[k];
    ones ^= near[k];
    uint64_t carry2 = twos & carry;
    twos ^= carry;
    fours |= carry2;
  }
  after[j * words + i] = ~fours & twos & (ones | own);
}

// A step of shallow water on triangles; neighbours that are not positive are walls and open sides.
__global__ void triangleWater(int cells, double dt, const int *noalias neighbour, const double *noalias normal,
                              const double *noalias length, const double *noalias area, const double *noalias q,
                              double *noalias next) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells)
    return;
  double own[3], other[3], flux[3], total[3] = {};
  for (int m = 0; m < 3; ++m)
    own[m] = q[3 * cell + m];
  for (int e = 0; e < 3; ++e) {
    double nx = normal[2 * (3 * cell + e)], ny = normal[2 * (3 * cell + e) + 1];
    int beyond = neighbour[3 * cell + e];
    if (beyond >= 0) {
      for (int m = 0; m < 3; ++m)
        other[m] = q[3 * beyond + m];
    } else if (beyond == -1) {
      double along = 2 * (own[1] * nx + own[2] * ny);
      other[0] = own[0];
      other[1] = own[1] - along * nx;
      other[2] = own[2] - along * ny;
    } else {
      for (int m = 0; m < 3; ++m)
        other[m] = own[m];
    }
    rusanov(own, other, nx, ny, flux);
    for (int m = 0; m < 3; ++m)
      total[m] += length[3 * cell + e] * flux[m];
  }
  for (int m = 0; m < 3; ++m)
    next[3 * cell + m] = own[m] - dt / area[cell] * total[m];
}

// A step of two substances that react and spread.
__global__ void grayScott(int nx, int ny, int nz, Reaction p, const float *noalias u, const float *noalias v,
                          float *noalias uNew, float *noalias vNew) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i > nx || j > ny || k > nz)
    return;
  int y = nx + 2, z = (nx + 2) * (ny + 2), at = k * z + j * y + i;
  float lapU = u[at - 1] + u[at + 1] + u[at - y] + u[at + y] + u[at - z] + u[at + z] - 6 * u[at];
  float lapV = v[at - 1] + v[at + 1] + v[at - y] + v[at + y] + v[at - z] + v[at + z] - 6 * v[at];
  float rate = u[at] * v[at] * v[at];
  uNew[at] = u[at] + p.dt * (p.du * lapU - rate + p.feed * (1 - u[at]));
  vNew[at] = v[at] + p.dt * (p.dv * lapV + rate - (p.feed + p.kill) * v[at]);
}

// Products of many pairs of matrices of 12 x 12, two of them per block.
__global__ void batchedProducts(int count, double alpha, const double *noalias a, const double *noalias b,
                                double *noalias c) {
  __shared__ double as[2][small][small], bs[2][small][small];
  int i = threadIdx.x, j = threadIdx.y, s = threadIdx.z, which = blockIdx.x * 2 + s;
  if (which < count) {
    as[s][j][i] = a[(which * small + j) * small + i];
    bs[s][j][i] = b[(which * small + j) * small + i];
  }
  __syncthreads();
  if (which >= count)
    return;
  double total = 0;
  for (int k = 0; k < small; ++k)
    total = total + as[s][k][i] * bs[s][j][k];
  c[(which * small + j) * small + i] = alpha * total;
}

// Half a step of velocity and a step of position for atoms of three species in a periodic box.
__global__ void verletSpecies(int n, double dt, double box, double friction, Atom *noalias atoms,
                              const double *noalias force) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Motion now = atoms[i].now;
  switch (atoms[i].species) {
  case 1:
    for (int d = 0; d < 3; ++d)
      now.velocity[d] = now.velocity[d] + 0.5 * dt / atoms[i].mass * force[3 * i + d];
    break;
  case 2:
    for (int d = 0; d < 3; ++d)
      now.velocity[d] = 0;
    break;
  case 3:
    for (int d = 0; d < 3; ++d)
      now.velocity[d] = (now.velocity[d] + 0.5 * dt / atoms[i].mass * force[3 * i + d]) * (1 - friction * dt);
    break;
  }
  for (int d = 0; d < 3; ++d) {
    now.position[d] = now.position[d] + dt * now.velocity[d];
    now.position[d] = now.position[d] - box * round(now.position[d] / box);
  }
  atoms[i].now = now;
}

// Neutrons in a slab until they leave it or are absorbed: how many come back, pass, and stay in each layer.
__global__ void slabTransport(int histories, double thickness, double sigma, double absorbed, int *tally) {
  __shared__ int part[bins + 2];
  if (threadIdx.x < bins + 2)
    part[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < histories) {
    int64_t state = ((i + 1) * 2654435761) ^ 25214903917;
    double x = nextRandom(state);
    x = 0;
    double mu = sqrt(nextRandom(state));
    int place;
    while (true) {
      x = x - mu * log(nextRandom(state)) / sigma;
      if (x < 0) {
        place = -1;
        break;
      } else if (x >= thickness) {
        place = bins;
        break;
      }
      if (nextRandom(state) < absorbed) {
        place = int(bins * x / thickness);
        break;
      }
      mu = 2 * nextRandom(state) - 1;
    }
    atomicAdd(&part[place + 1], 1);
  }
  __syncthreads();
  if (threadIdx.x < bins + 2)
    atomicAdd(&tally[threadIdx.x], part[threadIdx.x]);
}

// The unknowns of one level of a triangular matrix in sparse rows.
__global__ void levelSolve(int first, int last, const int *noalias rowOf, const int *noalias start,
                           const int *noalias column, const double *noalias a, const double *noalias diagonal,
                           const double *noalias b, double *noalias x) {
  int at = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= last)
    return;
  int row = rowOf[at];
  double total = b[row];
  for (int k = start[row]; k < start[row + 1]; ++k)
    total = total - a[k] * x[column[k]];
  x[row] = total / diagonal[row];
}

__device__ inline void multiply(const double a[4][4], const double b[4][4], double c[4][4]) {
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      double total = 0;
      for (int k = 0; k < 4; ++k)
        total += a[k][i] * b[j][k];
      c[j][i] = total;
    }
}

// Exponentials of matrices of 4 x 4 by a series and repeated squares.
__global__ void matrixExponential(int n, const double *noalias a, double *noalias e) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= n)
    return;
  double b[4][4], p[4][4] = {}, product[4][4], norm = 0;
  for (int j = 0; j < 4; ++j) {
    double total = 0;
    for (int i = 0; i < 4; ++i)
      total += fabs(a[(m * 4 + j) * 4 + i]);
    norm = fmax(norm, total);
  }
  int exponent;
  frexp(norm, &exponent);
  int halvings = max(0, exponent + 1);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i)
      b[j][i] = ldexp(1.0, -halvings) * a[(m * 4 + j) * 4 + i];
  for (int i = 0; i < 4; ++i)
    p[i][i] = 1;
  for (int k = 10; k >= 1; --k) {
    multiply(b, p, product);
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        p[j][i] = product[j][i] / k;
    for (int i = 0; i < 4; ++i)
      p[i][i] = p[i][i] + 1;
  }
  for (int k = 0; k < halvings; ++k) {
    multiply(p, p, product);
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        p[j][i] = product[j][i];
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i)
      e[(m * 4 + j) * 4 + i] = p[j][i];
}

// Integrals by Simpson's rule on intervals that are halved where it is necessary, from a stack.
__global__ void adaptiveSimpson(int n, const double *noalias peak, double from, double to, double tolerance,
                                double *noalias integral, int *noalias evaluations) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double low[deepest], high[deepest], fLow[deepest], fMid[deepest], fHigh[deepest], whole[deepest];
  double p = peak[i];
  low[0] = from;
  high[0] = to;
  fLow[0] = integrand(p, from);
  fMid[0] = integrand(p, 0.5 * (from + to));
  fHigh[0] = integrand(p, to);
  whole[0] = (to - from) / 6 * (fLow[0] + 4 * fMid[0] + fHigh[0]);
  int top = 1, used = 3;
  double total = 0;
  while (top > 0) {
    --top;
    double a = low[top], b = high[top], fa = fLow[top], fm = fMid[top], fb = fHigh[top], one = whole[top];
    double fl = integrand(p, 0.75 * a + 0.25 * b);
    double fr = integrand(p, 0.25 * a + 0.75 * b);
    used += 2;
    double left = (b - a) / 12 * (fa + 4 * fl + fm);
    double right = (b - a) / 12 * (fm + 4 * fr + fb);
    if ((b - a < 0.1 && fabs(left + right - one) <= 15 * tolerance * (b - a)) || top + 2 > deepest) {
      total = total + left + right + (left + right - one) / 15;
      continue;
    }
    low[top] = a;
    high[top] = 0.5 * (a + b);
    fLow[top] = fa;
    fMid[top] = fl;
    fHigh[top] = fm;
    whole[top] = left;
    low[top + 1] = 0.5 * (a + b);
    high[top + 1] = b;
    fLow[top + 1] = fm;
    fMid[top + 1] = fr;
    fHigh[top + 1] = fb;
    whole[top + 1] = right;
    top += 2;
  }
  integral[i] = total;
  evaluations[i] = used;
}

void runCoo() {
  const int rows = sized(1 << 20, 1 << 12, 300);
  std::vector<int> count = randomInts(rows, 13, 3), row;
  for (int r = 0; r < rows; ++r)
    row.insert(row.end(), count[r] + 2, r);
  const int nonzeros = int(row.size());
  std::vector<int> column = randomInts(nonzeros, 1000, 4);
  for (int k = 0; k < nonzeros; ++k)
    column[k] = (row[k] + column[k] - 500 + 500 * rows) % rows;
  DeviceArray<int> rowD(row), columnD(column);
  DeviceArray<double> a(random(nonzeros, 1, 1.0)), x(random(rows, 2, 1.0)), y(rows);
  if (beginCase("coo_product", {.bytes = 16.0 * nonzeros + 24.0 * rows})) {
    while (nextSample()) {
      setZero<<<(rows + 255) / 256, 256>>>(rows, (double *)y);
      cooProduct<<<(nonzeros + 127) / 128, 128>>>(nonzeros, rowD, columnD, a, x, y);
    }
    endCase(checksum(y.onHost()));
  }
}

void runLife() {
  const int words = sized(512, 16, 5), rows = sized(16384, 256, 33), all = words * rows;
  std::vector<int> x = randomInts(4 * size_t(all), 65536, 1);
  std::vector<uint64_t> cells(all);
  for (int i = 0; i < all; ++i)
    for (int k = 0; k < 4; ++k)
      cells[i] = (cells[i] << 16) | x[4 * i + k];
  DeviceArray<uint64_t> before(cells), after(all);
  if (beginCase("packed_life", {.bytes = 16.0 * all})) {
    while (nextSample())
      packedLife<<<dim3((words + 63) / 64, (rows + 3) / 4), dim3(64, 4)>>>(words, rows, before, after);
    std::vector<uint64_t> got = after.onHost();
    double total = 0;
    for (int i = 0; i < all; ++i)
      total += double(got[i] & 4294967295) * (1 + (i + 1) % 1009) + double(got[i] >> 32);
    endCase(total);
  }
}

void runTriangles() {
  const int cells = sized(1 << 20, 1 << 12, 300);
  std::vector<int> neighbour = randomInts(3 * size_t(cells), 400, 1);
  for (int i = 0; i < 3 * cells; ++i) {
    int other = i / 3 + neighbour[i] - 200;
    neighbour[i] = other < 0 ? -1 : other >= cells ? -2 : other;
  }
  std::vector<double> angle = random(3 * size_t(cells), 2, 6.28), normal(6 * size_t(cells));
  for (int i = 0; i < 3 * cells; ++i) {
    normal[2 * i] = std::cos(angle[i]);
    normal[2 * i + 1] = std::sin(angle[i]);
  }
  std::vector<double> q = random(3 * size_t(cells), 3, 1.0, 0.5);
  DeviceArray<int> neighbourD(neighbour);
  DeviceArray<double> normalD(normal), length(random(3 * size_t(cells), 4, 1.0, 0.5)),
      area(random(cells, 5, 1.0, 0.5)), qD(q), next(3 * size_t(cells));
  if (beginCase("triangle_water", {.bytes = 140.0 * cells})) {
    while (nextSample())
      triangleWater<<<(cells + 127) / 128, 128>>>(cells, 0.01, neighbourD, normalD, length, area, qD, next);
    endCase(checksum(next.onHost()));
  }
}

void runReaction() {
  const int n = sized(256, 32, 12), nz = sized(256, 24, 9);
  const size_t all = size_t(n + 2) * (n + 2) * (nz + 2);
  const Reaction p = {0.16f, 0.08f, 0.035f, 0.06f, 0.5f};
  DeviceArray<float> u(random(all, 1, 1.0f)), v(random(all, 2, 1.0f)), uNew(all), vNew(all);
  uNew.clear();
  vNew.clear();
  if (beginCase("gray_scott", {.bytes = 16.0 * n * n * nz, .kind = 4})) {
    while (nextSample())
      grayScott<<<dim3((n + 31) / 32, (n + 3) / 4, (nz + 1) / 2), dim3(32, 4, 2)>>>(n, n, nz, p, u, v, uNew, vNew);
    endCase(checksum(uNew.onHost()) + 2 * checksum(vNew.onHost()));
  }
}

void runBatched() {
  const int count = sized(65536, 256, 21), all = small * small * count;
  DeviceArray<double> a(random(all, 1, 1.0)), b(random(all, 2, 1.0)), c(all);
  if (beginCase("batched_products", {.bytes = 24.0 * all})) {
    while (nextSample())
      batchedProducts<<<(count + 1) / 2, dim3(small, small, 2)>>>(count, 0.5, a, b, c);
    endCase(checksum(c.onHost()));
  }
}

void runVerlet() {
  const int n = sized(1 << 21, 1 << 13, 300);
  std::vector<double> x = random(7 * size_t(n), 1, 1.0);
  std::vector<int> species = randomInts(n, 3, 2);
  std::vector<Atom> atoms(n);
  for (int i = 0; i < n; ++i) {
    for (int d = 0; d < 3; ++d) {
      atoms[i].now.position[d] = 10 * x[7 * i + d] - 5;
      atoms[i].now.velocity[d] = x[7 * i + 3 + d] - 0.5;
    }
    atoms[i].mass = 1 + x[7 * i + 6];
    atoms[i].species = species[i] + 1;
  }
  DeviceArray<Atom> atomsD(atoms);
  DeviceArray<double> force(random(3 * size_t(n), 3, 1.0, -0.5));
  if (beginCase("verlet_species", {.bytes = 140.0 * n})) {
    while (nextSample())
      verletSpecies<<<(n + 127) / 128, 128>>>(n, 0.0, 10.0, 0.1, atomsD, force);
    atomsD = atoms;
    verletSpecies<<<(n + 127) / 128, 128>>>(n, 0.01, 10.0, 0.1, atomsD, force);
    atoms = atomsD.onHost();
    double total = 0;
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < 3; ++d)
        total += (std::abs(atoms[i].now.position[d]) + std::abs(atoms[i].now.velocity[d])) * (1 + (i + 1) % 1009);
    endCase(total);
  }
}

void runSlab() {
  const int histories = sized(1 << 22, 1 << 14, 2000);
  DeviceArray<int> tally(bins + 2);
  if (beginCase("slab_transport", {.flops = 100.0 * histories})) {
    while (nextSample()) {
      setZero<<<1, 32>>>(bins + 2, (int *)tally);
      slabTransport<<<(histories + 127) / 128, 128>>>(histories, 4.0, 1.0, 0.125, tally);
    }
    endCase(checksum(tally.onHost()));
  }
}

void runLevels() {
  const int levels = 16, size = sized(1 << 16, 1 << 8, 20), rows = levels * size;
  std::vector<int> start = randomInts(rows + 1, 9, 1), rowOf(rows);
  int next = 0;
  for (int r = 0; r <= rows; ++r) {
    int count = r < size ? 0 : start[r] + 4;
    start[r] = next;
    next += count;
  }
  const int nonzeros = start[rows];
  std::vector<int> column = randomInts(nonzeros, 1 << 20, 2);
  for (int r = 0; r < rows; ++r) {
    rowOf[r] = r / size * size + 7 * (r % size) % size;
    for (int k = start[r]; k < start[r + 1]; ++k)
      column[k] = column[k] % (r / size * size);
  }
  DeviceArray<int> startD(start), rowOfD(rowOf), columnD(column);
  DeviceArray<double> a(random(nonzeros, 3, 0.1)), diagonal(random(rows, 4, 1.0, 1.0)), b(random(rows, 5, 1.0)),
      x(rows);
  if (beginCase("level_solve", {.bytes = 12.0 * nonzeros + 40.0 * rows})) {
    while (nextSample())
      for (int level = 0; level < levels; ++level)
        levelSolve<<<(size + 127) / 128, 128>>>(level * size, (level + 1) * size, rowOfD, startD, columnD, a, diagonal,
                                               b, x);
    endCase(checksum(x.onHost()));
  }
}

void runExponentials() {
  const int n = sized(1 << 19, 1 << 11, 200);
  DeviceArray<double> a(random(16 * size_t(n), 1, 4.0, -2.0)), e(16 * size_t(n));
  if (beginCase("matrix_exponential", {.bytes = 256.0 * n})) {
    while (nextSample())
      matrixExponential<<<(n + 127) / 128, 128>>>(n, a, e);
    endCase(magnitudes(e.onHost()));
  }
}

void runSimpson() {
  const int n = sized(1 << 16, 1 << 10, 100);
  DeviceArray<double> peak(random(n, 1, 100.0, 1.0)), integral(n);
  DeviceArray<int> evaluations(n);
  if (beginCase("adaptive_simpson", {.flops = 60.0 * 100 * n})) {
    while (nextSample())
      adaptiveSimpson<<<(n + 63) / 64, 64>>>(n, peak, -1.0, 3.0, 1e-8, integral, evaluations);
    endCase(checksum(integral.onHost()) + checksum(evaluations.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runCoo();
  runLife();
  runTriangles();
  runReaction();
  runBatched();
  runVerlet();
  runSlab();
  runLevels();
  runExponentials();
  runSimpson();
  return finish();
}
