// The same kernels as in the twin, searches.cuf.
#include "benchmark.h"

using namespace benchmark;

// The sharpest jump in every profile where a mask allows it, and how far the profile is from a reference.
__global__ void sharpestJump(int n, int levels, const double *noalias t, const int *noalias allowed,
                             const double *noalias reference, int *noalias level, double *noalias distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int place = 0;
  double most = -1, sum = 0;
  for (int k = 0; k < levels - 1; ++k) {
    double jump = fabs(t[(k + 1) * n + i] - t[k * n + i]);
    if (allowed[k] && jump > most) {
      most = jump;
      place = k + 1;
    }
  }
  for (int k = 0; k < levels; ++k) {
    double difference = t[k * n + i] - reference[k];
    sum += difference * difference;
  }
  level[i] = place;
  distance[i] = sqrt(sum);
}

// The centre that is nearest to every point.
__global__ void nearestCentre(int n, int m, const float *noalias x, const float *noalias centres,
                              int *noalias nearest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int place = 0;
  float least = HUGE_VALF;
  for (int k = 0; k < m; ++k) {
    float u = centres[k] - x[2 * i], v = centres[m + k] - x[2 * i + 1], square = u * u + v * v;
    if (square < least) {
      least = square;
      place = k + 1;
    }
  }
  nearest[i] = place;
}

// Rates of four reactions by Arrhenius' law, and what they do to four species.
__global__ void reactionRates(int n, double dt, const double *noalias t, const double *noalias k, double *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double r[4];
  for (int j = 0; j < 4; ++j)
    r[j] = k[3 * j] * pow(t[i], k[3 * j + 1]) * exp(-k[3 * j + 2] / t[i]) * c[j * n + i];
  c[i] += dt * (r[1] - r[0]);
  c[n + i] += dt * (r[0] - r[1] - r[2]);
  c[2 * n + i] += dt * (r[2] - r[3]);
  c[3 * n + i] += dt * r[3];
}

// Tridiagonal systems by cyclic reduction in shared memory, one per block.
__global__ void parallelReduction(int n, const float *noalias a, const float *noalias b, const float *noalias c,
                                  const float *noalias d, float *noalias x) {
  __shared__ float sa[256], sb[256], sc[256], sd[256];
  int t = threadIdx.x, at = blockIdx.x * n + t;
  sa[t] = a[at];
  sb[t] = b[at];
  sc[t] = c[at];
  sd[t] = d[at];
  __syncthreads();
  for (int s = 1; s < n; s *= 2) {
    int l = max(t - s, 0), r = min(t + s, n - 1);
    float below = sa[t] / sb[l], above = sc[t] / sb[r];
    float na = -sa[l] * below, nc = -sc[r] * above;
    float nb = sb[t] - sc[l] * below - sa[r] * above;
    float nd = sd[t] - sd[l] * below - sd[r] * above;
    __syncthreads();
    sa[t] = na;
    sb[t] = nb;
    sc[t] = nc;
    sd[t] = nd;
    __syncthreads();
  }
  x[at] = sd[t] / sb[t];
}

static std::vector<double> random(size_t count, int seed, double add = 0) {
  std::vector<double> x(count);
  fill(x, seed);
  for (double &value : x)
    value += add;
  return x;
}

static std::vector<float> randomFloats(size_t count, int seed) {
  std::vector<float> x(count);
  fill(x, seed);
  return x;
}

void runJumps() {
  const int n = sized(1 << 18, 1 << 11, 200), levels = sized(80, 40, 12);
  std::vector<int> mask(levels - 1);
  for (int k = 0; k < levels - 1; ++k)
    mask[k] = (k + 1) % 3 > 0;
  DeviceArray<double> t(random(size_t(n) * levels, 1)), reference(random(levels, 2)), distance(n);
  DeviceArray<int> allowed(mask), level(n);
  if (beginCase("sharpest_jump", {.bytes = 8.0 * n * levels})) {
    while (nextSample())
      sharpestJump<<<(n + 127) / 128, 128>>>(n, levels, t, allowed, reference, level, distance);
    endCase(checksum(level.onHost()) + checksum(distance.onHost()));
  }
}

void runCentres() {
  const int n = sized(1 << 22, 1 << 13, 500), m = sized(64, 32, 10);
  DeviceArray<float> x(randomFloats(2 * n, 1)), centres(randomFloats(2 * m, 2));
  DeviceArray<int> nearest(n);
  if (beginCase("nearest_centre", {.flops = 5.0 * n * m, .kind = 4})) {
    while (nextSample())
      nearestCentre<<<(n + 127) / 128, 128>>>(n, m, x, centres, nearest);
    endCase(checksum(nearest.onHost()));
  }
}

void runRates() {
  const int n = sized(1 << 21, 1 << 12, 300);
  std::vector<double> start = random(4 * n, 3);
  DeviceArray<double> t(random(n, 1, 0.5)), k(random(12, 2)), c(start);
  if (beginCase("reaction_rates", {.bytes = 72.0 * n})) {
    while (nextSample())
      reactionRates<<<(n + 127) / 128, 128>>>(n, 0, t, k, c);
    c = start;
    reactionRates<<<(n + 127) / 128, 128>>>(n, 0.125, t, k, c);
    endCase(checksum(c.onHost()));
  }
}

void runReduction() {
  const int n = 256, m = sized(1 << 14, 64, 8);
  std::vector<float> below = randomFloats(size_t(n) * m, 1), above = randomFloats(size_t(n) * m, 2);
  for (int j = 0; j < m; ++j)
    below[j * n] = above[j * n + n - 1] = 0;
  DeviceArray<float> a(below), b(std::vector<float>(size_t(n) * m, 3)), c(above), d(randomFloats(size_t(n) * m, 3)),
      x(size_t(n) * m);
  if (beginCase("parallel_reduction", {.bytes = 20.0 * n * m, .kind = 4})) {
    while (nextSample())
      parallelReduction<<<m, n>>>(n, a, b, c, d, x);
    endCase(checksum(x.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runJumps();
  runCentres();
  runRates();
  runReduction();
  return finish();
}
