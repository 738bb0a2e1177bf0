// Patterns of programs that move, search and count: sums of segments by shuffles, words of a text by a machine of
// states, merging along diagonals, equalised pictures by tables of tiles, ranks in strings of bits, halos of a cubed
// sphere, a pass of a Fourier transform along z, and inverting a table of states by Newton's method. Twin:
// patterns.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, perThread = 8;
constexpr double pi = 3.14159265358979324;

// Sums of numbers with the same key, where equal keys are neighbours.
__global__ void addSegments(int n, const int *noalias key, const double *noalias x, double *noalias sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int own = 0;
  double total = 0;
  if (i < n) {
    own = key[i];
    total = x[i];
  }
  for (int offset = 1; offset < 32; offset *= 2) {
    double other = __shfl_up_sync(~0u, total, offset);
    int otherKey = __shfl_up_sync(~0u, own, offset);
    if (lane >= offset && otherKey == own)
      total += other;
  }
  int otherKey = __shfl_down_sync(~0u, own, 1);
  if (own > 0 && (lane == 31 || otherKey != own))
    atomicAdd(&sums[own - 1], total);
}

// Numbers of words, numbers, texts in quotes and comments in each line; characters of all lines lie together.
__global__ void countTokens(int lines, int length, const signed char *noalias text, int *noalias found) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines)
    return;
  int state = 0, words = 0, numbers = 0, quotes = 0, comments = 0;
  bool open = true;
  for (int i = 0; i < length && open; ++i) {
    signed char c = text[i * lines + line];
    switch (state) {
    case 0:
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        state = 1;
        ++words;
      } else if (c >= '0' && c <= '9') {
        state = 2;
        ++numbers;
      } else if (c == '\'') {
        state = 3;
        ++quotes;
      } else if (c == '!') {
        ++comments;
        open = false;
      }
      break;
    case 1:
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
        state = 0;
      break;
    case 2:
      if ((c >= '0' && c <= '9') || c == '.') {
      } else if (c >= 'a' && c <= 'z') {
        state = 1;
        --numbers;
        ++words;
      } else {
        state = 0;
      }
      break;
    default:
      if (c == '\'')
        state = 0;
    }
  }
  found[4 * line] = words;
  found[4 * line + 1] = numbers;
  found[4 * line + 2] = quotes;
  found[4 * line + 3] = comments;
}

// Merges two sorted arrays; each thread finds its place by bisection and then writes some elements.
__global__ void mergePaths(int n, int m, const int *noalias a, const int *noalias b, int *noalias c) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * perThread;
  if (start >= n + m)
    return;
  int low = max(0, start - m), high = min(start, n);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[start - middle - 1])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = start - low;
  for (int k = start; k < min(start + perThread, n + m); ++k) {
    if (j >= m)
      c[k] = a[i++];
    else if (i >= n)
      c[k] = b[j++];
    else if (a[i] <= b[j])
      c[k] = a[i++];
    else
      c[k] = b[j++];
  }
}

// A picture by the tables of its tiles, between the centres of four tiles by interpolation.
__global__ void equalise(int nx, int ny, int tile, int tilesX, int tilesY, const float *noalias tables,
                         const unsigned char *noalias picture, unsigned char *noalias equal) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  float x = (i + 0.5f) / tile + 0.5f, y = (j + 0.5f) / tile + 0.5f;
  int west = max(int(x), 1) - 1, east = min(int(x) + 1, tilesX) - 1;
  int south = max(int(y), 1) - 1, north = min(int(y) + 1, tilesY) - 1;
  x -= int(x);
  y -= int(y);
  int level = picture[j * nx + i];
  const float *low = tables + south * tilesX * 256 + level, *high = tables + north * tilesX * 256 + level;
  equal[j * nx + i] = roundf((1 - y) * ((1 - x) * low[west * 256] + x * low[east * 256]) +
                             y * ((1 - x) * high[west * 256] + x * high[east * 256]));
}

