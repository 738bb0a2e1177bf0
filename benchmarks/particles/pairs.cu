// Pairs of particles and what they do to each other or to points: Lennard-Jones forces by a list of cells, a histogram
// of distances, potentials from atoms in constant memory and from the atoms of neighbouring boxes, the sums of magnetic
// resonance, charges that are spread over a grid by atomic additions, and the greatest speeds in cells by atomic
// maxima. Twin: pairs.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, bins = 256, chunk = 1024, boxSize = 8;
__constant__ float4 atoms[chunk], samplePoints[chunk];

// Particles lie cell by cell; cells and the cutoff have length 1, and the box is periodic. Forces are softened.
__global__ void lennardJones(int n, int edge, const int *noalias first, const double *noalias x,
                             const double *noalias y, const double *noalias z, double *noalias fx, double *noalias fy,
                             double *noalias fz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double length = edge;
  int cx = int(x[i]);
  int cy = int(y[i]);
  int cz = int(z[i]);
  double total[3] = {0, 0, 0};
  for (int c = -1; c <= 1; ++c)
    for (int b = -1; b <= 1; ++b)
      for (int a = -1; a <= 1; ++a) {
        int cell = (cx + a + edge) % edge + edge * ((cy + b + edge) % edge + edge * ((cz + c + edge) % edge));
        for (int j = first[cell]; j < first[cell + 1]; ++j) {
          if (j == i)
            continue;
          double dx = x[i] - x[j];
          double dy = y[i] - y[j];
          double dz = z[i] - z[j];
          dx -= length * round(dx / length);
          dy -= length * round(dy / length);
          dz -= length * round(dz / length);
          double r2 = dx * dx + dy * dy + dz * dz;
          if (r2 < 1) {
            r2 = 1 / (r2 + 0.1);
            double s2 = 0.16 * r2;
            double s6 = s2 * s2 * s2;
            double force = 24 * s6 * (2 * s6 - 1) * r2;
            total[0] += force * dx;
            total[1] += force * dy;
            total[2] += force * dz;
          }
        }
      }
  fx[i] = total[0];
  fy[i] = total[1];
  fz[i] = total[2];
}

// How many pairs have which distance: each block counts in shared memory.
__global__ void countDistances(int n, float scale, const float *noalias x, const float *noalias y,
                               const float *noalias z, int *noalias counts) {
  __shared__ int mine[bins];
  __shared__ float sx[threads], sy[threads], sz[threads];
  int t = threadIdx.x;
  int i = blockIdx.x * threads + t;
  mine[t] = 0;
  for (int step = 0; step < n; step += threads) {
    __syncthreads();
    sx[t] = x[step + t];
    sy[t] = y[step + t];
    sz[t] = z[step + t];
    __syncthreads();
    for (int j = 0; j < threads; ++j) {
      float dx = x[i] - sx[j], dy = y[i] - sy[j], dz = z[i] - sz[j];
      float d = sqrtf(dx * dx + dy * dy + dz * dz);
      int bin = min(int(d * scale), bins - 1);
      atomicAdd(&mine[bin], 1);
    }
  }
  __syncthreads();
  atomicAdd(&counts[t], mine[t]);
}

// The potential of all atoms in a plane.
__global__ void planePotential(int n, int count, float spacing, float height, float *noalias potential) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  float x = spacing * (i + 1);
  float y = spacing * (j + 1);
  float total = 0;
  for (int k = 0; k < count; ++k) {
    float dx = x - atoms[k].x;
    float dy = y - atoms[k].y;
    float dz = height - atoms[k].z;
    total += atoms[k].w / sqrtf(dx * dx + dy * dy + dz * dz);
  }
  potential[j * n + i] = total;
}

// Points of a lattice, 4 in each direction of a box, and atoms that are in a box or beside it: up to eight in each box.
__global__ void cutoffPotential(int boxes, const int *noalias occupied, const float4 *noalias content,
                                float *noalias potential) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  float x = 0.25f * i;
  float y = 0.25f * j;
  float z = 0.25f * k;
  float total = 0;
  for (int c = max(k / 4 - 1, 0); c <= min(k / 4 + 1, boxes - 1); ++c)
    for (int b = max(j / 4 - 1, 0); b <= min(j / 4 + 1, boxes - 1); ++b)
      for (int a = max(i / 4 - 1, 0); a <= min(i / 4 + 1, boxes - 1); ++a) {
        int box = (c * boxes + b) * boxes + a;
        for (int m = 0; m < occupied[box]; ++m) {
          float4 other = content[box * boxSize + m];
          float dx = x - other.x, dy = y - other.y, dz = z - other.z;
          float r2 = dx * dx + dy * dy + dz * dz;
          if (r2 >= 1)
            continue;
          float s = 1 - r2;
          total += other.w * s * s / sqrtf(r2 + 0.01f);
        }
      }
  potential[(k * 4 * boxes + j) * 4 * boxes + i] = total;
}

