// Fourier transforms of many rows of 1024 complex numbers: a block transforms a row in shared memory, by Stockham's
// method with radix 2. Twin: fft.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int points = 1024, threads = points / 2;

__global__ void transform(const float2 *noalias x, float2 *noalias y, const float2 *noalias roots) {
  __shared__ float2 s[points];
  int t = threadIdx.x;
  int row = blockIdx.x;
  s[t] = x[row * points + t];
  s[t + threads] = x[row * points + t + threads];
  for (int m = 1; m < points; m *= 2) {
    int k = t & (m - 1);
    int j = t - k;
    __syncthreads();
    float2 a = s[t];
    float2 b = s[t + threads];
    __syncthreads();
    float2 root = roots[j], d = {a.x - b.x, a.y - b.y};
    s[k + 2 * j] = {a.x + b.x, a.y + b.y};
    s[k + 2 * j + m] = {root.x * d.x - root.y * d.y, root.x * d.y + root.y * d.x};
  }
  __syncthreads();
  y[row * points + t] = s[t];
  y[row * points + t + threads] = s[t + threads];
}

int main(int argc, char **argv) {
  start(argc, argv);
  const double turn = -2 * acos(-1.0) / points;
  const int rows = sized(1 << 15, 1 << 10, 8), n = rows * points;
  std::vector<float> parts(2 * n);
  fill(parts, 1);
  std::vector<float2> x(n), roots(threads);
  for (int i = 0; i < n; ++i)
    x[i] = {parts[2 * i], parts[2 * i + 1]};
  for (int k = 0; k < threads; ++k)
    roots[k] = {float(cos(turn * k)), float(sin(turn * k))};
  DeviceArray<float2> xD(x), yD(n), rootsD(roots);
  yD.clear();
  if (beginCase("fft", {.bytes = 16.0 * n, .flops = 5.0 * n * 10, .kind = 4})) {
    while (nextSample())
      transform<<<rows, threads>>>(xD, yD, rootsD);
    std::vector<float> real, imaginary;
    for (float2 value : yD.onHost()) {
      real.push_back(value.x);
      imaginary.push_back(value.y);
    }
    endCase(checksum(real) + 2 * checksum(imaginary));
  }
  return finish();
}
