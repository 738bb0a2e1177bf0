// Particles and molecules: forces from lists of neighbours and from angles between bonds, Ewald's sum in real space,
// bodies turned by quaternions, walks by random numbers, spins on a checkerboard, and particles in cells, which take
// fields from a grid and leave charges there. Twin: molecules.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256;

struct Quaternion {
  double w, x, y, z;
};

struct Particle {
  float x, y, vx, vy;
};

// Forces between an atom and those in its list, by the minimum image.
__global__ void listForces(int n, int most, float box, const int *noalias number, const int *noalias list,
                           const float *noalias x, float *noalias f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float fx = 0, fy = 0, fz = 0, energy = 0;
  for (int k = 0; k < number[i]; ++k) {
    int j = list[k * n + i];
    float dx = x[4 * i] - x[4 * j], dy = x[4 * i + 1] - x[4 * j + 1], dz = x[4 * i + 2] - x[4 * j + 2];
    dx -= box * lroundf(dx / box);
    dy -= box * lroundf(dy / box);
    dz -= box * lroundf(dz / box);
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < 6.25f) {
      float s6 = 1 / (r2 * r2 * r2);
      float s = x[4 * i + 3] * x[4 * j + 3] * (48 * s6 * s6 - 24 * s6) / r2;
      fx += s * dx;
      fy += s * dy;
      fz += s * dz;
      energy += 2 * (s6 * s6 - s6);
    }
  }
  f[4 * i] = fx;
  f[4 * i + 1] = fy;
  f[4 * i + 2] = fz;
  f[4 * i + 3] = energy;
}

__device__ double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Harmonic angles between two bonds.
__global__ void angleForces(int angles, const double *noalias position, double *noalias force, const int *noalias atoms,
                            const double *noalias rest, const double *noalias strength) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= angles)
    return;
  int i = atoms[3 * m], j = atoms[3 * m + 1], k = atoms[3 * m + 2];
  double a[3], b[3];
  for (int d = 0; d < 3; ++d) {
    a[d] = position[3 * i + d] - position[3 * j + d];
    b[d] = position[3 * k + d] - position[3 * j + d];
  }
  double ra = sqrt(dot(a, a)), rb = sqrt(dot(b, b));
  double c = dot(a, b) / (ra * rb);
  c = fmin(1.0, fmax(-1.0, c));
  double s = fmax(sqrt(1 - c * c), 1e-6);
  double angle = acos(c);
  double factor = -2 * strength[m] * (angle - rest[m]) / s;
  for (int d = 0; d < 3; ++d) {
    double fi = factor * (c * a[d] / (ra * ra) - b[d] / (ra * rb));
    double fk = factor * (c * b[d] / (rb * rb) - a[d] / (ra * rb));
    atomicAdd(&force[3 * i + d], fi);
    atomicAdd(&force[3 * k + d], fk);
    atomicAdd(&force[3 * j + d], -fi - fk);
  }
}

// Ewald's sum in real space: energies of all charges, by tiles of charges in shared memory.
__global__ void ewald(int n, double alpha, double cutoff, const double *noalias x, const double *noalias y,
                      const double *noalias z, const double *noalias q, double *noalias energy) {
  __shared__ double sx[threads], sy[threads], sz[threads], sq[threads];
  int t = threadIdx.x, i = blockIdx.x * threads + t;
  double total = 0;
  for (int first = 0; first <= n - threads; first += threads) {
    sx[t] = x[first + t];
    sy[t] = y[first + t];
    sz[t] = z[first + t];
    sq[t] = q[first + t];
    __syncthreads();
    for (int j = 0; j < threads; ++j) {
      double dx = x[i] - sx[j], dy = y[i] - sy[j], dz = z[i] - sz[j];
      double d = sqrt(dx * dx + dy * dy + dz * dz);
      if (d > 0 && d < cutoff)
        total += sq[j] * erfc(alpha * d) / d;
    }
    __syncthreads();
  }
  energy[i] = 0.5 * q[i] * total;
}

