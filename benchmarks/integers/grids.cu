// Integers on grids: the cheapest path through a grid, alignments of sequences along diagonals, and the game of life.
// Twin: grids.cuf.
#include "benchmark.h"
#include <algorithm>

using namespace benchmark;

constexpr int threads = 256, halo = 16, length = 128, gap = 2;

// Costs of the cheapest paths after `steps` more rows; blocks overlap by a margin, which loses a cell with each row.
__global__ void pathStep(int columns, int first, int steps, const int *noalias wall, const int *noalias before,
                         int *noalias after) {
  __shared__ int previous[threads], result[threads];
  int t = threadIdx.x;
  int x = blockIdx.x * (threads - 2 * halo) - halo + t;
  bool inside = x >= 0 && x < columns;
  if (inside)
    previous[t] = before[x];
  __syncthreads();
  bool computed = false;
  for (int k = 1; k <= steps; ++k) {
    computed = false;
    if (t >= k && t < threads - k && inside) {
      computed = true;
      int left = previous[t - 1];
      int up = previous[t];
      int right = previous[t + 1];
      if (x == 0)
        left = up;
      if (x == columns - 1)
        right = up;
      int shortest = min(left, up);
      shortest = min(shortest, right);
      result[t] = shortest + wall[(first + k) * columns + x];
    }
    __syncthreads();
    if (k == steps)
      break;
    if (computed)
      previous[t] = result[t];
    __syncthreads();
  }
  if (computed && t >= halo && t < threads - halo)
    after[x] = result[t];
}

// Needleman and Wunsch: a block aligns two sequences, a thread for each letter of the first one, along diagonals.
__global__ void align(const int8_t *noalias a, const int8_t *noalias b, const int *noalias similar,
                      int *noalias score) {
  __shared__ int table[4][4], second[length], diagonal[3][length + 1];
  int t = threadIdx.x + 1;
  int pair = blockIdx.x;
  if (t <= 16)
    table[(t - 1) / 4][(t - 1) % 4] = similar[t - 1];
  int mine = a[pair * length + t - 1];
  second[t - 1] = b[pair * length + t - 1];
  if (t == 1) {
    diagonal[0][0] = 0;
    diagonal[1][0] = -gap;
  }
  if (t == 1)
    diagonal[1][1] = -gap;
  __syncthreads();
  for (int d = 2; d <= 2 * length; ++d) {
    int now = d % 3;
    int last = (d - 1) % 3;
    int before = (d - 2) % 3;
    int j = d - t;
    if (t == 1 && d <= length)
      diagonal[now][0] = -gap * d;
    if (j == 0) {
      diagonal[now][t] = -gap * d;
    } else if (j >= 1 && j <= length) {
      int best = diagonal[before][t - 1] + table[second[j - 1]][mine];
      best = max(best, diagonal[last][t - 1] - gap);
      best = max(best, diagonal[last][t] - gap);
      diagonal[now][t] = best;
    }
    __syncthreads();
  }
  if (t == length)
    score[pair] = diagonal[2 * length % 3][length];
}

// The game of life on a torus, with cells of one byte.
__global__ void live(int n, const int8_t *noalias old, int8_t *noalias fresh) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int left = (i + n - 1) % n;
  int right = (i + 1) % n;
  int up = (j + n - 1) % n;
  int down = (j + 1) % n;
  int neighbours = old[up * n + left] + old[up * n + i] + old[up * n + right] + old[j * n + left] + old[j * n + right] +
                   old[down * n + left] + old[down * n + i] + old[down * n + right];
  if (neighbours == 3 || (neighbours == 2 && old[j * n + i] == 1))
    fresh[j * n + i] = 1;
  else
    fresh[j * n + i] = 0;
}

void paths() {
  const int n = sized(1 << 20, 1 << 14, 1 << 10), rows = sized(129, 65, 33);
  std::vector<int> wall(n * rows);
  fill(wall, 10, 1);
  DeviceArray<int> wallD(wall), costsD(2 * n);
  if (beginCase("pathfinder", {.bytes = 4.0 * n * rows})) {
    int from = 0;
    while (nextSample()) {
      cudaMemcpyAsync(costsD, wallD, n * sizeof(int), cudaMemcpyDeviceToDevice);
      from = 0;
      for (int row = 0; row < rows - 1; row += halo) {
        pathStep<<<(n - 1) / (threads - 2 * halo) + 1, threads>>>(n, row, std::min(halo, rows - 1 - row), wallD,
                                                                  costsD + from * n, costsD + (1 - from) * n);
        from = 1 - from;
      }
    }
    std::vector<int> costs = costsD.onHost();
    endCase(checksum(std::vector<int>(costs.begin() + from * n, costs.begin() + (from + 1) * n)));
  }
}

void alignments() {
  const int pairs = sized(1 << 16, 1 << 8, 1 << 4);
  std::vector<int> letters(2 * length * pairs), similar(16);
  fill(letters, 4, 1);
  fill(similar, 4, 2);
  for (int p = 0; p < 16; ++p)
    similar[p] = p % 5 == 0 ? 5 : similar[p] - 3;
  std::vector<int8_t> all(letters.begin(), letters.end());
  DeviceArray<int8_t> allD(all);
  DeviceArray<int> similarD(similar), scoreD(pairs);
  if (beginCase("alignment", {})) {
    while (nextSample())
      align<<<pairs, length>>>(allD, allD + pairs * length, similarD, scoreD);
    endCase(checksum(scoreD.onHost()));
  }
}

void life() {
  const int n = sized(8192, 1024, 64);
  std::vector<int> numbers(n * n);
  fill(numbers, 2, 1);
  DeviceArray<int8_t> cellsD(std::vector<int8_t>(numbers.begin(), numbers.end())), newD(n * n);
  if (beginCase("life", {.bytes = 2.0 * n * n})) {
    while (nextSample())
      live<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, cellsD, newD);
    endCase(checksum(newD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  paths();
  alignments();
  life();
  return finish();
}
