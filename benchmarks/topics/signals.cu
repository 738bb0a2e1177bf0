// The same kernels as in the twin, signals.cuf.
#include "topics_common.h"

constexpr int stages = 4, taps = 64, decimation = 4, order = 12, longestLine = 2048;

__constant__ float basis[8][8], quantum[8][8], tap[taps];

struct Biquad {
  float b0, b1, b2, a1, a2;
};

__host__ __device__ inline char letter(int v) {
  if (v < 26)
    return 'A' + v;
  if (v < 52)
    return 'a' + v - 26;
  if (v < 62)
    return '0' + v - 52;
  return v == 62 ? '+' : '/';
}

// Weights of Catmull and Rom for the four points around a place.
__device__ inline void catmullRom(float t, float w[4]) {
  w[0] = 0.5f * t * (-1 + t * (2 - t));
  w[1] = 0.5f * (2 + t * t * (-5 + 3 * t));
  w[2] = 0.5f * t * (1 + t * (4 - 3 * t));
  w[3] = 0.5f * t * t * (t - 1);
}

// Cosine transforms of 8 x 8 pixels and their quantisation, four of them per block.
__global__ void dctBlocks(int width, const float *noalias image, int16_t *noalias coefficients) {
  __shared__ float pixels[4][8][8], lines[4][8][8];
  int u = threadIdx.x, v = threadIdx.y, b = threadIdx.z;
  int x0 = (blockIdx.x * 4 + b) * 8, y0 = blockIdx.y * 8;
  pixels[b][v][u] = image[(y0 + v) * width + x0 + u] - 128;
  __syncthreads();
  float total = 0;
  for (int k = 0; k < 8; ++k)
    total = total + basis[k][u] * pixels[b][v][k];
  lines[b][v][u] = total;
  __syncthreads();
  total = 0;
  for (int k = 0; k < 8; ++k)
    total = total + basis[k][v] * lines[b][k][u];
  coefficients[(y0 + v) * width + x0 + u] = int(roundf(total / quantum[v][u]));
}

// Four recursive filters after each other, for many channels.
__global__ void biquadCascade(int channels, int samples, const Biquad *noalias filter, const float *noalias x,
                              float *noalias y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels)
    return;
  float z1[stages] = {}, z2[stages] = {};
  for (int t = 0; t < samples; ++t) {
    float v = x[t * channels + c];
    for (int s = 0; s < stages; ++s) {
      float w = filter[s].b0 * v + z1[s];
      z1[s] = filter[s].b1 * v - filter[s].a1 * w + z2[s];
      z2[s] = filter[s].b2 * v - filter[s].a2 * w;
      v = w;
    }
    y[t * channels + c] = v;
  }
}

// The reversible wavelet transform 5/3 of columns of 16-bit numbers, by lifting in shared memory.
__global__ void lifting53(int n, const int16_t *noalias x, int16_t *noalias y) {
  __shared__ int line[longestLine];
  int column = blockIdx.x, half = n / 2;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    line[i] = x[column * n + i];
  __syncthreads();
  for (int j = threadIdx.x; j < half; j += blockDim.x) {
    int after = min(2 * j + 2, n - 2);
    line[2 * j + 1] = line[2 * j + 1] - ((line[2 * j] + line[after]) >> 1);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < half; j += blockDim.x) {
    int before = abs(2 * j - 1);
    line[2 * j] = line[2 * j] + ((line[before] + line[2 * j + 1] + 2) >> 2);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < half; j += blockDim.x) {
    y[column * n + j] = line[2 * j];
    y[column * n + half + j] = line[2 * j + 1];
  }
}

