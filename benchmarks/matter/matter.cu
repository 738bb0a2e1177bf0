// Matter in particles, waves and elements: densities of smoothed particles from cells, embedded atoms with tables of
// splines, building lists of neighbours, bonds of fixed length in an array of structures, overlaps of complex wave
// functions at many k-points, paths of prices by xorshift, rates of reversible reactions from tables in constant
// memory, and forces of an elastic medium in spectral elements. Twin: matter.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 128, bands = 16, species = 10, reactions = 24, points = 5;
constexpr double pi = 3.14159265358979324;

struct Molecule {
  double now[3][3], before[3][3];
  float mass[3];
  int rounds;
};

__constant__ double factor[reactions], power[reactions], barrier[reactions], thermo[species][5];
__constant__ int reactant[reactions][2], productOf[reactions][2];

__device__ inline float square(float x) { return x * x; }
__device__ inline double square(double x) { return x * x; }
__device__ inline float cube(float x) { return x * x * x; }

// Sums of a cubic spline over the particles in 27 cells; particles are in the order of their cells.
__global__ void density(int n, int cells, const int *noalias first, const float *noalias x, const float *noalias y,
                        const float *noalias z, float *noalias rho) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float xi = x[i], yi = y[i], zi = z[i], total = 0;
  for (int c = max(int(zi) - 1, 0); c <= min(int(zi) + 1, cells - 1); ++c)
    for (int b = max(int(yi) - 1, 0); b <= min(int(yi) + 1, cells - 1); ++b)
      for (int a = max(int(xi) - 1, 0); a <= min(int(xi) + 1, cells - 1); ++a) {
        int cell = a + cells * (b + cells * c);
        for (int j = first[cell]; j < first[cell + 1]; ++j) {
          float r = 2 * sqrtf(square(x[j] - xi) + square(y[j] - yi) + square(z[j] - zi));
          if (r < 1)
            total += 1 - 1.5f * square(r) + 0.75f * cube(r);
          else if (r < 2)
            total += 0.25f * cube(2 - r);
        }
      }
  rho[i] = total / (3.1415927f * 0.125f);
}

__device__ inline int wrapped(int i, int n) {
  int rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// The neighbours of each particle within a distance, in a periodic box.
__global__ void buildList(int n, int cells, int most, float reach, const int *noalias first, const float *noalias x,
                          int *noalias number, int *noalias list) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float box = cells;
  int found = 0;
  for (int c = -1; c <= 1; ++c)
    for (int b = -1; b <= 1; ++b)
      for (int a = -1; a <= 1; ++a) {
        int cell = wrapped(int(x[3 * i]) + a, cells) +
                   cells * (wrapped(int(x[3 * i + 1]) + b, cells) + cells * wrapped(int(x[3 * i + 2]) + c, cells));
        for (int j = first[cell]; j < first[cell + 1]; ++j) {
          float d[3];
          for (int l = 0; l < 3; ++l) {
            d[l] = x[3 * j + l] - x[3 * i + l];
            d[l] -= box * roundf(d[l] / box);
          }
          if (j != i && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach) {
            if (found < most)
              list[found * n + i] = j;
            ++found;
          }
        }
      }
  number[i] = found;
}

// Energies and electron densities of atoms, both from tables of cubic splines.
__global__ void embeddedAtoms(int n, int most, int intervals, double step, double reach, const int *noalias number,
                              const int *noalias list, const float *noalias x, const double *noalias pairs,
                              const double *noalias electrons, double *noalias energy, double *noalias rho) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double own = 0, around = 0;
  for (int k = 0; k < number[i]; ++k) {
    int j = list[k * n + i];
    double r2 = square(double(x[3 * i]) - x[3 * j]) + square(double(x[3 * i + 1]) - x[3 * j + 1]) +
                square(double(x[3 * i + 2]) - x[3 * j + 2]);
    if (r2 >= reach * reach)
      continue;
    double t = sqrt(r2) / step;
    int m = min(int(t), intervals - 1);
    t -= m;
    const double *p = pairs + 4 * m, *e = electrons + 4 * m;
    own += ((p[3] * t + p[2]) * t + p[1]) * t + p[0];
    around += ((e[3] * t + e[2]) * t + e[1]) * t + e[0];
  }
  energy[i] = 0.5 * own - sqrt(around);
  rho[i] = around;
}