// For each word the number of bits that are set before it in its block, and the place of its middle set bit.
__global__ void rankBits(int n, const uint64_t *noalias words, int *noalias rank, signed char *noalias middle,
                         int *noalias totals) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint64_t word = i < n ? words[i] : 0;
  int total = __popcll(word);
  for (int k = 1; k < 32; k *= 2) {
    int other = __shfl_up_sync(~0u, total, k);
    if (lane >= k)
      total += other;
  }
  if (lane == 31)
    sums[warp] = total;
  __syncthreads();
  if (warp == 0) {
    int before = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int k = 1; k < 32; k *= 2) {
      int other = __shfl_up_sync(~0u, before, k);
      if (lane >= k)
        before += other;
    }
    sums[lane] = before;
  }
  __syncthreads();
  int own = __popcll(word);
  if (warp > 0)
    total += sums[warp - 1];
  if (i < n) {
    rank[i] = total - own;
    for (int k = 0; k < own / 2; ++k)
      word &= word - 1;
    middle[i] = word == 0 ? 64 : __ffsll(word) - 1;
  }
  if (threadIdx.x == blockDim.x - 1)
    totals[blockIdx.x] = total;
}

// Copies the cells at the edges of the six faces to a buffer, turned as the neighbour wants them.
__global__ void packHalos(int n, int levels, int fields, int width, const double *noalias q, double *noalias buffer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * width)
    return;
  int w = i / n;
  i -= n * w;
  int k = blockIdx.y, edge = blockIdx.z % 4, face = blockIdx.z / 4 % 6, field = blockIdx.z / 24, row = n + 2;
  const double *from = q + (((face * fields + field) * levels + k) * row + 1) * row + 1;
  double *to = buffer + ((((face * 4 + edge) * fields + field) * levels + k) * width + w) * n;
  switch (edge) {
  case 0:
    to[i] = from[i * row + w];
    break;
  case 1:
    to[i] = from[i * row + n - 1 - w];
    break;
  case 2:
    if (face % 2 == 0)
      to[i] = from[w * row + i];
    else
      to[i] = from[w * row + n - 1 - i];
    break;
  default:
    if (face % 2 == 0)
      to[n - 1 - i] = -from[(n - 1 - w) * row + i];
    else
      to[i] = from[(n - 1 - w) * row + i];
  }
}