__host__ __device__ inline double2 operator+(double2 a, double2 b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline double2 operator-(double2 a, double2 b) { return {a.x - b.x, a.y - b.y}; }
__host__ __device__ inline double2 operator*(double2 a, double2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__host__ __device__ inline double2 operator*(double a, double2 b) { return {a * b.x, a * b.y}; }

// A pass of Fourier transforms by threes, with results in order (Stockham); a transform per y.
__global__ void radix3Pass(int n, int stride, const double2 *noalias root, const double2 *noalias x,
                           double2 *noalias y) {
  constexpr double halfRoot3 = 0.8660254037844386;
  int t = blockIdx.x * blockDim.x + threadIdx.x, batch = blockIdx.y, third = n / 3;
  if (t >= third)
    return;
  int k = t % stride, every = third / stride;
  double2 a = x[batch * n + t];
  double2 b = x[batch * n + t + third] * root[k * every];
  double2 c = x[batch * n + t + 2 * third] * root[2 * k * every];
  double2 s = b + c;
  double2 d = (b - c) * double2{0, -halfRoot3};
  int at = batch * n + t / stride * 3 * stride + k;
  y[at] = a + s;
  y[at + stride] = a - 0.5 * s + d;
  y[at + 2 * stride] = a - 0.5 * s - d;
}

// Three bytes become four characters.
__global__ void base64(int groups, const int8_t *noalias bytes, char *noalias text) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups)
    return;
  int word = 0;
  for (int c = 0; c < 3; ++c)
    word = (word << 8) | (bytes[3 * i + c] & 255);
  for (int c = 0; c < 4; ++c)
    text[4 * i + c] = letter((word >> (18 - 6 * c)) & 63);
}

// A picture seen through a lens that bends and twists, by cubic interpolation.
__global__ void lensWarp(int width, int height, float bend, float twist, const float *noalias picture,
                         float *noalias warped) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height)
    return;
  float dx = (2.0f * i - width) / height, dy = (2.0f * j - height) / height;
  float r = hypotf(dx, dy);
  float angle = atan2f(dy, dx) + twist * expf(-r);
  r = r * (1 + bend * r * r);
  float sx = 0.5f * (width + height * r * cosf(angle));
  float sy = 0.5f * (height + height * r * sinf(angle));
  int x0 = int(floorf(sx)), y0 = int(floorf(sy));
  float total = 0;
  if (x0 >= 0 && x0 < width && y0 >= 0 && y0 < height) {
    float wx[4], wy[4];
    catmullRom(sx - x0, wx);
    catmullRom(sy - y0, wy);
    for (int l = 0; l < 4; ++l) {
      int y = min(max(y0 + l - 1, 0), height - 1);
      float line = 0;
      for (int k = 0; k < 4; ++k)
        line = line + wx[k] * picture[y * width + min(max(x0 + k - 1, 0), width - 1)];
      total = total + wy[l] * line;
    }
  }
  warped[j * width + i] = fminf(fmaxf(total, 0), 1);
}

// A filter for complex samples of which every fourth result is kept.
__global__ void decimate(int outputs, const float2 *noalias x, float2 *noalias y) {
  extern __shared__ float2 window[];
  int first = blockIdx.x * blockDim.x * decimation;
  for (int l = threadIdx.x; l < (blockDim.x - 1) * decimation + taps; l += blockDim.x)
    if (first + l < outputs * decimation + taps)
      window[l] = x[first + l];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outputs)
    return;
  float2 total = {0, 0};
  for (int k = 0; k < taps; ++k) {
    float2 value = window[threadIdx.x * decimation + k];
    total.x = total.x + tap[k] * value.x;
    total.y = total.y + tap[k] * value.y;
  }
  y[i] = total;
}