// Moves the atoms of each molecule until its three bonds have their lengths again.
__global__ void constrain(int n, const double *noalias lengths, double tolerance, const Molecule *noalias molecules,
                          Molecule *noalias constrained) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Molecule own = molecules[i];
  own.rounds = 0;
  double worst = 2 * tolerance;
  while (worst > tolerance && own.rounds < 100) {
    worst = 0;
    for (int bond = 0; bond < 3; ++bond) {
      int a = bond, b = (bond + 1) % 3;
      double now[3], before[3];
      for (int l = 0; l < 3; ++l) {
        now[l] = own.now[a][l] - own.now[b][l];
        before[l] = own.before[a][l] - own.before[b][l];
      }
      double wrong = lengths[bond] * lengths[bond] - (now[0] * now[0] + now[1] * now[1] + now[2] * now[2]);
      worst = fmax(worst, fabs(wrong));
      double shift = wrong / (2 * (1 / own.mass[a] + 1 / own.mass[b]) *
                              (now[0] * before[0] + now[1] * before[1] + now[2] * before[2]));
      for (int l = 0; l < 3; ++l) {
        own.now[a][l] += shift / own.mass[a] * before[l];
        own.now[b][l] -= shift / own.mass[b] * before[l];
      }
    }
    ++own.rounds;
  }
  constrained[i] = own;
}

// Products of all pairs of wave functions at a k-point, a block for each.
__global__ void overlaps(int waves, const double *noalias weight, const double2 *noalias psi, double2 *noalias s) {
  __shared__ double2 tile[bands][bands + 1];
  int a = threadIdx.x, b = threadIdx.y, k = blockIdx.x;
  double2 total = make_double2(0, 0);
  for (int g = 0; g < waves; g += bands) {
    double root = sqrt(weight[k * waves + g + a]);
    double2 value = psi[(k * bands + b) * waves + g + a];
    tile[b][a] = make_double2(root * value.x, root * value.y);
    __syncthreads();
    for (int l = 0; l < bands; ++l) {
      double2 left = tile[a][l], right = tile[b][l];
      total.x += left.x * right.x + left.y * right.y;
      total.y += left.x * right.y - left.y * right.x;
    }
    __syncthreads();
  }
  s[(k * bands + b) * bands + a] = total;
}

__device__ inline uint64_t xorshift(uint64_t state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^ (state << 17);
}

// The mean price along a path; nothing once it has been above the limit.
__device__ double payoff(int seed, int steps, double drift, double volatility, double strike, double limit) {
  uint64_t state = 88172645463325252 + seed * 2685821657737;
  double price = 1, total = 0;
  for (int step = 0; step < steps; ++step) {
    state = xorshift(state);
    double u = (int64_t(state >> 11) + 0.5) * 0x1p-53;
    state = xorshift(state);
    double v = int64_t(state >> 11) * 0x1p-53;
    price *= exp(drift + volatility * sqrt(-2 * log(u)) * cos(2 * pi * v));
    if (price > limit)
      return 0;
    total += price;
  }
  return fmax(total / steps - strike, 0.0);
}

__global__ void pricePaths(int n, int steps, double drift, double volatility, double strike, double limit,
                           double *noalias paid) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    paid[i] = payoff(i + 1, steps, drift, volatility, strike, limit);
}

