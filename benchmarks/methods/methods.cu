// The same kernels as in the twin, methods.cuf; those of CUF kernels are written by hand.
#include "benchmark.h"

using namespace benchmark;

constexpr int rows = 8, unknowns = 4, dims = 32, tile = 32, steps = 255;

struct Camera {
  float corner[3], right[3], up[3], direction[3];
};

struct OptionData {
  float spot, strike, rate, volatility, years;
};

// Least squares for many systems of eight equations with four unknowns, by reflections.
__global__ void householder(int systems, const double *noalias a, const double *noalias b, double *noalias x) {
  int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems)
    return;
  double h[unknowns][rows], y[rows], v[rows], s[unknowns];
  for (int j = 0; j < unknowns; ++j)
    for (int i = 0; i < rows; ++i)
      h[j][i] = a[(j * rows + i) * systems + system];
  for (int i = 0; i < rows; ++i)
    y[i] = b[i * systems + system];
  for (int k = 0; k < unknowns; ++k) {
    double norm = 0, length = 0, product = 0;
    for (int i = k; i < rows; ++i)
      norm += h[k][i] * h[k][i];
    double alpha = -copysign(sqrt(norm), h[k][k]);
    for (int i = k; i < rows; ++i)
      v[i] = h[k][i];
    v[k] = v[k] - alpha;
    for (int i = k; i < rows; ++i)
      length += v[i] * v[i];
    double factor = 2 / length;
    for (int j = k; j < unknowns; ++j) {
      double along = 0;
      for (int i = k; i < rows; ++i)
        along += v[i] * h[j][i];
      for (int i = k; i < rows; ++i)
        h[j][i] = h[j][i] - factor * along * v[i];
    }
    for (int i = k; i < rows; ++i)
      product += v[i] * y[i];
    for (int i = k; i < rows; ++i)
      y[i] = y[i] - factor * product * v[i];
  }
  for (int k = unknowns - 1; k >= 0; --k) {
    double known = 0;
    for (int j = k + 1; j < unknowns; ++j)
      known += h[j][k] * s[j];
    s[k] = (y[k] - known) / h[k][k];
  }
  for (int k = 0; k < unknowns; ++k)
    x[k * systems + system] = s[k];
}

// A sparse matrix of 4 x 4 blocks times a vector, a thread for each row of a block.
__global__ void bsrProduct(int blockRows, const int *noalias start, const int *noalias column,
                           const double *noalias values, const double *noalias x, double *noalias y) {
  int at = blockIdx.x * blockDim.x + threadIdx.x, row = at / 4, i = at % 4;
  if (row >= blockRows)
    return;
  double total = 0;
  for (int b = start[row]; b < start[row + 1]; ++b)
    for (int j = 0; j < 4; ++j)
      total = total + values[b * 16 + j * 4 + i] * x[column[b] * 4 + j];
  y[row * 4 + i] = total;
}

// Prices of options to sell that may be used at any time, by a tree of prices in shared memory; an option per block.
__global__ void binomialTree(const OptionData *noalias options, float *noalias prices) {
  __shared__ float value[steps + 1];
  int i = threadIdx.x;
  OptionData mine = options[blockIdx.x];
  float dt = mine.years / steps;
  float growth = mine.volatility * sqrtf(dt);
  float up = expf(growth);
  float discount = expf(-mine.rate * dt);
  float p = (expf(mine.rate * dt) - 1 / up) / (up - 1 / up);
  float later = 0;
  value[i] = fmaxf(mine.strike - mine.spot * expf(growth * (2 * i - steps)), 0);
  for (int step = steps - 1; step >= 0; --step) {
    __syncthreads();
    if (i <= step)
      later = discount * (p * value[i + 1] + (1 - p) * value[i]);
    __syncthreads();
    if (i <= step)
      value[i] = fmaxf(later, mine.strike - mine.spot * expf(growth * (2 * i - step)));
  }
  if (i == 0)
    prices[blockIdx.x] = value[0];
}