// Coefficients of prediction from correlations, by the recursion of Levinson and Durbin.
__global__ void levinson(int n, const double *noalias correlation, double *noalias coefficient, double *noalias left) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double r[order + 1], a[order], old[order];
  for (int k = 0; k <= order; ++k)
    r[k] = correlation[k * n + i];
  double e = r[0];
  for (int k = 1; k <= order; ++k) {
    double known = 0;
    for (int j = 1; j < k; ++j)
      known += a[j - 1] * r[k - j];
    double reflection = (r[k] - known) / e;
    for (int j = 0; j < k - 1; ++j)
      old[j] = a[j];
    for (int j = 0; j < k - 1; ++j)
      a[j] = old[j] - reflection * old[k - 2 - j];
    a[k - 1] = reflection;
    e = e * (1 - reflection * reflection);
  }
  for (int k = 0; k < order; ++k)
    coefficient[k * n + i] = a[k];
  left[i] = e;
}

void runDct() {
  const int width = sized(4096, 128, 64), height = sized(4096, 128, 16), all = width * height;
  float table[8][8], steps[8][8];
  for (int k = 0; k < 8; ++k)
    for (int u = 0; u < 8; ++u) {
      table[k][u] = float((u == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * k + 1) * u * std::acos(-1.0) / 16));
      steps[k][u] = 3 + 2.0f * (u + k + 2);
    }
  cudaMemcpyToSymbol(basis, table, sizeof table);
  cudaMemcpyToSymbol(quantum, steps, sizeof steps);
  DeviceArray<float> image(random(all, 1, 255.0f));
  DeviceArray<int16_t> coefficients(all);
  if (beginCase("dct_blocks", {.bytes = 6.0 * all, .kind = 4})) {
    while (nextSample())
      dctBlocks<<<dim3(width / 32, height / 8), dim3(8, 8, 4)>>>(width, image, coefficients);
    endCase(magnitudes(coefficients.onHost()));
  }
}

