// Kernels that calculate more than they load: n-body forces, option prices, pi by random numbers, the Mandelbrot set,
// and sines, exponentials and powers of float and double. Compiled a second time for fast arithmetic. Twin:
// arithmetic.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, repeats = 8;

// Accelerations of bodies that attract each other; every block reads them in tiles.
__global__ void forces(int n, const float *noalias x, const float *noalias y, const float *noalias z,
                       const float *noalias m, float *noalias ax, float *noalias ay, float *noalias az) {
  __shared__ float sx[threads], sy[threads], sz[threads], sm[threads];
  int t = threadIdx.x;
  int i = blockIdx.x * threads + t;
  float xi = x[i], yi = y[i], zi = z[i];
  float fx = 0, fy = 0, fz = 0;
  for (int step = 0; step < n; step += threads) {
    sx[t] = x[step + t];
    sy[t] = y[step + t];
    sz[t] = z[step + t];
    sm[t] = m[step + t];
    __syncthreads();
    for (int j = 0; j < threads; ++j) {
      float dx = sx[j] - xi;
      float dy = sy[j] - yi;
      float dz = sz[j] - zi;
      float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = sm[j] * r * r * r;
      fx += s * dx;
      fy += s * dy;
      fz += s * dz;
    }
    __syncthreads();
  }
  ax[i] = fx;
  ay[i] = fy;
  az[i] = fz;
}

__device__ float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float result =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - result : result;
}

__device__ void price(float s, float x, float t, float &callPrice, float &putPrice) {
  const float rate = 0.02f, volatility = 0.3f;
  float root = sqrtf(t);
  float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float later = x * expf(-rate * t);
  callPrice = s * normal(d1) - later * normal(d2);
  putPrice = later * (1 - normal(d2)) - s * (1 - normal(d1));
}

__global__ void blackScholes(int n, const float *noalias s, const float *noalias x, const float *noalias t,
                             float *noalias calls, float *noalias puts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    price(s[i], x[i], t[i], calls[i], puts[i]);
}

// Points in a quarter of the circle, with a xorshift generator of 32 bits.
__global__ void countHits(int each, int *noalias hits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = (i + 1) * 7919 ^ 123456789;
  int mine = 0;
  for (int k = 0; k < each; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    float x = int(state >> 8) * 5.9604645e-8f;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    float y = int(state >> 8) * 5.9604645e-8f;
    if (x * x + y * y <= 1)
      ++mine;
  }
  hits[i] = mine;
}

__device__ int escape(int i, int j, int n) {
  float cx = -2 + 3.0f * i / n;
  float cy = -1.5f + 3.0f * j / n;
  float x = 0, y = 0;
  int count = 0;
  while (count < 512 && x * x + y * y < 4) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++count;
  }
  return count;
}

__global__ void mandelbrot(int n, int *noalias counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    counts[j * n + i] = escape(i, j, n);
}

__global__ void functions4(int n, float p, const float *noalias x, float *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  for (int k = 0; k < repeats; ++k)
    v = sinf(v) * expf(-0.5f * v) + 0.25f * powf(v + 1, p);
  y[i] = v;
}

__global__ void functions8(int n, double p, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double v = x[i];
  for (int k = 0; k < repeats; ++k)
    v = sin(v) * exp(-0.5 * v) + 0.25 * pow(v + 1, p);
  y[i] = v;
}

void nbodyCase() {
  const int n = sized(32768, 2048, 512);
  std::vector<float> x(n), y(n), z(n), m(n);
  fill(x, 1);
  fill(y, 2);
  fill(z, 3);
  fill(m, 4);
  DeviceArray<float> xD(x), yD(y), zD(z), mD(m), axD(n), ayD(n), azD(n);
  if (beginCase("nbody", {.flops = 20.0 * n * n, .kind = 4})) {
    while (nextSample())
      forces<<<n / threads, threads>>>(n, xD, yD, zD, mD, axD, ayD, azD);
    double total = 0;
    for (float value : axD.onHost())
      total += fabs(value);
    endCase(total);
  }
}

void blackScholesCase() {
  const int n = sized(1 << 24, 1 << 20, 1 << 12);
  std::vector<float> s(n), x(n), t(n);
  fill(s, 1);
  fill(x, 2);
  fill(t, 3);
  for (int i = 0; i < n; ++i) {
    s[i] = 5 + 25 * s[i];
    x[i] = 1 + 99 * x[i];
    t[i] = 0.25f + 9.75f * t[i];
  }
  DeviceArray<float> sD(s), xD(x), tD(t), callsD(n), putsD(n);
  if (beginCase("black_scholes", {.bytes = 20.0 * n})) {
    while (nextSample())
      blackScholes<<<(n + threads - 1) / threads, threads>>>(n, sD, xD, tD, callsD, putsD);
    endCase(checksum(callsD.onHost()) + checksum(putsD.onHost()));
  }
}

void piCase() {
  const int n = sized(1 << 18, 1 << 10, 1 << 9), each = sized(4096, 4096, 512);
  DeviceArray<int> hitsD(n);
  if (beginCase("monte_carlo_pi", {})) {
    while (nextSample())
      countHits<<<n / threads, threads>>>(each, hitsD);
    endCase(4 * sum(hitsD.onHost()) / (double(n) * each));
  }
}

void mandelbrotCase() {
  const int n = sized(4096, 512, 64);
  DeviceArray<int> countsD(n * n);
  if (beginCase("mandelbrot", {})) {
    while (nextSample())
      mandelbrot<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, countsD);
    endCase(sum(countsD.onHost()));
  }
}

void functions4Case() {
  const int n = sized(1 << 24, 1 << 18, 1 << 12);
  std::vector<float> x(n);
  fill(x, 1);
  DeviceArray<float> xD(x), yD(n);
  if (beginCase("functions4", {.bytes = 8.0 * n})) {
    while (nextSample())
      functions4<<<(n + threads - 1) / threads, threads>>>(n, 1.7f, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

void functions8Case() {
  const int n = sized(1 << 24, 1 << 18, 1 << 12);
  std::vector<double> x(n);
  fill(x, 1);
  DeviceArray<double> xD(x), yD(n);
  if (beginCase("functions8", {.bytes = 16.0 * n})) {
    while (nextSample())
      functions8<<<(n + threads - 1) / threads, threads>>>(n, 1.7, xD, yD);
    endCase(checksum(yD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  nbodyCase();
  blackScholesCase();
  piCase();
  mandelbrotCase();
  functions4Case();
  functions8Case();
  return finish();
}