__device__ Quaternion product(const Quaternion &a, const Quaternion &b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// Turns the spin of each body a little, and the sites of the body with it.
__global__ void turnBodies(int n, int sites, double dt, const Quaternion *noalias spin,
                           const Quaternion *noalias turning, const double *noalias site, double *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Quaternion p = product(spin[i], turning[i]), q = turning[i];
  q.w += 0.5 * dt * p.w;
  q.x += 0.5 * dt * p.x;
  q.y += 0.5 * dt * p.y;
  q.z += 0.5 * dt * p.z;
  double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  q = {q.w / length, q.x / length, q.y / length, q.z / length};
  Quaternion conjugate = {q.w, -q.x, -q.y, -q.z};
  for (int s = 0; s < sites; ++s) {
    p = product(product(q, {0, site[3 * s], site[3 * s + 1], site[3 * s + 2]}), conjugate);
    x[3 * (i * sites + s)] = p.x;
    x[3 * (i * sites + s) + 1] = p.y;
    x[3 * (i * sites + s) + 2] = p.z;
  }
}

// Walks on a line until they are far away: how many steps.
__device__ int walk(int64_t seed, int distance, int most) {
  int64_t state = seed;
  int at = 0, steps = 0;
  while (abs(at) < distance && steps < most) {
    state = (state * 25214903917 + 11) & 281474976710655;
    if (state >> 47 & 1)
      ++at;
    else
      --at;
    ++steps;
  }
  return steps;
}

__global__ void randomWalks(int n, int distance, int most, int *noalias steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    steps[i] = walk((i + 1) * 2654435761ll, distance, most);
}

__device__ int wrapped(int i, int n) {
  int rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// Half of the spins, of one colour, by Metropolis; the random numbers are hashes of place and time.
__global__ void spinStep(int n, int colour, int time, const float *noalias chance, int *noalias spin) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  i = 2 * i + ((j + colour) & 1);
  if (i >= n || j >= n)
    return;
  int total = spin[j * n + wrapped(i - 1, n)] + spin[j * n + wrapped(i + 1, n)] + spin[wrapped(j - 1, n) * n + i] +
              spin[wrapped(j + 1, n) * n + i];
  unsigned hash = (i + n * j) ^ time << 20;
  hash ^= hash << 13;
  hash ^= hash >> 17;
  hash ^= hash << 5;
  if (int(hash >> 8) * 0x1p-24f < chance[total * spin[j * n + i] + 4])
    spin[j * n + i] = -spin[j * n + i];
}

// Fields from the four corners of a particle's cell, a step by Boris's method, and back into the box.
__global__ void push(int n, int cells, float dt, float b, const float *noalias ex, const float *noalias ey,
                     Particle *noalias p) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= n)
    return;
  int i = int(p[m].x), j = int(p[m].y);
  float u = p[m].x - i, v = p[m].y - j;
  int at = j * (cells + 1) + i, above = at + cells + 1;
  float fx = (1 - u) * (1 - v) * ex[at] + u * (1 - v) * ex[at + 1] + (1 - u) * v * ex[above] + u * v * ex[above + 1];
  float fy = (1 - u) * (1 - v) * ey[at] + u * (1 - v) * ey[at + 1] + (1 - u) * v * ey[above] + u * v * ey[above + 1];
  float t = 0.5f * dt * b;
  float s = 2 * t / (1 + t * t);
  float wx = p[m].vx + 0.5f * dt * fx, wy = p[m].vy + 0.5f * dt * fy;
  u = wx + wy * t;
  v = wy - wx * t;
  wx = wx + s * v + 0.5f * dt * fx;
  wy = wy - s * u + 0.5f * dt * fy;
  p[m].vx = wx;
  p[m].vy = wy;
  u = p[m].x + dt * wx;
  v = p[m].y + dt * wy;
  if (u < 0)
    u += cells;
  if (u >= cells)
    u -= cells;
  if (v < 0)
    v += cells;
  if (v >= cells)
    v -= cells;
  p[m].x = u;
  p[m].y = v;
}

