// Lists and tables: digits of a radix sort, elements that fulfil a condition, levels of a graph, a table with open
// addressing, shortest ways between all places, codes of places, a Fourier transform by fours, arrays of four
// dimensions whose subscripts change places, and a sliced matrix product. Twin: lists.cuf.
#include "benchmark.h"
#include <cuComplex.h>

using namespace benchmark;

constexpr int threads = 256, points = 1024;

// How often each digit occurs in the part of a block.
__global__ void countDigits(int n, int shift, const int *noalias keys, int *noalias counts) {
  __shared__ int mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  int first = blockIdx.x * 16 * threads, last = min(first + 16 * threads, n);
  for (int i = first + threadIdx.x; i < last; i += threads) {
    int digit = unsigned(keys[i]) >> shift & 255;
    atomicAdd(&mine[digit], 1);
  }
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// The elements that are greater than a limit; a warp takes its places together.
__global__ void compact(int n, float limit, const float *noalias x, int *noalias number, float *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool wanted = false;
  if (i < n)
    wanted = x[i] > limit;
  unsigned mask = __ballot_sync(~0u, wanted);
  int place = 0;
  if (lane == 0)
    place = atomicAdd(number, __popc(mask));
  place = __shfl_sync(~0u, place, 0);
  if (wanted)
    y[place + __popc(mask & ((1 << lane) - 1))] = x[i];
}

// Vertices that have no level yet and a neighbour in the level before.
__global__ void nextLevel(int n, int level, const int *noalias first, const int *noalias neighbours,
                          int *noalias levels, int *noalias changed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || levels[i] >= 0)
    return;
  for (int k = first[i]; k < first[i + 1]; ++k)
    if (levels[neighbours[k]] == level) {
      levels[i] = level + 1;
      *changed = 1;
      break;
    }
}

// Counts keys in a table with open addressing.
__global__ void countKeys(int n, int slots, const int *noalias keys, int *noalias table, int *noalias counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int key = keys[i], old;
  int slot = (key * 73856093 ^ int(unsigned(key) >> 15)) & (slots - 1);
  while (true) {
    old = table[slot];
    if (old == -1)
      old = atomicCAS(&table[slot], -1, key);
    if (old == -1 || old == key)
      break;
    slot = (slot + 1) & (slots - 1);
  }
  atomicAdd(&counts[slot], 1);
}

// Ways through place k.
__global__ void waysThrough(int n, int k, int *noalias d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int way = d[k * n + i] + d[j * n + k];
  if (way < d[j * n + i])
    d[j * n + i] = way;
}

__device__ int64_t spread(int x) {
  int64_t s = x & 0x1fffffll;
  s = (s | s << 32) & 0x1f00000000ffffll;
  s = (s | s << 16) & 0x1f0000ff0000ffll;
  s = (s | s << 8) & 0x100f00f00f00f00fll;
  s = (s | s << 4) & 0x10c30c30c30c30c3ll;
  return (s | s << 2) & 0x1249249249249249ll;
}

// Morton's codes of places in space.
__global__ void codes(int n, const float *noalias x, const float *noalias y, const float *noalias z,
                      int64_t *noalias code) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  code[i] = spread(int(x[i] * 2097152)) | spread(int(y[i] * 2097152)) << 1 | spread(int(z[i] * 2097152)) << 2;
}

// The Fourier transform of 1024 numbers by fours, in a block of 256 threads (Stockham).
__global__ void transform(const cuFloatComplex *noalias x, cuFloatComplex *noalias y) {
  __shared__ cuFloatComplex s[points];
  int t = threadIdx.x;
  for (int i = t; i < points; i += threads)
    s[i] = x[blockIdx.x * points + i];
  int l = 1;
  for (int stage = 0; stage < 5; ++stage) {
    __syncthreads();
    cuFloatComplex a = s[t], b = s[t + points / 4], c = s[t + points / 2], d = s[t + 3 * points / 4];
    int k = t % l;
    float angle = -6.2831853f * k / (4 * l);
    cuFloatComplex w = make_cuFloatComplex(cosf(angle), sinf(angle));
    b = cuCmulf(b, w);
    c = cuCmulf(cuCmulf(c, w), w);
    d = cuCmulf(cuCmulf(cuCmulf(d, w), w), w);
    __syncthreads();
    int at = 4 * (t - k) + k;
    cuFloatComplex e = cuCmulf(cuCsubf(b, d), make_cuFloatComplex(0, -1));
    s[at] = cuCaddf(cuCaddf(cuCaddf(a, c), b), d);
    s[at + l] = cuCaddf(cuCsubf(a, c), e);
    s[at + 2 * l] = cuCsubf(cuCsubf(cuCaddf(a, c), b), d);
    s[at + 3 * l] = cuCsubf(cuCsubf(a, c), e);
    l *= 4;
  }
  __syncthreads();
  for (int i = t; i < points; i += threads)
    y[blockIdx.x * points + i] = s[i];
}

