// The same kernels as in the twin, inference.cuf.
#include "studies_common.h"

constexpr int tile = 16, states = 32, longest = 128, symbols = 16, bins = 64;
constexpr int64_t prime = 998244353;

// An affine map from one picture to another, by columns.
__constant__ float affine[4][3];

// --- likelihood of a tree ---

__global__ void prune(int patterns, double threshold, const double *noalias matrices, const int8_t *noalias tips,
                      const double *noalias inner, double *noalias parent, int16_t *noalias scalings) {
  __shared__ double left[5][4], right[4][4];
  int p = blockIdx.x * blockDim.x + threadIdx.x, category = blockIdx.y, t = threadIdx.x;
  if (t < 16) {
    int i = t % 4, j = t / 4;
    left[j][i] = matrices[(category * 2 * 4 + j) * 4 + i];
    right[j][i] = matrices[((category * 2 + 1) * 4 + j) * 4 + i];
  } else if (t < 20) {
    left[4][t - 16] = 1;
  }
  __syncthreads();
  if (p >= patterns)
    return;
  int tip = tips[p], at = category * patterns + p;
  double atChild[4], total[4], greatest = 0;
  for (int i = 0; i < 4; ++i)
    atChild[i] = inner[4 * at + i];
  for (int i = 0; i < 4; ++i) {
    total[i] = 0;
    for (int j = 0; j < 4; ++j)
      total[i] = total[i] + right[j][i] * atChild[j];
    total[i] = total[i] * left[tip][i];
    greatest = fmax(greatest, total[i]);
  }
  scalings[at] = 0;
  if (greatest < threshold) {
    for (int i = 0; i < 4; ++i)
      total[i] = total[i] / threshold;
    scalings[at] = 1;
  }
  for (int i = 0; i < 4; ++i)
    parent[4 * at + i] = total[i];
}

// --- recurrent cell ---

__device__ inline float sigmoid(float x) { return 1 / (1 + expf(-x)); }

// One step of gated recurrent units for many samples.
__global__ void gruCell(int units, int inputs, int batch, const float *noalias w, const float *noalias u,
                        const float *noalias bias, const float *noalias x, const float *noalias h,
                        float *noalias hNew) {
  __shared__ float ws[3][tile][tile], xs[tile][tile];
  int tx = threadIdx.x, ty = threadIdx.y, unit = blockIdx.x * tile + tx, sample = blockIdx.y * tile + ty;
  float reset = bias[unit], update = bias[units + unit];
  float fromInput = bias[2 * units + unit], fromState = bias[3 * units + unit];
  for (int first = 0; first < inputs; first += tile) {
    for (int gate = 0; gate < 3; ++gate)
      ws[gate][ty][tx] = w[(gate * inputs + first + ty) * units + unit];
    xs[ty][tx] = x[sample * inputs + first + tx];
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      reset = reset + ws[0][k][tx] * xs[ty][k];
      update = update + ws[1][k][tx] * xs[ty][k];
      fromInput = fromInput + ws[2][k][tx] * xs[ty][k];
    }
    __syncthreads();
  }
  for (int first = 0; first < units; first += tile) {
    for (int gate = 0; gate < 3; ++gate)
      ws[gate][ty][tx] = u[(gate * units + first + ty) * units + unit];
    xs[ty][tx] = h[sample * units + first + tx];
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      reset = reset + ws[0][k][tx] * xs[ty][k];
      update = update + ws[1][k][tx] * xs[ty][k];
      fromState = fromState + ws[2][k][tx] * xs[ty][k];
    }
    __syncthreads();
  }
  float r = sigmoid(reset);
  float z = sigmoid(update);
  float n = tanhf(fromInput + r * fromState);
  hNew[sample * units + unit] = (1 - z) * n + z * h[sample * units + unit];
}

// --- hidden states ---