// How fast species appear, by reactions with a forward and a backward rate.
__global__ void production(int cells, const double *noalias temperature, const double *noalias c,
                           double *noalias made) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  double gibbs[species], rate[species], own[species], t = temperature[i];
  for (int s = 0; s < species; ++s) {
    gibbs[s] = thermo[s][0] * (1 - log(t)) - t * (thermo[s][1] / 2 + t * (thermo[s][2] / 6 + t * thermo[s][3] / 12)) +
               thermo[s][4] / t;
    own[s] = c[s * cells + i];
    rate[s] = 0;
  }
  for (int r = 0; r < reactions; ++r) {
    double forward = factor[r] * pow(t, power[r]) * exp(-barrier[r] / t);
    double backward =
        forward * exp(gibbs[productOf[r][0]] + gibbs[productOf[r][1]] - gibbs[reactant[r][0]] - gibbs[reactant[r][1]]);
    double flow =
        forward * own[reactant[r][0]] * own[reactant[r][1]] - backward * own[productOf[r][0]] * own[productOf[r][1]];
    rate[reactant[r][0]] -= flow;
    rate[reactant[r][1]] -= flow;
    rate[productOf[r][0]] += flow;
    rate[productOf[r][1]] += flow;
  }
  for (int s = 0; s < species; ++s)
    made[s * cells + i] = rate[s];
}

// Forces of the stresses in an element of 5 x 5 x 5 points, added to the points that elements share.
__global__ void elasticForces(const int *noalias place, const float *noalias u, const float *noalias h,
                              const float *noalias metric, const float *noalias bulk, const float *noalias shear,
                              float *noalias force) {
  constexpr int all = points * points * points;
  __shared__ float sh[points][points], sx[points][points][points], sy[points][points][points],
      sz[points][points][points];
  __shared__ float t1[3][points][points][points], t2[3][points][points][points], t3[3][points][points][points];
  int e = blockIdx.x, t = threadIdx.x, p;
  int k = t / (points * points);
  int j = (t - points * points * k) / points;
  int i = t - points * j - points * points * k;
  if (t < points * points)
    sh[t / points][t % points] = h[t];
  if (t < all) {
    p = place[e * all + t];
    sx[k][j][i] = u[3 * p];
    sy[k][j][i] = u[3 * p + 1];
    sz[k][j][i] = u[3 * p + 2];
  }
  __syncthreads();
  if (t < all) {
    float x1 = 0, x2 = 0, x3 = 0, y1 = 0, y2 = 0, y3 = 0, z1 = 0, z2 = 0, z3 = 0;
    for (int l = 0; l < points; ++l) {
      x1 += sx[k][j][l] * sh[l][i];
      y1 += sy[k][j][l] * sh[l][i];
      z1 += sz[k][j][l] * sh[l][i];
      x2 += sx[k][l][i] * sh[l][j];
      y2 += sy[k][l][i] * sh[l][j];
      z2 += sz[k][l][i] * sh[l][j];
      x3 += sx[l][j][i] * sh[l][k];
      y3 += sy[l][j][i] * sh[l][k];
      z3 += sz[l][j][i] * sh[l][k];
    }
    const float *m = metric + e * 9 * 128 + t;
    float a1 = m[0], a2 = m[128], a3 = m[2 * 128];
    float b1 = m[3 * 128], b2 = m[4 * 128], b3 = m[5 * 128];
    float c1 = m[6 * 128], c2 = m[7 * 128], c3 = m[8 * 128];
    float xx = a1 * x1 + b1 * x2 + c1 * x3;
    float xy = a2 * x1 + b2 * x2 + c2 * x3;
    float xz = a3 * x1 + b3 * x2 + c3 * x3;
    float yx = a1 * y1 + b1 * y2 + c1 * y3;
    float yy = a2 * y1 + b2 * y2 + c2 * y3;
    float yz = a3 * y1 + b3 * y2 + c3 * y3;
    float zx = a1 * z1 + b1 * z2 + c1 * z3;
    float zy = a2 * z1 + b2 * z2 + c2 * z3;
    float zz = a3 * z1 + b3 * z2 + c3 * z3;
    float mu = shear[e * 128 + t];
    float lambda = bulk[e * 128 + t] - 2.0f / 3 * mu;
    float trace = lambda * (xx + yy + zz);
    float sxx = trace + 2 * mu * xx;
    float syy = trace + 2 * mu * yy;
    float szz = trace + 2 * mu * zz;
    float sxy = mu * (xy + yx);
    float sxz = mu * (xz + zx);
    float syz = mu * (yz + zy);
    t1[0][k][j][i] = sxx * a1 + sxy * a2 + sxz * a3;
    t1[1][k][j][i] = sxy * a1 + syy * a2 + syz * a3;
    t1[2][k][j][i] = sxz * a1 + syz * a2 + szz * a3;
    t2[0][k][j][i] = sxx * b1 + sxy * b2 + sxz * b3;
    t2[1][k][j][i] = sxy * b1 + syy * b2 + syz * b3;
    t2[2][k][j][i] = sxz * b1 + syz * b2 + szz * b3;
    t3[0][k][j][i] = sxx * c1 + sxy * c2 + sxz * c3;
    t3[1][k][j][i] = sxy * c1 + syy * c2 + syz * c3;
    t3[2][k][j][i] = sxz * c1 + syz * c2 + szz * c3;
  }
  __syncthreads();
  if (t < all) {
    float x1 = 0, y1 = 0, z1 = 0;
    for (int l = 0; l < points; ++l) {
      x1 += t1[0][k][j][l] * sh[i][l] + t2[0][k][l][i] * sh[j][l] + t3[0][l][j][i] * sh[k][l];
      y1 += t1[1][k][j][l] * sh[i][l] + t2[1][k][l][i] * sh[j][l] + t3[1][l][j][i] * sh[k][l];
      z1 += t1[2][k][j][l] * sh[i][l] + t2[2][k][l][i] * sh[j][l] + t3[2][l][j][i] * sh[k][l];
    }
    atomicAdd(&force[3 * p], -x1);
    atomicAdd(&force[3 * p + 1], -y1);
    atomicAdd(&force[3 * p + 2], -z1);
  }
}