// b(l, j, k, i) = a(i, j, k, l), by tiles of i and l.
__global__ void reorder(int ni, int nj, int nk, int nl, const double *noalias a, double *noalias b) {
  __shared__ double tile[32][33];
  int i0 = blockIdx.x % (ni / 32) * 32, l0 = blockIdx.x / (ni / 32) * 32;
  int j = blockIdx.y, k = blockIdx.z;
  for (int s = threadIdx.y; s < 32; s += blockDim.y)
    tile[s][threadIdx.x] = a[(((l0 + s) * nk + k) * nj + j) * ni + i0 + threadIdx.x];
  __syncthreads();
  for (int s = threadIdx.y; s < 32; s += blockDim.y)
    b[(((i0 + s) * nk + k) * nj + j) * nl + l0 + threadIdx.x] = tile[threadIdx.x][s];
}

// Slices of 32 rows, each as long as its longest row.
__global__ void slicedProduct(int n, const int *noalias first, const int *noalias column, const double *noalias valueOf,
                              const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int slice = i / 32;
  double total = 0;
  for (int k = first[slice] + i % 32; k < first[slice + 1]; k += 32)
    total += valueOf[k] * x[column[k]];
  y[i] = total;
}

void keys() {
  int n = sized(1 << 26, 1 << 16, 1 << 13), blocks = (n + 16 * threads - 1) / (16 * threads);
  std::vector<int> key(n);
  fill(key, 1 << 30, 1);
  if (DeviceArray<int> keyD(key), countsD(256 * blocks); beginCase("digits", {.bytes = 4.0 * n, .kind = 4})) {
    while (nextSample())
      countDigits<<<blocks, threads>>>(n, 22, keyD, countsD);
    std::vector<int> counts = countsD.onHost();
    double total = 0;
    for (int i = 0; i < 256 * blocks; ++i)
      total += double(i / blocks) * counts[i];
    endCase(total);
  }

  std::vector<float> x(n);
  fill(x, 2);
  if (DeviceArray<float> xD(x), yD(n); beginCase("compaction", {.bytes = 6.0 * n, .kind = 4})) {
    DeviceArray<int> numberD(1);
    while (nextSample()) {
      cudaMemsetAsync(numberD, 0, sizeof(int));
      compact<<<(n + threads - 1) / threads, threads>>>(n, 0.5f, xD, numberD, yD);
    }
    std::vector<float> y = yD.onHost();
    y.resize(numberD.onHost()[0]);
    endCase(sum(y));
  }

  n = sized(1 << 22, 1 << 14, 1 << 10);
  const int slots = 2 * n;
  key.resize(n);
  fill(key, n / 2, 3);
  DeviceArray<int> keyD(key), tableD(slots), countsD(slots);
  if (beginCase("hash_table", {.bytes = 4.0 * n, .kind = 4})) {
    std::vector<int> empty(slots, -1);
    tableD = empty;
    countsD.clear();
    while (nextSample())
      countKeys<<<(n + threads - 1) / threads, threads>>>(n, slots, keyD, tableD, countsD);
    tableD = empty;
    countsD.clear();
    countKeys<<<(n + threads - 1) / threads, threads>>>(n, slots, keyD, tableD, countsD);
    std::vector<int> table = tableD.onHost(), counts = countsD.onHost();
    double total = 0;
    for (int i = 0; i < slots; ++i)
      total += double(table[i]) * table[i] * counts[i];
    endCase(total);
  }
}

