// One Jacobi sweep of the 5-point stencil on n x n doubles, and the greatest change, which a shared array finds.
// Twin: jacobi.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int bx = 32, by = 8;

__global__ void sweep(int n, const double *noalias u, double *noalias v, double *noalias change) {
  __shared__ double part[bx * by];
  int i = blockIdx.x * bx + threadIdx.x;
  int j = blockIdx.y * by + threadIdx.y;
  int t = threadIdx.y * bx + threadIdx.x;
  part[t] = 0;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1) {
    v[j * n + i] = 0.25 * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i]);
    part[t] = fabs(v[j * n + i] - u[j * n + i]);
  }
  for (int offset = bx * by / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (t < offset)
      part[t] = fmax(part[t], part[t + offset]);
  }
  if (t == 0)
    change[blockIdx.y * gridDim.x + blockIdx.x] = part[0];
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(4096, 1024, 64);
  const dim3 grid(n / bx, n / by), block(bx, by);
  std::vector<double> u(n * n);
  fill(u, 1);
  DeviceArray<double> uD(u), vD(u), changesD(grid.x * grid.y);

  if (beginCase("jacobi", {.bytes = 16.0 * n * n})) {
    while (nextSample())
      sweep<<<grid, block>>>(n, uD, vD, changesD);
    endCase(checksum(vD.onHost()));
  }
  return finish();
}