// Sums of waves over samples in constant memory: x, y, z are frequencies, w is a weight.
__global__ void sumWaves(int n, int count, const float *noalias x, const float *noalias y, const float *noalias z,
                         float *noalias re, float *noalias im) {
  const float twoPi = 6.2831853f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float r = 0, s = 0;
  for (int k = 0; k < count; ++k) {
    float angle = twoPi * (samplePoints[k].x * x[i] + samplePoints[k].y * y[i] + samplePoints[k].z * z[i]);
    r += samplePoints[k].w * cosf(angle);
    s += samplePoints[k].w * sinf(angle);
  }
  re[i] = r;
  im[i] = s;
}

// Every particle gives its charge to the eight points around it.
__global__ void deposit(int n, int edge, const double *noalias x, const double *noalias y, const double *noalias z,
                        const double *noalias q, double *noalias rho) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int cx = int(x[i] * edge);
  int cy = int(y[i] * edge);
  int cz = int(z[i] * edge);
  double wx[2], wy[2], wz[2];
  wx[1] = x[i] * edge - cx;
  wy[1] = y[i] * edge - cy;
  wz[1] = z[i] * edge - cz;
  wx[0] = 1 - wx[1];
  wy[0] = 1 - wy[1];
  wz[0] = 1 - wz[1];
  for (int c = 0; c <= 1; ++c)
    for (int b = 0; b <= 1; ++b)
      for (int a = 0; a <= 1; ++a)
        atomicAdd(&rho[((cz + c) * (edge + 1) + cy + b) * (edge + 1) + cx + a], q[i] * wx[a] * wy[b] * wz[c]);
}

__device__ void atomicGreatest(double *address, double value) {
  auto *bits = reinterpret_cast<unsigned long long *>(address);
  unsigned long long old = *bits;
  while (value > __longlong_as_double(old)) {
    unsigned long long expected = old;
    old = atomicCAS(bits, expected, (unsigned long long)__double_as_longlong(value));
    if (old == expected)
      break;
  }
}

// The greatest speed in each cell.
__global__ void greatestSpeeds(int n, const int *noalias cell, const double *noalias speed, double *noalias greatest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicGreatest(&greatest[cell[i]], speed[i]);
}

void forces() {
  const int edge = sized(64, 16, 8), cellCount = edge * edge * edge, n = 4 * cellCount;
  std::vector<double> numbers(3 * n), x(n), y(n), z(n);
  fill(numbers, 1);
  std::vector<int> cells(n), first(cellCount + 1);
  for (double &value : numbers)
    value *= edge;
  for (int i = 0; i < n; ++i) {
    cells[i] = int(numbers[i]) + edge * (int(numbers[n + i]) + edge * int(numbers[2 * n + i]));
    ++first[cells[i] + 1];
  }
  for (int i = 0; i < cellCount; ++i)
    first[i + 1] += first[i];
  std::vector<int> place = first;
  for (int i = 0; i < n; ++i) {
    int at = place[cells[i]]++;
    x[at] = numbers[i];
    y[at] = numbers[n + i];
    z[at] = numbers[2 * n + i];
  }
  DeviceArray<int> firstD(first);
  DeviceArray<double> xD(x), yD(y), zD(z), fxD(n), fyD(n), fzD(n);
  if (beginCase("lennard_jones", {})) {
    while (nextSample())
      lennardJones<<<(n + 127) / 128, 128>>>(n, edge, firstD, xD, yD, zD, fxD, fyD, fzD);
    double total = 0;
    for (const std::vector<double> &f : {fxD.onHost(), fyD.onHost(), fzD.onHost()})
      for (double value : f)
        total += fabs(value);
    endCase(total);
  }
}

void histogram() {
  const int n = sized(16384, 1024, 512);
  std::vector<float> p(3 * n);
  fill(p, 1);
  DeviceArray<float> pD(p);
  DeviceArray<int> countsD(bins);
  if (beginCase("distance_histogram", {})) {
    while (nextSample()) {
      countsD.clear();
      countDistances<<<n / threads, threads>>>(n, bins / 1.7321f, pD, pD + n, pD + 2 * n, countsD);
    }
    endCase(checksum(countsD.onHost()));
  }
}

