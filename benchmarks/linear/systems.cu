// Systems of equations: tridiagonal ones, a thread each (Thomas) and a block each (parallel cyclic reduction), and the
// product of a sparse matrix in ELL form and a vector, double. Twin: systems.cuf.
#include "benchmark.h"
#include <algorithm>

using namespace benchmark;

constexpr int threads = 256, most = 512, width = 16;

// Equation k of all systems lie together.
__global__ void thomas(int count, int n, const double *noalias a, const double *noalias b, const double *noalias c,
                       const double *noalias d, double *noalias x, double *noalias cp) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count)
    return;
  cp[s] = c[s] / b[s];
  x[s] = d[s] / b[s];
  for (int k = 1; k < n; ++k) {
    int at = k * count + s;
    double r = 1 / (b[at] - a[at] * cp[at - count]);
    cp[at] = c[at] * r;
    x[at] = (d[at] - a[at] * x[at - count]) * r;
  }
  for (int k = n - 2; k >= 0; --k) {
    int at = k * count + s;
    x[at] -= cp[at] * x[at + count];
  }
}

// A block solves one system of n equations with n threads.
__global__ void cyclicReduction(int n, const double *noalias a, const double *noalias b, const double *noalias c,
                                const double *noalias d, double *noalias x) {
  __shared__ double sa[most], sb[most], sc[most], sd[most];
  int t = threadIdx.x;
  int at = blockIdx.x * n + t;
  sa[t] = a[at];
  sb[t] = b[at];
  sc[t] = c[at];
  sd[t] = d[at];
  __syncthreads();
  for (int delta = 1; delta < n; delta *= 2) {
    int low = max(t - delta, 0);
    int high = min(t + delta, n - 1);
    double k1 = sa[t] / sb[low];
    double k2 = sc[t] / sb[high];
    double newA = -sa[low] * k1;
    double newB = sb[t] - sc[low] * k1 - sa[high] * k2;
    double newC = -sc[high] * k2;
    double newD = sd[t] - sd[low] * k1 - sd[high] * k2;
    __syncthreads();
    sa[t] = newA;
    sb[t] = newB;
    sc[t] = newC;
    sd[t] = newD;
    __syncthreads();
  }
  x[at] = sd[t] / sb[t];
}

__global__ void ellProduct(int n, const int *noalias columns, const double *noalias values, const double *noalias x,
                           double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double total = 0;
    for (int k = 0; k < width; ++k) {
      int column = columns[k * n + i];
      if (column >= 0)
        total += values[k * n + i] * x[column];
    }
    y[i] = total;
  }
}

void threadEach() {
  const int m = sized(1 << 17, 1 << 11, 1 << 8), n = 64;
  std::vector<double> a(m * n), b(m * n), c(m * n), d(m * n);
  fill(a, 1);
  fill(b, 2);
  fill(c, 3);
  fill(d, 4);
  for (double &value : b)
    value += 2;
  std::fill_n(a.begin(), m, 0);
  std::fill_n(c.begin() + (n - 1) * m, m, 0);
  DeviceArray<double> aD(a), bD(b), cD(c), dD(d), xD(m * n), cpD(m * n);
  if (beginCase("thomas", {.bytes = 72.0 * m * n})) {
    while (nextSample())
      thomas<<<(m + 127) / 128, 128>>>(m, n, aD, bD, cD, dD, xD, cpD);
    endCase(checksum(xD.onHost()));
  }
}

void blockEach() {
  const int m = sized(1 << 14, 1 << 8, 1 << 4), n = most;
  std::vector<double> a(m * n), b(m * n), c(m * n), d(m * n);
  fill(a, 1);
  fill(b, 2);
  fill(c, 3);
  fill(d, 4);
  for (double &value : b)
    value += 2;
  for (int s = 0; s < m; ++s)
    a[s * n] = c[s * n + n - 1] = 0;
  DeviceArray<double> aD(a), bD(b), cD(c), dD(d), xD(m * n);
  if (beginCase("cyclic_reduction", {.bytes = 40.0 * m * n})) {
    while (nextSample())
      cyclicReduction<<<m, n>>>(n, aD, bD, cD, dD, xD);
    endCase(checksum(xD.onHost()));
  }
}

// Rows have 8 to 16 numbers in random columns near the diagonal; column -1 means nothing.
void sparse() {
  const int n = sized(1 << 21, 1 << 16, 1 << 9);
  std::vector<int> columns(n * width), lengths(n);
  std::vector<double> values(n * width), x(n);
  fill(columns, 4096, 1);
  fill(lengths, 9, 2);
  fill(values, 3);
  fill(x, 4);
  for (int k = 0; k < width; ++k)
    for (int i = 0; i < n; ++i)
      columns[k * n + i] = k < 8 + lengths[i] ? std::min(std::max(i + columns[k * n + i] - 2048, 0), n - 1) : -1;
  DeviceArray<int> columnsD(columns);
  DeviceArray<double> valuesD(values), xD(x), yD(n);
  if (beginCase("ell_product", {.bytes = 12.0 * width * n + 16.0 * n, .flops = 2.0 * width * n})) {
    while (nextSample())
      ellProduct<<<(n + threads - 1) / threads, threads>>>(n, columnsD, valuesD, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  threadEach();
  blockEach();
  sparse();
  return finish();
}