// The likeliest hidden states of sequences by Viterbi's method; a warp per sequence, a lane per state. States of paths
// count from 1.
__global__ void viterbi(int length, int sequences, const float *noalias transition, const float *noalias emission,
                        const int8_t *noalias observed, int8_t *noalias path, float *noalias best) {
  __shared__ int8_t back[4][longest][states];
  int lane = threadIdx.x, warp = threadIdx.y, sequence = blockIdx.x * blockDim.y + warp;
  if (sequence >= sequences)
    return;
  float mine[states];
  for (int from = 0; from < states; ++from)
    mine[from] = transition[from * states + lane];
  float score = emission[observed[sequence * length] * states + lane];
  for (int t = 1; t < length; ++t) {
    float greatest = -3.402823466e38f;
    int arg = 0;
    for (int from = 0; from < states; ++from) {
      float candidate = __shfl_sync(~0u, score, from) + mine[from];
      if (candidate > greatest) {
        greatest = candidate;
        arg = from;
      }
    }
    back[warp][t][lane] = arg;
    score = greatest + emission[observed[sequence * length + t] * states + lane];
  }
  int arg = lane;
  for (int offset = 16; offset >= 1; offset /= 2) {
    float other = __shfl_xor_sync(~0u, score, offset);
    int otherArg = __shfl_xor_sync(~0u, arg, offset);
    if (other > score) {
      score = other;
      arg = otherArg;
    }
  }
  __syncwarp();
  if (lane == 0) {
    best[sequence] = score;
    for (int t = length - 1; t >= 0; --t) {
      path[sequence * length + t] = arg + 1;
      if (t > 0)
        arg = back[warp][t][arg];
    }
  }
}

// --- singular values of 3 x 3 ---

// Rotates two columns of a matrix so that they are at right angles; says whether there was much to do.
__device__ inline void makeNormal(float a[3][3], float v[3][3], int p, int q, bool &busy) {
  float alpha = 0, beta = 0, gamma = 0;
  for (int i = 0; i < 3; ++i) {
    alpha += a[p][i] * a[p][i];
    beta += a[q][i] * a[q][i];
    gamma += a[p][i] * a[q][i];
  }
  if (fabsf(gamma) <= 1e-6f * sqrtf(alpha * beta))
    return;
  busy = true;
  float zeta = (beta - alpha) / (2 * gamma);
  float t = copysignf(1, zeta) / (fabsf(zeta) + sqrtf(1 + zeta * zeta));
  float c = 1 / sqrtf(1 + t * t);
  float s = c * t;
  for (int i = 0; i < 3; ++i) {
    float old = a[p][i];
    a[p][i] = c * old - s * a[q][i];
    a[q][i] = s * old + c * a[q][i];
    old = v[p][i];
    v[p][i] = c * old - s * v[q][i];
    v[q][i] = s * old + c * v[q][i];
  }
}

// Singular values and the rotations next to deformations, by Jacobi's method from one side.
__global__ void rotations(int n, const float *noalias a, float *noalias sigma, float *noalias r) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n)
    return;
  float u[3][3], v[3][3] = {}, s[3];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i)
      u[j][i] = a[(j * 3 + i) * n + e];
    v[j][j] = 1;
  }
  for (int sweep = 1; sweep <= 6; ++sweep) {
    bool busy = false;
    makeNormal(u, v, 0, 1, busy);
    makeNormal(u, v, 0, 2, busy);
    makeNormal(u, v, 1, 2, busy);
    if (!busy)
      break;
  }
  for (int j = 0; j < 3; ++j) {
    s[j] = sqrtf(u[j][0] * u[j][0] + u[j][1] * u[j][1] + u[j][2] * u[j][2]);
    for (int i = 0; i < 3; ++i)
      u[j][i] = u[j][i] / s[j];
  }
  for (int j = 0; j < 3; ++j)
    sigma[j * n + e] = s[j];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      float total = 0;
      for (int k = 0; k < 3; ++k)
        total += u[k][i] * v[k][j];
      r[(j * 3 + i) * n + e] = total;
    }
}

// --- regression on paths ---

// Sums for the regression of what is paid later on the price, over paths that are alive and worth to be used.
__global__ void regressionSums(int paths, double strike, const double *noalias price, const double *noalias later,
                               const bool *noalias alive, double *noalias partial) {
  __shared__ double ofWarps[8][8];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  double sums[8] = {};
  for (int i = blockIdx.x * blockDim.x + t; i < paths; i += gridDim.x * blockDim.x) {
    if (!alive[i] || price[i] >= strike)
      continue;
    double x = price[i] / strike, y = later[i];
    sums[0] += 1;
    sums[1] += x;
    sums[2] += x * x;
    sums[3] += x * x * x;
    sums[4] += (x * x) * (x * x);
    sums[5] += y;
    sums[6] += x * y;
    sums[7] += x * x * y;
  }
  for (int m = 0; m < 8; ++m) {
    for (int offset = 16; offset > 0; offset /= 2)
      sums[m] += __shfl_down_sync(~0u, sums[m], offset);
    if (lane == 0)
      ofWarps[warp][m] = sums[m];
  }
  __syncthreads();
  if (t < 8) {
    double total = 0;
    for (int w = 0; w < 8; ++w)
      total += ofWarps[w][t];
    partial[8 * blockIdx.x + t] = total;
  }
}