// Charges to the four corners of each cell.
__global__ void deposit(int n, int cells, const Particle *noalias p, float *noalias charge) {
  for (int m = blockIdx.x * blockDim.x + threadIdx.x; m < n; m += blockDim.x * gridDim.x) {
    int i = int(p[m].x), j = int(p[m].y);
    float u = p[m].x - i, v = p[m].y - j;
    int at = j * (cells + 1) + i, above = at + cells + 1;
    atomicAdd(&charge[at], (1 - u) * (1 - v));
    atomicAdd(&charge[at + 1], u * (1 - v));
    atomicAdd(&charge[above], (1 - u) * v);
    atomicAdd(&charge[above + 1], u * v);
  }
}

void neighbours() {
  const int edge = sized(64, 16, 8), n = edge * edge * edge, most = 92;
  std::vector<float> x(4 * n), energies;
  std::vector<int> number(n), list(n * most);
  fill(x, 1);
  int count = 0;
  for (int c = -2; c <= 2; ++c)
    for (int b = -2; b <= 2; ++b)
      for (int a = -2; a <= 2; ++a) {
        int far = a * a + b * b + c * c;
        if (far == 0 || far > 8)
          continue;
        for (int i = 0; i < n; ++i)
          list[count * n + i] = (i % edge + a + edge) % edge + edge * ((i / edge % edge + b + edge) % edge +
                                                                       edge * ((i / edge / edge + c + edge) % edge));
        ++count;
      }
  for (int i = 0; i < n; ++i) {
    x[4 * i] = 0.2f * x[4 * i] + i % edge;
    x[4 * i + 1] = 0.2f * x[4 * i + 1] + i / edge % edge;
    x[4 * i + 2] = 0.2f * x[4 * i + 2] + i / edge / edge;
    x[4 * i + 3] += 0.5f;
    number[i] = count - (i + 1) % 4;
  }
  DeviceArray<float> xD(x), fD(4 * n);
  DeviceArray<int> numberD(number), listD(list);
  if (beginCase("list_forces", {.bytes = 36.0 * n + 4.0 * n * count, .flops = 30.0 * n * count, .kind = 4})) {
    while (nextSample())
      listForces<<<(n + threads - 1) / threads, threads>>>(n, most, float(edge), numberD, listD, xD, fD);
    std::vector<float> f = fD.onHost();
    for (int i = 0; i < n; ++i)
      energies.push_back(f[4 * i + 3]);
    endCase(checksum(energies));
  }
}

void angles() {
  const int n = sized(1 << 21, 1 << 12, 1 << 9);
  std::vector<int> atoms(3 * (n - 2));
  std::vector<double> x(3 * n), rest(n - 2), strength(n - 2);
  fill(x, 1);
  fill(rest, 2);
  fill(strength, 3);
  for (int i = 0; i < n; ++i)
    x[3 * i] += i + 1;
  for (int i = 0; i < n - 2; ++i) {
    rest[i] += 1.5;
    for (int k = 0; k < 3; ++k)
      atoms[3 * i + k] = i + k;
  }
  DeviceArray<int> atomsD(atoms);
  DeviceArray<double> xD(x), fD(3 * n), restD(rest), strengthD(strength);
  fD.clear();
  if (beginCase("angle_forces", {.bytes = 28.0 * n + 48.0 * n})) {
    while (nextSample())
      angleForces<<<(n + threads - 1) / threads, threads>>>(n - 2, xD, fD, atomsD, restD, strengthD);
    fD.clear();
    angleForces<<<(n + threads - 1) / threads, threads>>>(n - 2, xD, fD, atomsD, restD, strengthD);
    double total = 0;
    for (double f : fD.onHost())
      total += f * f;
    endCase(total);
  }
}

void charges() {
  const int n = sized(1 << 14, 1 << 9, 1 << 8);
  std::vector<double> x(4 * n);
  fill(x, 1);
  DeviceArray<double> xD(x), energyD(n);
  if (beginCase("ewald", {.flops = 60.0 * n * n})) {
    while (nextSample())
      ewald<<<n / threads, threads>>>(n, 3.0, 0.6, xD, xD + n, xD + 2 * n, xD + 3 * n, energyD);
    endCase(checksum(energyD.onHost()));
  }
}