// Every column of x is shifted and scaled to mean 0 and variance 1, then by weights; a warp per column.
__global__ void layerNorm(int length, int columns, const float *noalias x, const float *noalias weight,
                          const float *noalias bias, float *noalias y, float epsilon) {
  int lane = threadIdx.x, column = blockIdx.x * blockDim.y + threadIdx.y;
  if (column >= columns)
    return;
  int at = column * length;
  float mean = 0;
  for (int i = lane; i < length; i += 32)
    mean = mean + x[at + i];
  for (int offset = 16; offset > 0; offset /= 2)
    mean = mean + __shfl_xor_sync(~0u, mean, offset);
  mean = mean / length;
  float variance = 0;
  for (int i = lane; i < length; i += 32) {
    float d = x[at + i] - mean;
    variance = variance + d * d;
  }
  for (int offset = 16; offset > 0; offset /= 2)
    variance = variance + __shfl_xor_sync(~0u, variance, offset);
  float scale = 1 / sqrtf(variance / length + epsilon);
  for (int i = lane; i < length; i += 32)
    y[at + i] = (x[at + i] - mean) * scale * weight[i] + bias[i];
}

// Means of values weighted by how well keys fit to a query, with sums that are scaled on the way; a thread per query.
__global__ void attention(int n, const float *noalias query, const float *noalias key, const float *noalias value,
                          float *noalias mean) {
  __shared__ float keys[tile][dims], values[tile][dims];
  int i = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y, at = (head * n + i) * dims;
  float q[dims], sums[dims], greatest = -HUGE_VALF, total = 0;
  for (int d = 0; d < dims; ++d) {
    q[d] = query[at + d] / sqrtf(float(dims));
    sums[d] = 0;
  }
  for (int first = 0; first < n; first += tile) {
    __syncthreads();
    for (int l = threadIdx.x; l < dims * tile; l += blockDim.x) {
      int d = l % dims, j = l / dims;
      keys[j][d] = key[(head * n + first + j) * dims + d];
      values[j][d] = value[(head * n + first + j) * dims + d];
    }
    __syncthreads();
    for (int j = 0; j < tile; ++j) {
      float score = 0;
      for (int d = 0; d < dims; ++d)
        score = score + q[d] * keys[j][d];
      float now = fmaxf(greatest, score);
      float scale = expf(greatest - now);
      float weight = expf(score - now);
      total = total * scale + weight;
      for (int d = 0; d < dims; ++d)
        sums[d] = sums[d] * scale + weight * values[j][d];
      greatest = now;
    }
  }
  for (int d = 0; d < dims; ++d)
    mean[at + d] = sums[d] / total;
}

// Products of columns of small whole numbers, scaled afterwards.
__global__ void quantisedProduct(int k, int m, int n, const int8_t *noalias a, const int8_t *noalias b,
                                 const float *noalias scaleA, const float *noalias scaleB, float *noalias c) {
  __shared__ int8_t as[16][tile], bs[16][tile];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 16 + tx, j = blockIdx.y * 16 + ty;
  int total = 0;
  for (int first = 0; first < k; first += tile) {
    for (int l = tx; l < tile; l += 16) {
      as[ty][l] = a[(blockIdx.x * 16 + ty) * k + first + l];
      bs[ty][l] = b[j * k + first + l];
    }
    __syncthreads();
    for (int l = 0; l < tile; ++l)
      total = total + int(as[tx][l]) * bs[ty][l];
    __syncthreads();
  }
  c[j * m + i] = total * scaleA[i] * scaleB[j];
}

// Weights of a cloud with triangular shape for the nearest three points.
__device__ inline void triangularCloud(double x, int &nearest, double w[3]) {
  nearest = int(round(x));
  double d = x - nearest;
  w[0] = 0.5 * (0.5 - d) * (0.5 - d);
  w[1] = 0.75 - d * d;
  w[2] = 0.5 * (0.5 + d) * (0.5 + d);
}

// Fields at particles from the 27 nearest points.
__global__ void gatherFields(int particles, int n, const double *noalias x, const double *noalias field,
                             double *noalias atParticles) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= particles)
    return;
  double w[3][3], total[3] = {};
  int near[3], y = n + 3;
  for (int d = 0; d < 3; ++d)
    triangularCloud(x[3 * p + d], near[d], w[d]);
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
          total[d] = total[d] + w[0][i] * w[1][j] * w[2][k] *
                                    field[(((near[2] + k) * y + near[1] + j) * y + near[0] + i) * 3 + d];
  for (int d = 0; d < 3; ++d)
    atParticles[3 * p + d] = total[d];
}