// --- sampled products ---

// Elements of a product of two dense matrices at places of a sparse one, scaled by it; a warp per element.
__global__ void sampledProduct(int nonzeros, const int *noalias row, const int *noalias column,
                               const float *noalias values, const float *noalias x, const float *noalias y,
                               float *noalias z) {
  int lane = threadIdx.x & 31, k = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (k >= nonzeros)
    return;
  int i = row[k], j = column[k];
  float total = x[64 * i + lane] * y[64 * j + lane] + x[64 * i + lane + 32] * y[64 * j + lane + 32];
  for (int offset = 16; offset > 0; offset >>= 1)
    total += __shfl_down_sync(~0u, total, offset);
  if (lane == 0)
    z[k] = values[k] * total;
}

// --- joint histogram ---

__global__ void setZeroInt(int n, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 0;
}

__device__ inline float lerp(float f, int16_t a, int16_t b) { return (1 - f) * a + f * b; }

// Pairs of grey levels of a fixed picture and a moved one, counted in shared memory first.
__global__ void jointHistogram(int nx, int ny, int nz, int depth, const int16_t *noalias fixed,
                               const int16_t *noalias moving, int *noalias histogram) {
  __shared__ int own[bins][bins];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int l = t; l < bins * bins; l += blockDim.x * blockDim.y)
    own[l / bins][l % bins] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny) {
    int last = min(int(blockIdx.z + 1) * depth, nz);
    for (int k = blockIdx.z * depth; k < last; ++k) {
      float c[3], f[3];
      for (int d = 0; d < 3; ++d)
        c[d] = affine[0][d] * i + affine[1][d] * j + affine[2][d] * k + affine[3][d];
      if (c[0] < 0 || c[1] < 0 || c[2] < 0 || c[0] >= nx - 1 || c[1] >= ny - 1 || c[2] >= nz - 1)
        continue;
      int at[3];
      for (int d = 0; d < 3; ++d) {
        at[d] = int(c[d]);
        f[d] = c[d] - at[d];
      }
      const int16_t *m = &moving[(at[2] * ny + at[1]) * nx + at[0]], *above = m + ny * nx;
      float value = (1 - f[2]) * ((1 - f[1]) * lerp(f[0], m[0], m[1]) + f[1] * lerp(f[0], m[nx], m[nx + 1])) +
                    f[2] * ((1 - f[1]) * lerp(f[0], above[0], above[1]) + f[1] * lerp(f[0], above[nx], above[nx + 1]));
      int a = fixed[(k * ny + j) * nx + i] >> 6;
      int b = min(int(value / 64), bins - 1);
      atomicAdd(&own[b][a], 1);
    }
  }
  __syncthreads();
  for (int l = t; l < bins * bins; l += blockDim.x * blockDim.y) {
    int a = l % bins, b = l / bins;
    if (own[b][a] > 0)
      atomicAdd(&histogram[b * bins + a], own[b][a]);
  }
}

// --- transform modulo a prime ---

// The lowest bits in the opposite order.
__device__ inline int reversed(int i, int bits) {
  int r = 0;
  for (int b = 0; b < bits; ++b) {
    r = (r << 1) | (i & 1);
    i >>= 1;
  }
  return r;
}

// Transforms of rows of n whole numbers in shared memory, by twos; roots are powers of a root of one.
__global__ void numberTransform(int logN, const int64_t *noalias roots, const int64_t *noalias x, int64_t *noalias y) {
  extern __shared__ int64_t s[];
  int n = 1 << logN, half = n / 2, t = threadIdx.x, base = blockIdx.x * n;
  for (int i = t; i < n; i += half)
    s[reversed(i, logN)] = x[base + i];
  for (int stage = 1; stage <= logN; ++stage) {
    __syncthreads();
    int span = 1 << (stage - 1), place = t & (span - 1), group = 2 * (t - place) + place;
    int64_t low = s[group];
    int64_t high = s[group + span] * roots[place * (half / span)] % prime;
    s[group] = (low + high) % prime;
    s[group + span] = (low - high + prime) % prime;
  }
  __syncthreads();
  for (int i = t; i < n; i += half)
    y[base + i] = s[i];
}