void graph() {
  int n = sized(1 << 21, 1 << 12, 1 << 8);
  std::vector<int> first(n + 1), neighbours(8 * n), levels(n);
  for (int i = 0; i <= n; ++i)
    first[i] = 8 * i;
  fill(neighbours, n, 1);
  fill(levels, 50, 2);
  for (int &level : levels)
    level = level == 0 ? 0 : -1;
  DeviceArray<int> firstD(first), neighboursD(neighbours), levelsD(levels), changedD(1);
  if (beginCase("graph_level", {.bytes = 44.0 * n, .kind = 4})) {
    while (nextSample())
      nextLevel<<<(n + threads - 1) / threads, threads>>>(n, 0, firstD, neighboursD, levelsD, changedD);
    endCase(checksum(levelsD.onHost()));
  }

  n = sized(4096, 256, 32);
  std::vector<int> d(n * n);
  fill(d, 1000, 4);
  DeviceArray<int> dD(d);
  dim3 grid((n + 31) / 32, (n + 7) / 8), block(32, 8);
  if (beginCase("shortest_ways", {.bytes = 4.0 * n * n, .kind = 4})) {
    int k = -1;
    while (nextSample()) {
      k = (k + 1) % n;
      waysThrough<<<grid, block>>>(n, k, dD);
    }
    dD = d;
    for (k = 0; k < 8; ++k)
      waysThrough<<<grid, block>>>(n, k, dD);
    endCase(sum(dD.onHost()));
  }
}

void places() {
  int n = sized(1 << 24, 1 << 14, 1 << 8);
  std::vector<float> x(3 * n);
  fill(x, 1);
  if (DeviceArray<float> xD(x); beginCase("morton_codes", {.bytes = 20.0 * n, .kind = 4})) {
    DeviceArray<int64_t> codeD(n);
    while (nextSample())
      codes<<<(n + threads - 1) / threads, threads>>>(n, xD, xD + n, xD + 2 * n, codeD);
    endCase(sum(codeD.onHost()));
  }

  n = sized(96, 32, 32);
  std::vector<double> a(n * 20 * 24 * n);
  fill(a, 2);
  DeviceArray<double> aD(a), bD(a.size());
  if (beginCase("reorder", {.bytes = 16.0 * a.size()})) {
    while (nextSample())
      reorder<<<dim3(n / 32 * (n / 32), 20, 24), dim3(32, 8)>>>(n, 20, 24, n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void transforms() {
  const int n = sized(32768, 64, 4);
  std::vector<float> numbers(2 * points * n);
  fill(numbers, 1);
  std::vector<cuFloatComplex> x;
  for (int i = 0; i < points * n; ++i)
    x.push_back(make_cuFloatComplex(numbers[2 * i], numbers[2 * i + 1]));
  DeviceArray<cuFloatComplex> xD(x), yD(x.size());
  if (beginCase("fft_by_fours", {.bytes = 16.0 * points * n, .flops = 5.0 * points * 10 * n, .kind = 4})) {
    while (nextSample())
      transform<<<n, threads>>>(xD, yD);
    double total = 0;
    for (cuFloatComplex y : yD.onHost())
      total += fabs(y.x) + fabs(y.y);
    endCase(total);
  }
}

void slices() {
  const int n = sized(1 << 21, 1 << 12, 1 << 8);
  std::vector<int> first(n / 32 + 1), length(n / 32);
  fill(length, 24, 1);
  for (int i = 0; i < n / 32; ++i)
    first[i + 1] = first[i] + 32 * (length[i] + 4);
  std::vector<int> column(first[n / 32]);
  std::vector<double> values(column.size()), x(n);
  fill(column, 4096, 2);
  for (int i = 0; i < n / 32; ++i)
    for (int k = first[i]; k < first[i + 1]; ++k)
      column[k] = (column[k] + 32 * i - 2048 + 8 * n) % n;
  fill(values, 3);
  fill(x, 4);
  DeviceArray<int> firstD(first), columnD(column);
  DeviceArray<double> valuesD(values), xD(x), yD(n);
  if (beginCase("sliced_product", {.bytes = 12.0 * column.size() + 16.0 * n})) {
    while (nextSample())
      slicedProduct<<<(n + threads - 1) / threads, threads>>>(n, firstD, columnD, valuesD, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  keys();
  graph();
  places();
  transforms();
  slices();
  return finish();
}