// Light along rays through a cloud of densities, from the front until hardly anything shines through.
__global__ void rayMarch(const Camera *noalias view, int n, int width, int height, float length,
                         const float *noalias density, float *noalias picture) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  float position[3], f[3], light = 0, passed = 1;
  for (int d = 0; d < 3; ++d)
    position[d] = view->corner[d] + (px + 1) * view->right[d] + (py + 1) * view->up[d];
  int limit = n - 1;
  while (position[0] >= 0 && position[0] < limit && position[1] >= 0 && position[1] < limit && position[2] >= 0 &&
         position[2] < limit && passed > 0.05f) {
    int cell[3];
    for (int d = 0; d < 3; ++d) {
      cell[d] = int(position[d]);
      f[d] = position[d] - cell[d];
    }
    int y = n, z = n * n, at = (cell[2] * n + cell[1]) * n + cell[0];
    float value = (1 - f[2]) * ((1 - f[1]) * ((1 - f[0]) * density[at] + f[0] * density[at + 1]) +
                                f[1] * ((1 - f[0]) * density[at + y] + f[0] * density[at + y + 1])) +
                  f[2] * ((1 - f[1]) * ((1 - f[0]) * density[at + z] + f[0] * density[at + z + 1]) +
                          f[1] * ((1 - f[0]) * density[at + z + y] + f[0] * density[at + z + y + 1]));
    if (value > 0.3f) {
      float opacity = 0.05f * length * (value - 0.3f);
      light = light + passed * opacity * value;
      passed = passed * (1 - opacity);
    }
    for (int d = 0; d < 3; ++d)
      position[d] = position[d] + length * view->direction[d];
  }
  picture[2 * (py * width + px)] = light;
  picture[2 * (py * width + px) + 1] = 1 - passed;
}

// A matrix that is stored by diagonals times a vector.
__global__ void diaProduct(int n, int diagonals, const int *noalias offset, const double *noalias a,
                           const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double total = 0;
  for (int d = 0; d < diagonals; ++d) {
    int j = i + offset[d];
    if (j >= 0 && j < n)
      total = total + a[d * n + i] * x[j];
  }
  y[i] = total;
}

// Density of samples with weights, by Gaussians.
__global__ void kernelDensity(int n, int samples, const float *noalias x, const float *noalias sample,
                              const float *noalias weight, float width, float *noalias density) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float total = 0;
  for (int s = 0; s < samples; ++s) {
    float d = (x[i] - sample[s]) / width;
    if (fabsf(d) < 4)
      total = total + weight[s] * expf(-0.5f * (d * d));
  }
  density[i] = total / (width * sqrtf(2 * acosf(-1.0f)));
}

// Scalar products of all pairs of rows.
__global__ void gramMatrix(int m, int n, const float2 *noalias a, float2 *noalias g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= m)
    return;
  float2 total = {0, 0};
  for (int k = 0; k < n; ++k) {
    float2 x = a[k * m + i], y = a[k * m + j];
    y.y = -y.y;
    total.x += x.x * y.x - x.y * y.y;
    total.y += x.x * y.y + x.y * y.x;
  }
  g[j * m + i] = total;
}

// Newton's iteration from a good guess; the number of iterations depends on the orbit.
__device__ inline double eccentricAnomaly(double m, double e, double enough = 1e-8) {
  double x = e > 0.8 ? acos(-1.0) : m, change = 1;
  while (fabs(change) > enough) {
    change = (x - e * sin(x) - m) / (1 - e * cos(x));
    x = x - change;
  }
  return x;
}

__global__ void solveKepler(int n, const double *noalias anomaly, const double *noalias eccentricity,
                            double *noalias solution) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    solution[i] = eccentricAnomaly(anomaly[i], eccentricity[i], 1e-12);
}

// Powers modulo a prime below 2**31.
__host__ __device__ inline int64_t modularPower(int64_t base, int64_t exponent, int64_t prime) {
  int64_t power = 1;
  base = base % prime;
  while (exponent > 0) {
    if (exponent & 1)
      power = power * base % prime;
    base = base * base % prime;
    exponent = int64_t(uint64_t(exponent) >> 1);
  }
  return power;
}

__global__ void powers(int n, int64_t prime, const int64_t *noalias base, const int64_t *noalias exponent,
                       int64_t *noalias power) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    power[i] = modularPower(base[i], exponent[i], prime);
}