// --- cases ---

void runPrune() {
  const int categories = 4, patterns = sized(1 << 20, 1 << 12, 300);
  std::vector<double> below = random(size_t(4) * patterns * categories, 1, 1.0);
  for (double &value : below)
    value = value * value * (value * value);
  std::vector<int> r = randomInts(patterns, 5, 3);
  DeviceArray<double> inner(below), matrices(random(4 * 4 * 2 * categories, 2, 1.0)), parent(below.size());
  DeviceArray<int8_t> tips(std::vector<int8_t>(r.begin(), r.end()));
  DeviceArray<int16_t> scalings(size_t(patterns) * categories);
  if (beginCase("prune", {.bytes = categories * 67.0 * patterns})) {
    while (nextSample())
      prune<<<dim3((patterns + 127) / 128, categories), 128>>>(patterns, 0.25, matrices, tips, inner, parent, scalings);
    endCase(checksum(parent.onHost()) + sum(scalings.onHost()));
  }
}

void runGru() {
  const int units = sized(512, 64, 32), inputs = sized(256, 64, 48), batch = sized(512, 64, 16);
  DeviceArray<float> w(random(3 * units * inputs, 1, 0.2f, -0.1f)), u(random(3 * units * units, 2, 0.2f, -0.1f)),
      bias(random(4 * units, 3, 1.0f)), x(random(inputs * batch, 4, 2.0f, -1.0f)),
      h(random(units * batch, 5, 2.0f, -1.0f)), hNew(units * batch);
  if (beginCase("gru_cell", {.flops = 6.0 * units * (inputs + units) * batch, .kind = 4})) {
    while (nextSample())
      gruCell<<<dim3(units / tile, batch / tile), dim3(tile, tile)>>>(units, inputs, batch, w, u, bias, x, h, hNew);
    endCase(magnitudes(hNew.onHost()));
  }
}

void runViterbi() {
  const int length = sized(128, 64, 20), sequences = sized(8192, 128, 10);
  std::vector<float> transition = random(states * states, 1, 1.0f), emission = random(states * symbols, 2, 1.0f);
  for (float &value : transition)
    value = logf(value);
  for (float &value : emission)
    value = logf(value);
  std::vector<int> r = randomInts(length * sequences, symbols, 3);
  DeviceArray<float> transitionD(transition), emissionD(emission), best(sequences);
  DeviceArray<int8_t> observed(std::vector<int8_t>(r.begin(), r.end())), path(length * sequences);
  if (beginCase("viterbi", {.flops = 2.0 * states * states * length * sequences, .kind = 4})) {
    while (nextSample())
      viterbi<<<(sequences + 3) / 4, dim3(32, 4)>>>(length, sequences, transitionD, emissionD, observed, path, best);
    endCase(magnitudes(best.onHost()) + sum(path.onHost()));
  }
}

void runRotations() {
  const int n = sized(1 << 21, 1 << 12, 300);
  std::vector<float> a = random(9 * n, 1, 1.0f);
  for (int d = 0; d < 3; ++d)
    for (int e = 0; e < n; ++e)
      a[4 * d * n + e] += 1;
  DeviceArray<float> aD(a), sigma(3 * n), r(9 * n);
  if (beginCase("rotations", {.bytes = 84.0 * n, .kind = 4})) {
    while (nextSample())
      rotations<<<(n + 127) / 128, 128>>>(n, aD, sigma, r);
    endCase(checksum(sigma.onHost()) + magnitudes(r.onHost()));
  }
}

