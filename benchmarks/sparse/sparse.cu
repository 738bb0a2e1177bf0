// The product of a sparse matrix in CSR form and a vector of double: one thread per row, and one warp per row. Rows
// have 8 to 24 numbers in random columns near the diagonal. Twin: sparse.cuf.
#include "benchmark.h"
#include <algorithm>

using namespace benchmark;

constexpr int threads = 256, width = 4096;

__global__ void byThread(int n, const int *noalias first, const int *noalias columns, const double *noalias values,
                         const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double total = 0;
  for (int k = first[i]; k < first[i + 1]; ++k)
    total += values[k] * x[columns[k]];
  y[i] = total;
}

__global__ void byWarp(int n, const int *noalias first, const int *noalias columns, const double *noalias values,
                       const double *noalias x, double *noalias y) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (i >= n)
    return;
  double total = 0;
  for (int k = first[i] + lane; k < first[i + 1]; k += 32)
    total += values[k] * x[columns[k]];
  for (int mask = 16; mask > 0; mask /= 2)
    total += __shfl_xor_sync(~0u, total, mask);
  if (lane == 0)
    y[i] = total;
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(1 << 21, 1 << 18, 1 << 9);
  std::vector<int> counts(n), first(n + 1);
  fill(counts, 17, 1);
  for (int i = 0; i < n; ++i)
    first[i + 1] = first[i] + 8 + counts[i];
  const int entries = first[n];
  std::vector<int> columns(entries);
  std::vector<double> values(entries), x(n);
  fill(columns, width, 2);
  fill(values, 3);
  fill(x, 4);
  for (int i = 0; i < n; ++i)
    for (int k = first[i]; k < first[i + 1]; ++k)
      columns[k] = std::min(std::max(i + columns[k] - width / 2, 0), n - 1);
  DeviceArray<int> firstD(first), columnsD(columns);
  DeviceArray<double> valuesD(values), xD(x), yD(n);
  const double moved = 12.0 * entries + 20.0 * n;

  yD.clear();
  if (beginCase("spmv_thread", {.bytes = moved, .flops = 2.0 * entries})) {
    while (nextSample())
      byThread<<<(n + threads - 1) / threads, threads>>>(n, firstD, columnsD, valuesD, xD, yD);
    endCase(checksum(yD.onHost()));
  }

  yD.clear();
  if (beginCase("spmv_warp", {.bytes = moved, .flops = 2.0 * entries})) {
    while (nextSample())
      byWarp<<<(n + threads / 32 - 1) / (threads / 32), threads>>>(n, firstD, columnsD, valuesD, xD, yD);
    endCase(checksum(yD.onHost()));
  }
  return finish();
}