__device__ inline bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words, lines and letters of a text; the character before the first is a blank.
__global__ void countWords(int n, const char *noalias text, int *counts) {
  int words = 0, lines = 0, letters = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x + 1; i <= n; i += gridDim.x * blockDim.x) {
    if (isLetter(text[i])) {
      ++letters;
      if (!isLetter(text[i - 1]))
        ++words;
    } else if (text[i] == '\n') {
      ++lines;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    words += __shfl_xor_sync(~0u, words, offset);
    lines += __shfl_xor_sync(~0u, lines, offset);
    letters += __shfl_xor_sync(~0u, letters, offset);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&counts[0], words);
    atomicAdd(&counts[1], lines);
    atomicAdd(&counts[2], letters);
  }
}

// A picture of half the size, smoothed by binomial weights.
__global__ void reducePicture(int nx, int ny, const float *noalias fine, float *noalias coarse) {
  constexpr float w[5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  float total = 0;
  for (int l = 0; l < 5; ++l) {
    float along = 0;
    for (int k = 0; k < 5; ++k)
      along = along + w[k] * fine[(2 * j + l) * (2 * nx + 3) + 2 * i + k];
    total = total + w[l] * along;
  }
  coarse[j * nx + i] = total;
}

template <class T>
static std::vector<T> random(size_t count, int seed, T factor = 1, T add = 0) {
  std::vector<T> x(count);
  fill(x, seed);
  for (T &value : x)
    value = factor * value + add;
  return x;
}

static std::vector<int> randomInts(size_t count, int below, int seed) {
  std::vector<int> x(count);
  fill(x, below, seed);
  return x;
}

void runLeastSquares() {
  const int systems = sized(1 << 18, 1 << 12, 200);
  DeviceArray<double> a(random(size_t(systems) * rows * unknowns, 1, 1.0)), b(random(size_t(systems) * rows, 2, 1.0)),
      x(size_t(systems) * unknowns);
  if (beginCase("householder", {.bytes = 352.0 * systems})) {
    while (nextSample())
      householder<<<(systems + 127) / 128, 128>>>(systems, a, b, x);
    endCase(checksum(x.onHost()));
  }
}

void runBlocks() {
  const int blockRows = sized(1 << 17, 1 << 10, 60);
  std::vector<int> start = randomInts(blockRows + 1, 9, 3);
  int next = 0;
  for (int &value : start) {
    int count = value + 4;
    value = next;
    next += count;
  }
  const int blocks = start.back();
  std::vector<int> column = randomInts(blocks, 400, 4);
  for (int row = 0; row < blockRows; ++row)
    for (int b = start[row]; b < start[row + 1]; ++b)
      column[b] = (row + column[b] - 200 + 200 * blockRows) % blockRows;
  DeviceArray<double> values(random(16 * size_t(blocks), 1, 1.0)), x(random(4 * blockRows, 2, 1.0)), y(4 * blockRows);
  DeviceArray<int> startD(start), columnD(column);
  if (beginCase("bsr_product", {.bytes = 132.0 * blocks + 68.0 * blockRows})) {
    while (nextSample())
      bsrProduct<<<(4 * blockRows + 127) / 128, 128>>>(blockRows, startD, columnD, values, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runOptions() {
  const int count = sized(2048, 64, 8);
  std::vector<float> x = random(5 * count, 1, 1.0f);
  std::vector<OptionData> options(count);
  for (int i = 0; i < count; ++i) {
    const float *r = &x[5 * i];
    options[i] = {80 + 40 * r[0], 80 + 40 * r[1], 0.01f + 0.05f * r[2], 0.1f + 0.3f * r[3], 0.5f + r[4]};
  }
  DeviceArray<OptionData> optionsD(options);
  DeviceArray<float> prices(count);
  if (beginCase("binomial_tree", {.flops = 6.0 * count * steps * steps / 2, .kind = 4})) {
    while (nextSample())
      binomialTree<<<count, steps + 1>>>(optionsD, prices);
    endCase(checksum(prices.onHost()));
  }
}

void runNorms() {
  const int length = sized(1024, 256, 70), columns = sized(16384, 256, 50), all = length * columns;
  DeviceArray<float> x(random(all, 1, 1.0f)), weight(random(length, 2, 1.0f)), bias(random(length, 3, 1.0f)), y(all);
  if (beginCase("layer_norm", {.bytes = 8.0 * all, .kind = 4})) {
    while (nextSample())
      layerNorm<<<(columns + 3) / 4, dim3(32, 4)>>>(length, columns, x, weight, bias, y, 1e-5f);
    endCase(checksum(y.onHost()));
  }
}

void runAttention() {
  const int n = sized(1024, 128, 64), heads = sized(64, 4, 2), all = dims * n * heads;
  DeviceArray<float> query(random(all, 1, 4.0f, -2.0f)), key(random(all, 2, 4.0f, -2.0f)), value(random(all, 3, 1.0f)),
      mean(all);
  if (beginCase("attention", {.flops = 4.0 * dims * n * n * heads, .kind = 4})) {
    while (nextSample())
      attention<<<dim3(n / 64, heads), 64>>>(n, query, key, value, mean);
    endCase(checksum(mean.onHost()));
  }
}

void runQuantised() {
  const int n = sized(1024, 128, 64), all = n * n;
  std::vector<int> x = randomInts(2 * all, 255, 1);
  std::vector<int8_t> a(all), b(all);
  for (int i = 0; i < all; ++i) {
    a[i] = x[i] - 127;
    b[i] = x[all + i] - 127;
  }
  DeviceArray<int8_t> aD(a), bD(b);
  DeviceArray<float> scaleA(random(n, 2, 1.0f)), scaleB(random(n, 3, 1.0f)), c(all);
  if (beginCase("quantised_product", {.flops = 2.0 * n * n * n, .kind = 4})) {
    while (nextSample())
      quantisedProduct<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, n, n, aD, bD, scaleA, scaleB, c);
    endCase(checksum(c.onHost()));
  }
}

void runParticles() {
  const int n = sized(112, 16, 8), cells = n * n * n, particles = 2 * cells, wide = n + 3;
  std::vector<double> x = random(3 * particles, 1, 1.0);
  for (int p = 0; p < particles; ++p) {
    int cell = p / 2;
    const int corner[3] = {cell % n, cell / n % n, cell / n / n};
    for (int d = 0; d < 3; ++d)
      x[3 * p + d] += corner[d];
  }
  DeviceArray<double> xD(x), field(random(3 * size_t(wide) * wide * wide, 2, 1.0)), got(3 * particles);
  if (beginCase("gather_fields", {.bytes = 48.0 * particles + 24.0 * cells})) {
    while (nextSample())
      gatherFields<<<(particles + 127) / 128, 128>>>(particles, n, xD, field, got);
    endCase(checksum(got.onHost()));
  }
}

void runRays() {
  const int n = sized(256, 40, 20), width = sized(512, 64, 16), height = sized(512, 64, 16);
  const float w = 0.8f * n / width, h = 0.8f * n / height;
  std::vector<Camera> view = {
      {{0.1f * n, 0.05f * n, 0.25f}, {w, 0, 0}, {0, h, 0}, {0.0625f, 0.125f, 0.96875f}}};
  DeviceArray<Camera> viewD(view);
  DeviceArray<float> density(random(n * n * n, 1, 1.0f)), picture(2 * width * height);
  if (beginCase("ray_march", {.flops = 45.0 * width * height * n, .kind = 4})) {
    while (nextSample())
      rayMarch<<<dim3((width + 31) / 32, (height + 3) / 4), dim3(32, 4)>>>(viewD, n, width, height, 0.75f, density,
                                                                           picture);
    endCase(checksum(picture.onHost()));
  }
}

void runDiagonals() {
  const int n = sized(1 << 21, 1 << 14, 500), wide = sized(1 << 10, 64, 16);
  const std::vector<int> offset = {-wide - 1, -wide, -wide + 1, -2, -1, 0, 1, 2, wide - 1, wide, wide + 1};
  const int diagonals = int(offset.size());
  DeviceArray<int> offsetD(offset);
  DeviceArray<double> a(random(size_t(n) * diagonals, 1, 1.0)), x(random(n, 2, 1.0)), y(n);
  if (beginCase("dia_product_cuf", {.bytes = 8.0 * n * (diagonals + 2)})) {
    while (nextSample())
      diaProduct<<<(n + 255) / 256, 256>>>(n, diagonals, offsetD, a, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runDensity() {
  const int n = sized(1 << 17, 1 << 11, 200), samples = sized(2048, 256, 50);
  DeviceArray<float> x(random(n, 1, 1.0f)), sample(random(samples, 2, 1.0f)), weight(random(samples, 3, 1.0f)),
      density(n);
  if (beginCase("kernel_density_cuf", {.flops = 9.0 * n * samples, .kind = 4})) {
    while (nextSample())
      kernelDensity<<<(n + 127) / 128, 128>>>(n, samples, x, sample, weight, 0.125f, density);
    endCase(checksum(density.onHost()));
  }
}

void runGram() {
  const int m = sized(768, 96, 40), n = sized(256, 64, 20);
  std::vector<float> parts = random(2 * m * n, 1, 1.0f);
  std::vector<float2> a(m * n);
  for (int i = 0; i < m * n; ++i)
    a[i] = {parts[2 * i], parts[2 * i + 1] - 0.5f};
  DeviceArray<float2> aD(a), gD(m * m);
  if (beginCase("gram_matrix_cuf", {.flops = 8.0 * m * m * n, .kind = 4})) {
    while (nextSample())
      gramMatrix<<<dim3((m + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(m, n, aD, gD);
    std::vector<float2> g = gD.onHost();
    double total = 0;
    for (int i = 0; i < m * m; ++i)
      total += (g[i].x + 2.0 * g[i].y) * (1 + (i + 1) % 1009);
    endCase(total);
  }
}

void runKepler() {
  const int n = sized(1 << 21, 1 << 13, 500);
  DeviceArray<double> anomaly(random(n, 1, 3.0)), eccentricity(random(n, 2, 0.95)), solution(n);
  if (beginCase("kepler_cuf", {.bytes = 24.0 * n})) {
    while (nextSample())
      solveKepler<<<(n + 127) / 128, 128>>>(n, anomaly, eccentricity, solution);
    endCase(checksum(solution.onHost()));
  }
}

void runPowers() {
  const int n = sized(1 << 20, 1 << 12, 300);
  const int64_t prime = 2147483647;
  std::vector<int> x = randomInts(2 * n, 2147483647, 1);
  std::vector<int64_t> base(x.begin(), x.begin() + n), exponent(x.begin() + n, x.end());
  DeviceArray<int64_t> baseD(base), exponentD(exponent), power(n);
  if (beginCase("modular_power_cuf", {.bytes = 24.0 * n})) {
    while (nextSample())
      powers<<<(n + 127) / 128, 128>>>(n, prime, baseD, exponentD, power);
    endCase(checksum(power.onHost()));
  }
}

void runWords() {
  const int n = sized(1 << 27, 1 << 18, 3000);
  std::vector<int> x = randomInts(n, 64, 1);
  std::vector<char> text(n + 1, ' ');
  for (int i = 0; i < n; ++i)
    text[i + 1] = x[i] == 63 ? '\n' : x[i] < 26 ? 'A' + x[i] : x[i] < 52 ? 'a' + x[i] - 26 : ' ' + x[i] - 52;
  DeviceArray<char> textD(text);
  DeviceArray<int> counts(3);
  if (beginCase("count_words_cuf", {.bytes = 1.0 * n})) {
    int found[3] = {};
    while (nextSample()) {
      counts.clear();
      countWords<<<132 * 8, 256>>>(n, textD, counts);
      cudaMemcpy(found, (int *)counts, sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(found[0] + 10.0 * found[1] + 100.0 * found[2]);
  }
}

void runPicture() {
  const int nx = sized(4096, 128, 24), ny = sized(2048, 64, 20);
  DeviceArray<float> fine(random((2 * nx + 3) * (2 * ny + 3), 1, 1.0f)), coarse(nx * ny);
  if (beginCase("reduce_picture_cuf", {.bytes = 20.0 * nx * ny, .kind = 4})) {
    while (nextSample())
      reducePicture<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(nx, ny, fine, coarse);
    endCase(checksum(coarse.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runLeastSquares();
  runBlocks();
  runOptions();
  runNorms();
  runAttention();
  runQuantised();
  runParticles();
  runRays();
  runDiagonals();
  runDensity();
  runGram();
  runKepler();
  runPowers();
  runWords();
  runPicture();
  return finish();
}