void runRegression() {
  const int paths = sized(1 << 23, 1 << 14, 3000), blocks = sized(132 * 8, 16, 3);
  std::vector<int> r = randomInts(paths, 8, 3);
  DeviceArray<double> price(random(paths, 1, 1.0, 0.5)), later(random(paths, 2, 1.0)), partial(8 * blocks);
  DeviceArray<bool> alive(paths);
  std::vector<uint8_t> aliveHost(r.begin(), r.end());
  for (uint8_t &value : aliveHost)
    value = value != 0;
  cudaMemcpy((bool *)alive, aliveHost.data(), paths, cudaMemcpyHostToDevice);
  if (beginCase("regression_sums", {.bytes = 17.0 * paths})) {
    while (nextSample())
      regressionSums<<<blocks, 256>>>(paths, 1.1, price, later, alive, partial);
    std::vector<double> all = partial.onHost(), sums(8);
    for (int b = 0; b < 8 * blocks; ++b)
      sums[b % 8] += all[b];
    endCase(checksum(sums));
  }
}

void runSampled() {
  const int nonzeros = sized(1 << 20, 1 << 12, 500), n = sized(1 << 17, 1 << 9, 60);
  std::vector<int> row(nonzeros);
  for (int k = 0; k < nonzeros; ++k)
    row[k] = int(int64_t(k) * n / nonzeros);
  DeviceArray<int> rowD(row), column(randomInts(nonzeros, n, 1));
  DeviceArray<float> values(random(nonzeros, 2, 1.0f)), x(random(64 * n, 3, 1.0f)), y(random(64 * n, 4, 1.0f)),
      z(nonzeros);
  if (beginCase("sampled_product", {.bytes = 272.0 * nonzeros, .kind = 4})) {
    while (nextSample())
      sampledProduct<<<(nonzeros + 7) / 8, 256>>>(nonzeros, rowD, column, values, x, y, z);
    endCase(checksum(z.onHost()));
  }
}

void runHistogram() {
  const int nx = sized(320, 40, 20), ny = sized(320, 40, 20), nz = sized(192, 24, 10), depth = 24;
  const int all = nx * ny * nz;
  const float map[4][3] = {{0.98137f, 0.03021f, -0.01173f},
                           {-0.02957f, 0.97219f, 0.02041f},
                           {0.01079f, -0.01987f, 0.99031f},
                           {1.31713f, 2.43917f, 0.71579f}};
  std::vector<int> r = randomInts(all, 4096, 1);
  std::vector<int16_t> fixed(all), moving(all);
  for (int a = 0; a < all; ++a) {
    int i = a % nx, j = a / nx % ny, k = a / nx / ny;
    fixed[a] = (r[a] / 4 + 13 * i + 7 * j + 11 * k) % 4096;
    moving[a] = (r[a] / 2 + 9 * i + 5 * j + 3 * k) % 4096;
  }
  cudaMemcpyToSymbol(affine, map, sizeof map);
  DeviceArray<int16_t> fixedD(fixed), movingD(moving);
  DeviceArray<int> histogram(bins * bins);
  if (beginCase("joint_histogram", {.bytes = 4.0 * all, .kind = 4})) {
    while (nextSample()) {
      setZeroInt<<<(bins * bins + 255) / 256, 256>>>(bins * bins, histogram);
      jointHistogram<<<dim3((nx + 31) / 32, (ny + 7) / 8, (nz + depth - 1) / depth), dim3(32, 8)>>>(
          nx, ny, nz, depth, fixedD, movingD, histogram);
    }
    endCase(checksum(histogram.onHost()));
  }
}

void runTransform() {
  const int logN = sized(10, 8, 6), rows = sized(8192, 64, 5), n = 1 << logN;
  std::vector<int> r = randomInts(n * rows, int(prime), 1);
  std::vector<int64_t> roots(n / 2);
  int64_t root = 3, power = 1;
  for (int i = 0; i < 23 - logN; ++i)
    root = root * root % prime;
  // 3^(2^k) has an order of (prime - 1) / 2^k; the 119th power of that is a root of order 2^(23 - k).
  for (int i = 0; i < 119; ++i)
    power = power * root % prime;
  roots[0] = 1;
  for (int i = 1; i < n / 2; ++i)
    roots[i] = roots[i - 1] * power % prime;
  DeviceArray<int64_t> rootsD(roots), x(std::vector<int64_t>(r.begin(), r.end())), y(n * rows);
  if (beginCase("number_transform", {.bytes = 16.0 * n * rows})) {
    while (nextSample())
      numberTransform<<<rows, n / 2, 8 * n>>>(logN, rootsD, x, y);
    endCase(checksum(y.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runPrune();
  runGru();
  runViterbi();
  runRotations();
  runRegression();
  runSampled();
  runHistogram();
  runTransform();
  return finish();
}
