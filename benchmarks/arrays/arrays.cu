// What arrays look like: an array of a structure, a stencil, and indices of 64 bits. Twin: arrays.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256;

struct Particle {
  float x[3], v[3], charge, mass;
};

__global__ void push(int n, float dt, const Particle *noalias p, Particle *noalias q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Particle a = p[i];
  float field[3] = {a.x[1] * a.x[2], a.x[2] - a.x[0], a.x[0] * a.x[0]};
  for (int k = 0; k < 3; ++k)
    a.v[k] += dt * a.charge / a.mass * field[k];
  for (int k = 0; k < 3; ++k)
    a.x[k] += dt * a.v[k];
  q[i] = a;
}

__global__ void smooth(int n, const float *noalias a, float *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    b[j * n + i] =
        0.5f * a[j * n + i] + 0.125f * (a[j * n + i - 1] + a[j * n + i + 1] + a[(j - 1) * n + i] + a[(j + 1) * n + i]);
}

__global__ void triad(int64_t n, const double *noalias a, const double *noalias b, double *noalias c) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(blockDim.x) * gridDim.x)
    c[i] = a[i] + 0.4 * b[i];
}

void particles() {
  const float dt = 0.01f;
  const int n = sized(1 << 23, 1 << 19, 1 << 12);
  std::vector<float> numbers(8 * n);
  fill(numbers, 1);
  std::vector<Particle> p(n);
  for (int i = 0; i < n; ++i) {
    memcpy(&p[i], &numbers[8 * i], sizeof(Particle));
    p[i].mass += 1;
  }
  DeviceArray<Particle> pD(p), qD(p);
  if (beginCase("particle_push", {.bytes = 64.0 * n})) {
    while (nextSample())
      push<<<(n + threads - 1) / threads, threads>>>(n, dt, pD, qD);
    std::vector<float> got;
    for (const Particle &q : qD.onHost())
      got.insert(got.end(), {q.x[0], q.x[1], q.x[2], q.v[0], q.v[1], q.v[2]});
    endCase(checksum(got));
  }
}

void shapes() {
  const int n = sized(8192, 2048, 64);
  std::vector<float> a(n * n);
  fill(a, 1);
  DeviceArray<float> aD(a), bD(a);
  if (beginCase("smooth", {.bytes = 8.0 * n * n})) {
    while (nextSample())
      smooth<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void longIndices() {
  const int n = sized(1 << 25, 1 << 22, 1 << 12);
  std::vector<double> a(n), b(n);
  fill(a, 1);
  fill(b, 2);
  DeviceArray<double> aD(a), bD(b), cD(n);
  cD.clear();
  if (beginCase("triad_long", {.bytes = 24.0 * n})) {
    while (nextSample())
      triad<<<2048, threads>>>(n, aD, bD, cD);
    endCase(checksum(cD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  particles();
  shapes();
  longIndices();
  return finish();
}