// Particles in the order of their cells, up to `below` - 1 in each: first[cell] is the number of the first one.
void fillCells(int cells, int below, std::vector<int> &first, std::vector<float> &x) {
  const int all = cells * cells * cells;
  std::vector<int> number(all);
  fill(number, below, 1);
  first.assign(all + 1, 0);
  for (int cell = 0; cell < all; ++cell)
    first[cell + 1] = first[cell] + number[cell];
  x.resize(3 * first[all]);
  fill(x, 2);
  for (int cell = 0; cell < all; ++cell)
    for (int i = first[cell]; i < first[cell + 1]; ++i) {
      x[3 * i] += cell % cells;
      x[3 * i + 1] += cell / cells % cells;
      x[3 * i + 2] += cell / cells / cells;
    }
}

void smoothedParticles() {
  const int cells = sized(64, 16, 6);
  std::vector<int> first;
  std::vector<float> x;
  fillCells(cells, 8, first, x);
  const int n = x.size() / 3;
  std::vector<float> parts[3];
  for (int i = 0; i < 3 * n; ++i)
    parts[i % 3].push_back(x[i]);
  DeviceArray<int> firstD(first);
  DeviceArray<float> xD(parts[0]), yD(parts[1]), zD(parts[2]), rhoD(n);
  if (beginCase("sph_density", {.flops = 8.0 * 27 * 3.5 * n, .kind = 4})) {
    while (nextSample())
      density<<<(n + threads - 1) / threads, threads>>>(n, cells, firstD, xD, yD, zD, rhoD);
    endCase(checksum(rhoD.onHost()));
  }
}