void bodies() {
  const int n = sized(1 << 20, 1 << 12, 1 << 8), sites = 5;
  std::vector<double> numbers(8 * n), site(3 * sites);
  fill(numbers, 1);
  fill(site, 2);
  std::vector<Quaternion> spin(n), turning(n);
  for (int i = 0; i < n; ++i) {
    const double *own = &numbers[8 * i];
    spin[i] = {0, own[1], own[2], own[3]};
    turning[i] = {own[4], own[5], own[6], own[7]};
  }
  DeviceArray<Quaternion> spinD(spin), turningD(turning);
  DeviceArray<double> siteD(site), xD(3 * sites * n);
  if (beginCase("turn_bodies", {.bytes = (64.0 + 24 * sites) * n})) {
    while (nextSample())
      turnBodies<<<(n + threads - 1) / threads, threads>>>(n, sites, 1e-3, spinD, turningD, siteD, xD);
    endCase(checksum(xD.onHost()));
  }
}

void randomNumbers() {
  int n = sized(1 << 20, 1 << 12, 1 << 8);
  if (DeviceArray<int> stepsD(n); beginCase("random_walks", {})) {
    while (nextSample())
      randomWalks<<<(n + threads - 1) / threads, threads>>>(n, 20, 2000, stepsD);
    endCase(sum(stepsD.onHost()));
  }

  n = sized(8192, 256, 64);
  std::vector<int> spin(n * n);
  std::vector<float> chance;
  fill(spin, 2, 1);
  for (int &value : spin)
    value = 2 * value - 1;
  for (int i = -4; i <= 4; ++i)
    chance.push_back(std::min(expf(-0.9f * i), 1.0f));
  DeviceArray<int> spinD(spin);
  DeviceArray<float> chanceD(chance);
  if (beginCase("spins", {.bytes = 10.0 * n * n, .kind = 4})) {
    while (nextSample())
      spinStep<<<dim3(n / 64, n / 8), dim3(32, 8)>>>(n, 0, 1, chanceD, spinD);
    spinD = spin;
    spinStep<<<dim3(n / 64, n / 8), dim3(32, 8)>>>(n, 1, 5, chanceD, spinD);
    endCase(checksum(spinD.onHost()));
  }
}

void cells() {
  const int n = sized(1 << 23, 1 << 14, 1 << 9), m = sized(1024, 128, 16);
  std::vector<float> numbers(4 * n), ex((m + 1) * (m + 1), 0.5f), ey(ex.size(), -0.25f);
  fill(numbers, 1);
  std::vector<Particle> p(n);
  for (int i = 0; i < n; ++i)
    p[i] = {m * numbers[4 * i], std::min(m * ((i + numbers[4 * i + 1]) / n), 0.999f * m), numbers[4 * i + 2] - 0.5f,
            numbers[4 * i + 3] - 0.5f};
  DeviceArray<Particle> pD(p);
  DeviceArray<float> exD(ex), eyD(ey), chargeD(ex.size());
  if (beginCase("push", {.bytes = 32.0 * n, .kind = 4})) {
    while (nextSample())
      push<<<(n + threads - 1) / threads, threads>>>(n, m, 0.1f, 0.7f, exD, eyD, pD);
    pD = p;
    push<<<(n + threads - 1) / threads, threads>>>(n, m, 0.1f, 0.7f, exD, eyD, pD);
    std::vector<float> x, vy;
    for (const Particle &particle : pD.onHost()) {
      x.push_back(particle.x);
      vy.push_back(particle.vy);
    }
    endCase(checksum(x) + checksum(vy));
  }
  pD = p;
  chargeD.clear();
  if (beginCase("deposit", {.bytes = 16.0 * n, .kind = 4})) {
    while (nextSample())
      deposit<<<1056, threads>>>(n, m, pD, chargeD);
    chargeD.clear();
    deposit<<<1056, threads>>>(n, m, pD, chargeD);
    endCase(checksum(chargeD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  neighbours();
  angles();
  charges();
  bodies();
  randomNumbers();
  cells();
  return finish();
}
