// One step of the lattice Boltzmann method D2Q9 (BGK, periodic, float): every cell pulls nine numbers, collides them
// and stores nine. Loops over the nine directions have constant bounds. Twin: lattice_boltzmann.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr float omega = 1.2f;

__global__ void step(int n, const float *noalias f, float *noalias g) {
  constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float w[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float p[9], rho = 0, ux = 0, uy = 0;
  for (int q = 0; q < 9; ++q) {
    int x = i - cx[q];
    int y = j - cy[q];
    if (x < 0)
      x = n - 1;
    if (x >= n)
      x = 0;
    if (y < 0)
      y = n - 1;
    if (y >= n)
      y = 0;
    p[q] = f[(q * n + y) * n + x];
    rho += p[q];
    ux += cx[q] * p[q];
    uy += cy[q] * p[q];
  }
  ux /= rho;
  uy /= rho;
  float uu = 1 - 1.5f * (ux * ux + uy * uy);
  for (int q = 0; q < 9; ++q) {
    float cu = 3 * (cx[q] * ux + cy[q] * uy);
    g[(q * n + j) * n + i] = p[q] + omega * (w[q] * rho * (uu + cu + 0.5f * cu * cu) - p[q]);
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(2048, 512, 32);
  std::vector<float> f(9 * n * n);
  fill(f, 1);
  for (float &value : f)
    value += 1;
  DeviceArray<float> fD(f), gD(f.size());
  gD.clear();
  if (beginCase("lattice_boltzmann", {.bytes = 72.0 * n * n, .flops = 130.0 * n * n, .kind = 4})) {
    while (nextSample())
      step<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, fD, gD);
    endCase(checksum(gD.onHost()));
  }
  return finish();
}