void runBiquads() {
  const int channels = sized(1 << 16, 512, 100), samples = sized(512, 64, 30), all = channels * samples;
  const std::vector<Biquad> filter = {{0.2f, 0.3f, 0.1f, -0.5f, 0.2f},
                                      {0.5f, 0.1f, 0.2f, 0.3f, 0.1f},
                                      {0.4f, -0.2f, 0.3f, -0.2f, 0.4f},
                                      {0.9f, 0.1f, -0.3f, 0.1f, -0.3f}};
  DeviceArray<Biquad> filterD(filter);
  DeviceArray<float> x(random(all, 1, 1.0f)), y(all);
  if (beginCase("biquad_cascade", {.bytes = 8.0 * all, .kind = 4})) {
    while (nextSample())
      biquadCascade<<<(channels + 127) / 128, 128>>>(channels, samples, filterD, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runWavelet() {
  const int n = sized(2048, 256, 100), columns = sized(16384, 64, 20), all = n * columns;
  std::vector<int> numbers = randomInts(all, 4096, 1);
  DeviceArray<int16_t> x(std::vector<int16_t>(numbers.begin(), numbers.end())), y(all);
  if (beginCase("lifting_53", {.bytes = 4.0 * all, .kind = 4})) {
    while (nextSample())
      lifting53<<<columns, 256>>>(n, x, y);
    endCase(magnitudes(y.onHost()));
  }
}

void runThrees() {
  const int passes = sized(7, 5, 4), batches = sized(2048, 16, 4);
  int n = 1;
  for (int pass = 0; pass < passes; ++pass)
    n *= 3;
  std::vector<double> parts = random(2 * size_t(n) * batches, 1, 1.0);
  std::vector<double2> x(size_t(n) * batches), root(n);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = {parts[2 * i], parts[2 * i + 1]};
  for (int i = 0; i < n; ++i)
    root[i] = {std::cos(2 * std::acos(-1.0) * i / n), -std::sin(2 * std::acos(-1.0) * i / n)};
  DeviceArray<double2> xD(x), rootD(root), a(x.size()), b(x.size());
  if (beginCase("radix3_passes", {.bytes = 32.0 * n * batches * passes})) {
    const dim3 grid((n / 3 + 127) / 128, batches);
    while (nextSample()) {
      int stride = 1;
      for (int pass = 1; pass <= passes; ++pass) {
        if (pass == 1)
          radix3Pass<<<grid, 128>>>(n, stride, rootD, xD, a);
        else if (pass % 2 == 0)
          radix3Pass<<<grid, 128>>>(n, stride, rootD, a, b);
        else
          radix3Pass<<<grid, 128>>>(n, stride, rootD, b, a);
        stride *= 3;
      }
    }
    std::vector<double2> y = passes % 2 == 0 ? b.onHost() : a.onHost();
    double total = 0;
    for (size_t i = 0; i < y.size(); ++i)
      total += (std::abs(y[i].x) + 2 * std::abs(y[i].y)) * (1 + (i + 1) % 1009);
    endCase(total);
  }
}

void runBase64() {
  const int groups = sized(1 << 25, 1 << 14, 500);
  std::vector<int> numbers = randomInts(3 * size_t(groups), 256, 1);
  DeviceArray<int8_t> bytes(std::vector<int8_t>(numbers.begin(), numbers.end()));
  DeviceArray<char> text(4 * size_t(groups));
  if (beginCase("base64", {.bytes = 7.0 * groups, .kind = 4})) {
    while (nextSample())
      base64<<<(groups + 255) / 256, 256>>>(groups, bytes, text);
    endCase(checksum(text.onHost()));
  }
}

void runLens() {
  const int width = sized(4096, 128, 40), height = sized(4096, 96, 30), all = width * height;
  DeviceArray<float> picture(random(all, 1, 1.0f)), warped(all);
  if (beginCase("lens_warp", {.bytes = 8.0 * all, .kind = 4})) {
    while (nextSample())
      lensWarp<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(width, height, 0.1f, 0.5f, picture,
                                                                             warped);
    endCase(checksum(warped.onHost()));
  }
}

void runDecimate() {
  const int outputs = sized(1 << 22, 1 << 12, 500), inputs = outputs * decimation + taps;
  const int threads = sized(128, 64, 64);
  std::vector<float> weights = random(taps, 2, 1.0f, -0.25f), parts = random(2 * size_t(inputs), 1, 1.0f);
  cudaMemcpyToSymbol(tap, weights.data(), taps * sizeof(float));
  std::vector<float2> x(inputs);
  for (int i = 0; i < inputs; ++i)
    x[i] = {parts[2 * i], parts[2 * i + 1] - 0.5f};
  DeviceArray<float2> xD(x), y(outputs);
  if (beginCase("decimate", {.bytes = 8.0 * inputs + 8.0 * outputs, .flops = 4.0 * taps * outputs, .kind = 4})) {
    while (nextSample())
      decimate<<<(outputs + threads - 1) / threads, threads, 8 * ((threads - 1) * decimation + taps)>>>(outputs, xD, y);
    std::vector<float2> got = y.onHost();
    double total = 0;
    for (int i = 0; i < outputs; ++i)
      total += (got[i].x + 2.0 * got[i].y) * (1 + (i + 1) % 1009);
    endCase(total);
  }
}

void runLevinson() {
  const int n = sized(1 << 19, 1 << 12, 300);
  std::vector<double> r = random(size_t(n) * (order + 1), 1, 1.0);
  double part = 1;
  for (int k = 0; k <= order; ++k) {
    for (int i = 0; i < n; ++i)
      r[size_t(k) * n + i] = k == 0 ? 1.5 + r[i] : part * r[size_t(k) * n + i];
    part = 0.5 * part;
  }
  DeviceArray<double> rD(r), coefficient(size_t(n) * order), left(n);
  if (beginCase("levinson", {.bytes = 208.0 * n})) {
    while (nextSample())
      levinson<<<(n + 127) / 128, 128>>>(n, rD, coefficient, left);
    endCase(checksum(coefficient.onHost()) + checksum(left.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runDct();
  runBiquads();
  runWavelet();
  runThrees();
  runBase64();
  runLens();
  runDecimate();
  runLevinson();
  return finish();
}