void potentials() {
  const int n = sized(2048, 256, 32);
  std::vector<float> numbers(4 * chunk);
  fill(numbers, 1);
  for (int i = 0; i < chunk; ++i)
    numbers[4 * i + 2] *= 0.3f;
  cudaMemcpyToSymbol(atoms, numbers.data(), sizeof atoms);
  DeviceArray<float> vD(n * n);
  if (beginCase("plane_potential", {.flops = 10.0 * chunk * n * n, .kind = 4})) {
    while (nextSample())
      planePotential<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, chunk, 1.0f / n, 0.35f, vD);
    endCase(checksum(vD.onHost()));
  }
}

void boxesOfAtoms() {
  const int boxes = sized(64, 8, 8), n = 4 * boxes;
  std::vector<int> occupied(boxes * boxes * boxes);
  std::vector<float> numbers(4 * boxSize * boxes * boxes * boxes);
  fill(occupied, boxSize + 1, 1);
  fill(numbers, 2);
  std::vector<float4> content(boxSize * boxes * boxes * boxes);
  for (int i = 0; i < int(content.size()); ++i) {
    int box = i / boxSize;
    content[i] = {numbers[4 * i] + box % boxes, numbers[4 * i + 1] + box / boxes % boxes,
                  numbers[4 * i + 2] + box / (boxes * boxes), numbers[4 * i + 3]};
  }
  DeviceArray<int> occupiedD(occupied);
  DeviceArray<float4> contentD(content);
  DeviceArray<float> vD(n * n * n);
  if (beginCase("cutoff_potential", {})) {
    while (nextSample())
      cutoffPotential<<<dim3(n / 8, n / 4, n / 4), dim3(8, 4, 4)>>>(boxes, occupiedD, contentD, vD);
    endCase(checksum(vD.onHost()));
  }
}

void waves() {
  const int n = sized(1 << 18, 1 << 14, 1 << 9);
  std::vector<float> numbers(4 * chunk), p(3 * n);
  fill(numbers, 1);
  fill(p, 2);
  for (int i = 0; i < chunk; ++i)
    for (int k = 0; k < 3; ++k)
      numbers[4 * i + k] *= 16;
  cudaMemcpyToSymbol(samplePoints, numbers.data(), sizeof samplePoints);
  DeviceArray<float> pD(p), reD(n), imD(n);
  if (beginCase("wave_sums", {})) {
    while (nextSample())
      sumWaves<<<(n + threads - 1) / threads, threads>>>(n, chunk, pD, pD + n, pD + 2 * n, reD, imD);
    double total = 0;
    for (const std::vector<float> &f : {reD.onHost(), imD.onHost()})
      for (float value : f)
        total += fabs(value);
    endCase(total);
  }
}

void charges() {
  const int n = sized(1 << 22, 1 << 16, 1 << 10), edge = sized(128, 32, 8), points = edge + 1;
  std::vector<double> p(4 * n);
  fill(p, 1);
  DeviceArray<double> pD(p), rhoD(points * points * points);
  if (beginCase("charge_deposit", {})) {
    while (nextSample()) {
      rhoD.clear();
      deposit<<<(n + threads - 1) / threads, threads>>>(n, edge, pD, pD + n, pD + 2 * n, pD + 3 * n, rhoD);
    }
    std::vector<double> rho = rhoD.onHost();
    double total = 0;
    for (int i = 0; i < int(rho.size()); ++i)
      total += rho[i] * (i % points);
    endCase(total);
  }
}

void speeds() {
  const int n = sized(1 << 24, 1 << 16, 1 << 10), cells = sized(1 << 12, 1 << 8, 1 << 4);
  std::vector<int> cell(n);
  std::vector<double> speed(n);
  fill(cell, cells, 1);
  fill(speed, 2);
  DeviceArray<int> cellD(cell);
  DeviceArray<double> speedD(speed), greatestD(cells);
  if (beginCase("greatest_speeds", {.bytes = 12.0 * n})) {
    while (nextSample()) {
      greatestD.clear();
      greatestSpeeds<<<(n + threads - 1) / threads, threads>>>(n, cellD, speedD, greatestD);
    }
    endCase(checksum(greatestD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  forces();
  histogram();
  potentials();
  boxesOfAtoms();
  waves();
  charges();
  speeds();
  return finish();
}