__device__ inline double2 operator+(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }
__device__ inline double2 operator-(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
__device__ inline double2 operator*(double2 a, double2 b) {
  return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// One pass by fours along z, with factors from a table; `span` numbers have been transformed together.
__global__ void passAlongZ(int nx, int ny, int nz, int span, const double2 *noalias twiddle, double2 *noalias z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, k = blockIdx.z;
  if (i >= nx)
    return;
  int low = k % span, first = 4 * (k - low) + low, plane = nx * ny, at = j * nx + i;
  double2 a = z[first * plane + at];
  double2 b = twiddle[low * (nz / (4 * span))] * z[(first + span) * plane + at];
  double2 c = twiddle[2 * low * (nz / (4 * span))] * z[(first + 2 * span) * plane + at];
  double2 d = twiddle[3 * low * (nz / (4 * span))] * z[(first + 3 * span) * plane + at];
  double2 s = a + c, t = b + d;
  z[first * plane + at] = s + t;
  z[(first + 2 * span) * plane + at] = s - t;
  s = a - c;
  t = make_double2(d.y - b.y, b.x - d.x);
  z[(first + span) * plane + at] = s - t;
  z[(first + 3 * span) * plane + at] = s + t;
}

// Interpolates in a table that depends on the logarithms of density and temperature and on a fraction.
__device__ void lookUp(const int *size, const double *noalias table, const double *noalias origin,
                       const double *noalias step, const double *x, double &value, double &slope) {
  double d[3];
  int place[3];
  for (int l = 0; l < 3; ++l) {
    d[l] = (x[l] - origin[l]) / step[l];
    place[l] = max(0, min(int(d[l]), size[l] - 2));
    d[l] -= place[l];
  }
  const double *t = table + (place[2] * size[1] + place[1]) * size[0] + place[0], *u = t + size[1] * size[0];
  double cold = (1 - d[2]) * ((1 - d[0]) * t[0] + d[0] * t[1]) + d[2] * ((1 - d[0]) * u[0] + d[0] * u[1]);
  t += size[0];
  u += size[0];
  double hot = (1 - d[2]) * ((1 - d[0]) * t[0] + d[0] * t[1]) + d[2] * ((1 - d[0]) * u[0] + d[0] * u[1]);
  value = (1 - d[1]) * cold + d[1] * hot;
  slope = (hot - cold) / step[1];
}

// Temperatures that belong to energies.
__global__ void invertTable(int n, int nx, int ny, int nz, const double *noalias table, const double *noalias origin,
                            const double *noalias step, const double *noalias density, const double *noalias fraction,
                            const double *noalias energy, double *noalias temperature, int *noalias rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int size[3] = {nx, ny, nz};
  double x[3] = {log10(density[i]), origin[1] + 0.5 * step[1] * ny, fraction[i]};
  double wanted = log10(energy[i]);
  int round = 1;
  for (; round <= 30; ++round) {
    double value, slope;
    lookUp(size, table, origin, step, x, value, slope);
    double change = (wanted - value) / slope;
    x[1] += change;
    if (fabs(change) < 1e-12)
      break;
  }
  temperature[i] = pow(10.0, x[1]);
  rounds[i] = round;
}

void segments() {
  const int n = sized(1 << 24, 1 << 16, 1 << 12);
  std::vector<int> key(n), random(n);
  std::vector<double> x(n);
  fill(random, 20, 1);
  fill(x, 2);
  key[0] = 1;
  for (int i = 1; i < n; ++i)
    key[i] = key[i - 1] + (random[i] == 0);
  DeviceArray<int> keyD(key);
  DeviceArray<double> xD(x), sumsD(key[n - 1]);
  sumsD.clear();
  if (beginCase("segmented_sums", {.bytes = 12.0 * n})) {
    while (nextSample())
      addSegments<<<(n + threads - 1) / threads, threads>>>(n, keyD, xD, sumsD);
    sumsD.clear();
    addSegments<<<(n + threads - 1) / threads, threads>>>(n, keyD, xD, sumsD);
    endCase(checksum(sumsD.onHost()));
  }
}

void texts() {
  const char *letters = " a7 q.' 30xZ+ m=e 5,bB 1(k 9p' y";
  const int lines = sized(1 << 18, 1 << 10, 1 << 8), length = sized(200, 100, 80);
  std::vector<int> random(lines * length);
  std::vector<signed char> text(random.size());
  fill(random, 16000, 1);
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = random[i] < 20 ? '!' : letters[random[i] % 32];
  DeviceArray<signed char> textD(text);
  DeviceArray<int> foundD(4 * lines);
  if (beginCase("tokens", {.bytes = 1.0 * lines * length + 16.0 * lines})) {
    while (nextSample())
      countTokens<<<(lines + threads - 1) / threads, threads>>>(lines, length, textD, foundD);
    std::vector<int> found = foundD.onHost();
    double total = 0;
    for (size_t i = 0; i < found.size(); ++i)
      total += (1 + i % 4) * double(found[i]);
    endCase(total);
  }
}

void sorted() {
  const int n = sized(1 << 22, 1 << 14, 1 << 10);
  std::vector<int> a(n), b(n);
  fill(a, 100, 1);
  fill(b, 100, 2);
  for (int i = 1; i < n; ++i) {
    a[i] += a[i - 1];
    b[i] += b[i - 1];
  }
  DeviceArray<int> aD(a), bD(b), cD(2 * n);
  if (beginCase("merge_paths", {.bytes = 16.0 * n})) {
    while (nextSample())
      mergePaths<<<(2 * n / perThread + threads - 1) / threads, threads>>>(n, n, aD, bD, cD);
    endCase(checksum(cD.onHost()));
  }
}

void pictures() {
  const int n = sized(8192, 256, 64), tile = n / 8;
  std::vector<int> random(n * n);
  std::vector<unsigned char> picture(n * n);
  std::vector<float> tables(256 * 64), bend(64);
  fill(random, 256, 1);
  fill(bend, 2);
  for (int i = 0; i < n * n; ++i)
    picture[i] = static_cast<unsigned char>(random[i] - 128);
  for (int level = 0; level < 256; ++level)
    for (int i = 0; i < 64; ++i)
      tables[256 * i + level] = 255 * level * (1 + bend[i]) / (level + 255 * bend[i]);
  DeviceArray<unsigned char> pictureD(picture), equalD(picture.size());
  DeviceArray<float> tablesD(tables);
  if (beginCase("equalise", {.bytes = 2.0 * n * n, .kind = 4})) {
    while (nextSample())
      equalise<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, n, tile, 8, 8, tablesD, pictureD, equalD);
    endCase(sum(equalD.onHost()));
  }
}

void bits() {
  const int n = sized(1 << 24, 1 << 14, 1 << 10);
  std::vector<int> low(n), high(n);
  std::vector<uint64_t> words(n);
  fill(low, 2147483647, 1);
  fill(high, 2147483647, 2);
  for (int i = 0; i < n; ++i)
    words[i] = uint64_t(high[i] & (high[i] >> ((i + 1) % 8))) << 33 | uint64_t(low[i]);
  DeviceArray<uint64_t> wordsD(words);
  DeviceArray<int> rankD(n), totalsD(n / threads);
  DeviceArray<signed char> middleD(n);
  if (beginCase("bit_ranks", {.bytes = 13.0 * n, .kind = 4})) {
    while (nextSample())
      rankBits<<<n / threads, threads>>>(n, wordsD, rankD, middleD, totalsD);
    endCase(sum(rankD.onHost()) + sum(middleD.onHost()));
  }
}

void halos() {
  const int n = sized(160, 32, 12), levels = sized(96, 8, 3), width = 2, fields = 4,
            all = n * width * levels * fields * 24;
  std::vector<double> q(size_t(n + 2) * (n + 2) * levels * fields * 6);
  fill(q, 1);
  DeviceArray<double> qD(q), bufferD(all);
  if (beginCase("halo_pack", {.bytes = 16.0 * all, .launches = 10})) {
    while (nextSample())
      packHalos<<<dim3((n * width + 127) / 128, levels, 24 * fields), 128>>>(n, levels, fields, width, qD, bufferD);
    endCase(checksum(bufferD.onHost()));
  }
}

void transform() {
  const int n = sized(256, 32, 8), nz = sized(256, 64, 64), span = 16;
  std::vector<double> parts(2 * n * n * nz), twiddle(2 * nz);
  fill(parts, 1);
  for (double &value : parts)
    value -= 0.5;
  for (int i = 0; i < nz; ++i) {
    twiddle[2 * i] = cos(-2 * pi * i / nz);
    twiddle[2 * i + 1] = sin(-2 * pi * i / nz);
  }
  DeviceArray<double> partsD(parts), twiddleD(twiddle);
  double2 *z = reinterpret_cast<double2 *>((double *)partsD);
  const double2 *factors = reinterpret_cast<const double2 *>((double *)twiddleD);
  dim3 grid((n + 127) / 128, n, nz / 4);
  if (beginCase("pass_along_z", {.bytes = 32.0 * n * n * nz})) {
    while (nextSample())
      passAlongZ<<<grid, 128>>>(n, n, nz, span, factors, z);
    partsD = parts;
    passAlongZ<<<grid, 128>>>(n, n, nz, span, factors, z);
    endCase(checksum(partsD.onHost()));
  }
}

void states() {
  const int n = sized(1 << 20, 1 << 12, 1 << 8), nx = 120, ny = 100, nz = 20;
  std::vector<double> table(nx * ny * nz), x(3 * n), origin = {3, -2, 0.05}, step = {0.1, 0.04, 0.025};
  for (int k = 1; k <= nz; ++k)
    for (int j = 1; j <= ny; ++j)
      for (int i = 1; i <= nx; ++i)
        table[((k - 1) * ny + j - 1) * nx + i - 1] =
            17 + 0.02 * i + 0.03 * j + 0.0001 * j * j - 0.01 * k + 1e-6 * i * j * k;
  fill(x, 1);
  std::vector<double> density(n), energy(n), fraction(n);
  for (int i = 0; i < n; ++i) {
    density[i] = pow(10, 3 + 11.8 * x[i]);
    energy[i] = pow(10, 17.5 + 3 * x[n + i]);
    fraction[i] = 0.06 + 0.45 * x[2 * n + i];
  }
  DeviceArray<double> tableD(table), originD(origin), stepD(step), densityD(density), energyD(energy),
      fractionD(fraction), temperatureD(n);
  DeviceArray<int> roundsD(n);
  if (beginCase("invert_table", {.bytes = 36.0 * n})) {
    while (nextSample())
      invertTable<<<(n + threads - 1) / threads, threads>>>(n, nx, ny, nz, tableD, originD, stepD, densityD, fractionD,
                                                            energyD, temperatureD, roundsD);
    double total = 0;
    for (double value : temperatureD.onHost())
      total += log10(value);
    for (int value : roundsD.onHost())
      total += value * 1e-3;
    endCase(total);
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  segments();
  texts();
  sorted();
  pictures();
  bits();
  halos();
  transform();
  states();
  return finish();
}