void atoms() {
  const int cells = sized(40, 12, 5), most = 80, intervals = 1000;
  std::vector<int> first;
  std::vector<float> x;
  fillCells(cells, 12, first, x);
  const int n = x.size() / 3;
  DeviceArray<int> firstD(first), numberD(n), listD(size_t(n) * most);
  DeviceArray<float> xD(x);
  listD.clear();
  if (beginCase("neighbour_build", {.flops = 12.0 * 27 * 5.5 * n, .kind = 4})) {
    while (nextSample())
      buildList<<<(n + threads - 1) / threads, threads>>>(n, cells, most, 0.95f, firstD, xD, numberD, listD);
    double total = 0, mostFound = 0;
    for (int number : numberD.onHost()) {
      total += number;
      mostFound = fmax(mostFound, number);
    }
    endCase(total + mostFound);
  }
  buildList<<<(n + threads - 1) / threads, threads>>>(n, cells, most, 0.95f, firstD, xD, numberD, listD);
  std::vector<int> number = numberD.onHost();
  for (int &value : number)
    value = value < most ? value : most;
  numberD = number;

  std::vector<double> pairs(4 * (intervals + 1)), electrons(pairs.size());
  for (int i = 0; i <= intervals; ++i) {
    double r = i / 1000.0;
    const double p[4] = {(1 - r) * (1 - r) * (1 - r), -3 * (1 - r) * (1 - r) * 1e-3, 3 * (1 - r) * 1e-6, -1e-9};
    const double e[4] = {1 - r * r, -2 * r * 1e-3, -1e-6, 0};
    for (int l = 0; l < 4; ++l) {
      pairs[4 * i + l] = p[l];
      electrons[4 * i + l] = e[l];
    }
  }
  DeviceArray<double> pairsD(pairs), electronsD(electrons), energyD(n), rhoD(n);
  if (beginCase("embedded_atoms", {.flops = 30 * sum(number)})) {
    while (nextSample())
      embeddedAtoms<<<(n + threads - 1) / threads, threads>>>(n, most, intervals, 1e-3, 0.9, numberD, listD, xD, pairsD,
                                                              electronsD, energyD, rhoD);
    endCase(checksum(energyD.onHost()) + checksum(rhoD.onHost()));
  }
}

void water() {
  const int n = sized(1 << 18, 1 << 12, 1 << 8);
  const double whereAt[3][3] = {{0, 0, 0}, {0.8, 0.6, 0}, {-0.8, 0.6, 0}};
  std::vector<double> lengths = {1, 1.6, 1}, moved(9 * n);
  std::vector<Molecule> molecules(n);
  fill(moved, 1);
  for (int i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a)
      for (int l = 0; l < 3; ++l) {
        molecules[i].before[a][l] = whereAt[a][l];
        molecules[i].now[a][l] = whereAt[a][l] + 0.1 * (moved[9 * i + 3 * a + l] - 0.5);
      }
    molecules[i].mass[0] = 16;
    molecules[i].mass[1] = molecules[i].mass[2] = 1;
    molecules[i].rounds = 0;
  }
  DeviceArray<double> lengthsD(lengths);
  if (DeviceArray<Molecule> moleculesD(molecules), afterD(n); beginCase("constraints", {.bytes = 320.0 * n})) {
    while (nextSample())
      constrain<<<(n + threads - 1) / threads, threads>>>(n, lengthsD, 1e-10, moleculesD, afterD);
    std::vector<Molecule> after = afterD.onHost();
    double total = 0;
    for (int i = 0; i < n; ++i) {
      double places = 0;
      for (int l = 0; l < 9; ++l)
        places += after[i].now[l / 3][l % 3];
      total += places * ((i + 1) % 1009) + after[i].rounds;
    }
    endCase(total);
  }
}

void kPoints() {
  const int n = sized(1024, 64, 4), waves = sized(512, 64, 32), all = waves * bands * n;
  std::vector<double> parts(2 * all), weight(waves * n);
  fill(parts, 1);
  fill(weight, 2);
  for (double &value : parts)
    value -= 0.5;
  DeviceArray<double> partsD(parts), weightD(weight), sD(2 * bands * bands * n);
  const double2 *psi = reinterpret_cast<const double2 *>((double *)partsD);
  if (beginCase("overlaps", {.bytes = 16.0 * all, .flops = 8.0 * bands * all})) {
    while (nextSample())
      overlaps<<<n, dim3(bands, bands)>>>(waves, weightD, psi, reinterpret_cast<double2 *>((double *)sD));
    endCase(checksum(sD.onHost()));
  }
}

void prices() {
  const int n = sized(1 << 18, 1 << 12, 1 << 10);
  DeviceArray<double> paidD(n);
  if (beginCase("price_paths", {.flops = 64.0 * 100 * n})) {
    while (nextSample())
      pricePaths<<<(n + threads - 1) / threads, threads>>>(n, 64, -5e-4, 0.03, 1, 1.5, paidD);
    endCase(sum(paidD.onHost()));
  }
}

void chemistry() {
  const int n = sized(1 << 20, 1 << 12, 1 << 8);
  std::vector<double> temperature(n), c(n * species), random(reactions), nasa(5 * species), powers(reactions),
      barriers(reactions);
  std::vector<int> numbers(4 * reactions);
  fill(temperature, 1);
  fill(c, 2);
  fill(random, 3);
  fill(nasa, 4);
  fill(numbers, species, 5);
  const double scale[5] = {1, 1e-3, 1e-6, 1e-9, 500};
  for (int i = 0; i < 5 * species; ++i)
    nasa[i] *= scale[i % 5];
  for (double &value : temperature)
    value = 800 + 1000 * value;
  for (int r = 0; r < reactions; ++r) {
    powers[r] = random[reactions - 1 - r];
    barriers[r] = 2000 * random[r];
  }
  cudaMemcpyToSymbol(factor, random.data(), sizeof factor);
  cudaMemcpyToSymbol(power, powers.data(), sizeof power);
  cudaMemcpyToSymbol(barrier, barriers.data(), sizeof barrier);
  cudaMemcpyToSymbol(thermo, nasa.data(), sizeof thermo);
  cudaMemcpyToSymbol(reactant, numbers.data(), sizeof reactant);
  cudaMemcpyToSymbol(productOf, numbers.data() + 2 * reactions, sizeof productOf);
  DeviceArray<double> temperatureD(temperature), cD(c), madeD(c.size());
  if (beginCase("production", {.bytes = 168.0 * n})) {
    while (nextSample())
      production<<<(n + threads - 1) / threads, threads>>>(n, temperatureD, cD, madeD);
    endCase(checksum(madeD.onHost()));
  }
}

void earth() {
  const int n = sized(24, 6, 3), elements = n * n * n, along = 4 * n + 1, places = along * along * along;
  std::vector<int> place(125 * elements);
  for (int e = 0; e < elements; ++e)
    for (int t = 0; t < 125; ++t) {
      int i = 4 * (e % n) + t % 5, j = 4 * (e / n % n) + t / 5 % 5, k = 4 * (e / n / n) + t / 25;
      place[e * 125 + t] = i + along * (j + along * k);
    }
  std::vector<float> u(3 * places), h(25), metric(128 * 9 * elements), bulk(128 * elements), shear(bulk.size());
  fill(u, 1);
  fill(h, 2);
  fill(metric, 3);
  fill(bulk, 4);
  fill(shear, 5);
  for (float &value : h)
    value -= 0.5f;
  DeviceArray<int> placeD(place);
  DeviceArray<float> uD(u), hD(h), metricD(metric), bulkD(bulk), shearD(shear), forceD(u.size());
  forceD.clear();
  if (beginCase("elastic_forces", {.bytes = 6132.0 * elements, .kind = 4})) {
    while (nextSample())
      elasticForces<<<elements, 128>>>(placeD, uD, hD, metricD, bulkD, shearD, forceD);
    forceD.clear();
    elasticForces<<<elements, 128>>>(placeD, uD, hD, metricD, bulkD, shearD, forceD);
    endCase(checksum(forceD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  smoothedParticles();
  atoms();
  water();
  kPoints();
  prices();
  chemistry();
  earth();
  return finish();
}
