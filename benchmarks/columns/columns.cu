// A point or a column for each thread: chemical kinetics, the Lorenz 96 model by Runge and Kutta, sums of Legendre
// polynomials, look-ups in tables by bisection, Cholesky factors and eigenvalues of small matrices, rays and spheres,
// radiation and advection in columns of air. Twin: columns.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 128, species = 6, reactions = 8, m = 6, variables = 8;
__device__ constexpr int from1[reactions] = {0, 1, 0, 2, 3, 1, 4, 5}, from2[reactions] = {1, 2, 2, 3, 4, 4, 5, 0};
__device__ constexpr int into[reactions] = {2, 3, 4, 5, 0, 5, 1, 3};
__constant__ double rate[reactions], threshold[reactions];

struct Sphere {
  float x, y, z, radius, brightness;
};

// Concentrations after some steps of Euler's method, with rates by Arrhenius.
__global__ void kinetics(int n, int steps, double dt, const double *noalias temperature, double *noalias c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double own[species], change[species], k[reactions];
  for (int r = 0; r < reactions; ++r)
    k[r] = rate[r] * exp(-threshold[r] / temperature[i]);
  for (int s = 0; s < species; ++s)
    own[s] = c[s * n + i];
  for (int step = 0; step < steps; ++step) {
    for (int s = 0; s < species; ++s)
      change[s] = 0;
#pragma unroll
    for (int r = 0; r < reactions; ++r) {
      double flow = k[r] * own[from1[r]] * own[from2[r]];
      change[from1[r]] -= flow;
      change[from2[r]] -= flow;
      change[into[r]] += 2 * flow;
    }
    for (int s = 0; s < species; ++s)
      own[s] = fmax(own[s] + dt * change[s], 0.0);
  }
  for (int s = 0; s < species; ++s)
    c[s * n + i] = own[s];
}

__device__ void lorenz(const double (&x)[variables], double forcing, double (&dx)[variables]) {
  for (int i = 0; i < variables; ++i)
    dx[i] = (x[(i + 1) % variables] - x[(i + variables - 2) % variables]) * x[(i + variables - 1) % variables] - x[i] +
            forcing;
}

// An ensemble of the Lorenz 96 model by the method of Runge and Kutta.
__global__ void ensemble(int n, int steps, double dt, const double *noalias forcing, double *noalias x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double y[variables], k1[variables], k2[variables], k3[variables], k4[variables], z[variables];
  for (int v = 0; v < variables; ++v)
    y[v] = x[i * variables + v];
  for (int s = 0; s < steps; ++s) {
    lorenz(y, forcing[i], k1);
    for (int v = 0; v < variables; ++v)
      z[v] = y[v] + 0.5 * dt * k1[v];
    lorenz(z, forcing[i], k2);
    for (int v = 0; v < variables; ++v)
      z[v] = y[v] + 0.5 * dt * k2[v];
    lorenz(z, forcing[i], k3);
    for (int v = 0; v < variables; ++v)
      z[v] = y[v] + dt * k3[v];
    lorenz(z, forcing[i], k4);
    for (int v = 0; v < variables; ++v)
      y[v] += dt / 6 * (k1[v] + 2 * k2[v] + 2 * k3[v] + k4[v]);
  }
  for (int v = 0; v < variables; ++v)
    x[i * variables + v] = y[v];
}

// Sums of Legendre polynomials by their recurrence.
__global__ void legendre(int n, int degree, const double *noalias a, const double *noalias x, double *noalias f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double p0 = 1, p1 = x[i], total = a[0] + a[1] * p1;
  for (int l = 2; l <= degree; ++l) {
    double p2 = ((2 * l - 1) * x[i] * p1 - (l - 1) * p0) / l;
    total += a[l] * p2;
    p0 = p1;
    p1 = p2;
  }
  f[i] = total;
}

// Values between the points of a table, which bisection finds; constant outside.
__global__ void lookUp(int n, int points, const float *noalias place, const float *noalias valueAt,
                       const float *noalias x, float *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (x[i] <= place[0]) {
    y[i] = valueAt[0];
  } else if (x[i] >= place[points - 1]) {
    y[i] = valueAt[points - 1];
  } else {
    int low = 0, high = points - 1;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (place[middle] > x[i])
        high = middle;
      else
        low = middle;
    }
    float part = (x[i] - place[low]) / (place[high] - place[low]);
    y[i] = (1 - part) * valueAt[low] + part * valueAt[high];
  }
}

// Factors L of matrices A = L L**T of 6 x 6, and solutions with them.
__global__ void cholesky(int n, const double *noalias a, const double *noalias b, double *noalias x) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  double l[m][m], y[m];
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) {
      l[j][i] = a[(j * m + i) * n + t];
      for (int k = 0; k < j; ++k)
        l[j][i] -= l[k][i] * l[k][j];
      if (i == j)
        l[j][j] = sqrt(l[j][j]);
      else
        l[j][i] /= l[j][j];
    }
  for (int i = 0; i < m; ++i) {
    y[i] = b[i * n + t];
    for (int k = 0; k < i; ++k)
      y[i] -= l[k][i] * y[k];
    y[i] /= l[i][i];
  }
  for (int i = m - 1; i >= 0; --i) {
    for (int k = i + 1; k < m; ++k)
      y[i] -= l[i][k] * y[k];
    y[i] /= l[i][i];
    x[i * n + t] = y[i];
  }
}

// Eigenvalues of symmetric matrices of 3 x 3: xx, yy, zz, xy, yz, xz.
__global__ void eigenvalues(int n, const double *noalias s, double *noalias e) {
  constexpr double pi = 3.14159265358979323846;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double a[6];
  for (int k = 0; k < 6; ++k)
    a[k] = s[6 * i + k];
  double off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
  double q = (a[0] + a[1] + a[2]) / 3;
  double p = (a[0] - q) * (a[0] - q) + (a[1] - q) * (a[1] - q) + (a[2] - q) * (a[2] - q) + 2 * off;
  if (p < 1e-30) {
    for (int k = 0; k < 3; ++k)
      e[3 * i + k] = q;
    return;
  }
  p = sqrt(p / 6);
  for (int k = 0; k < 3; ++k) {
    a[k] = (a[k] - q) / p;
    a[k + 3] = a[k + 3] / p;
  }
  double r = 0.5 * (a[0] * (a[1] * a[2] - a[4] * a[4]) - a[3] * (a[3] * a[2] - a[4] * a[5]) +
                    a[5] * (a[3] * a[4] - a[1] * a[5]));
  double angle = acos(fmax(-1.0, fmin(1.0, r))) / 3;
  e[3 * i] = q + 2 * p * cos(angle);
  e[3 * i + 2] = q + 2 * p * cos(angle + 2 * pi / 3);
  e[3 * i + 1] = 3 * q - e[3 * i] - e[3 * i + 2];
}

// The brightness that a camera sees: the first sphere on each ray, in light from above.
__global__ void traceRays(int n, int count, const Sphere *noalias spheres, float *noalias image) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float dx = (i + 1 - 0.5f * n) / n, dy = (j + 1 - 0.5f * n) / n, dz = 1;
  float length = 1 / sqrtf(dx * dx + dy * dy + dz * dz);
  dx *= length;
  dy *= length;
  dz *= length;
  float first = 1e30f;
  int hit = -1;
  for (int k = 0; k < count; ++k) {
    float b = dx * spheres[k].x + dy * spheres[k].y + dz * spheres[k].z;
    float c = spheres[k].x * spheres[k].x + spheres[k].y * spheres[k].y + spheres[k].z * spheres[k].z -
              spheres[k].radius * spheres[k].radius;
    float root = b * b - c;
    if (root < 0)
      continue;
    float t = b - sqrtf(root);
    if (t > 0 && t < first) {
      first = t;
      hit = k;
    }
  }
  if (hit < 0)
    image[j * n + i] = 0;
  else
    image[j * n + i] = spheres[hit].brightness * (0.5f + 0.5f * (first * dy - spheres[hit].y) / spheres[hit].radius);
}

// Light through clouds, down and up: two streams. Layers are the second subscript.
__global__ void radiation(int n, int layers, float albedo, const float *noalias depth, const float *noalias scattered,
                          float *noalias down, float *noalias up) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  down[i] = 1;
  for (int k = 0; k < layers; ++k) {
    float passes = expf(-depth[k * n + i]);
    float back = 0.5f * scattered[k * n + i] * (1 - passes);
    down[(k + 1) * n + i] = down[k * n + i] * (passes + back);
  }
  up[layers * n + i] = albedo * down[layers * n + i];
  for (int k = layers - 1; k >= 0; --k) {
    float passes = expf(-depth[k * n + i]);
    float back = 0.5f * scattered[k * n + i] * (1 - passes);
    up[k * n + i] = up[(k + 1) * n + i] * (passes + back) + down[k * n + i] * back;
  }
}

// Air that rises or sinks carries what it has; then what is too much falls down as rain.
__global__ void lift(int nx, int ny, int nz, const float *noalias wind, const float *noalias old, float *noalias next,
                     float *noalias rain, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  float below = 0, excess = 0;
  for (int k = 0; k < nz; ++k) {
    int at = (k * ny + j) * nx + i;
    float above = 0;
    if (k < nz - 1) {
      if (wind[at] > 0)
        above = wind[at] * old[at];
      else
        above = wind[at] * old[at + nx * ny];
    }
    next[at] = old[at] - dt * (above - below);
    if (next[at] > 0.9f) {
      excess += next[at] - 0.9f;
      next[at] = 0.9f;
    }
    below = above;
  }
  rain[j * nx + i] += excess;
}

void chemistry() {
  const int n = sized(1 << 20, 1 << 12, 1 << 8);
  std::vector<double> c(species * n), temperature(n);
  double rates[reactions], thresholds[reactions];
  fill(c, 1);
  fill(temperature, 2);
  for (double &value : temperature)
    value = 500 + 1000 * value;
  for (int i = 0; i < reactions; ++i) {
    rates[i] = 0.5 + 0.1 * (i + 1);
    thresholds[i] = 100 * (i + 1);
  }
  cudaMemcpyToSymbol(rate, rates, sizeof rates);
  cudaMemcpyToSymbol(threshold, thresholds, sizeof thresholds);
  DeviceArray<double> cD(c), temperatureD(temperature);
  if (beginCase("kinetics", {.bytes = 104.0 * n, .flops = 64.0 * 40 * n})) {
    while (nextSample())
      kinetics<<<(n + threads - 1) / threads, threads>>>(n, 40, 1e-2, temperatureD, cD);
    cD = c;
    kinetics<<<(n + threads - 1) / threads, threads>>>(n, 40, 1e-2, temperatureD, cD);
    endCase(checksum(cD.onHost()));
  }
}

void weatherModel() {
  const int n = sized(1 << 19, 1 << 12, 1 << 8);
  std::vector<double> x(variables * n), forcing(n);
  fill(x, 1);
  fill(forcing, 2);
  for (double &value : forcing)
    value *= 8;
  DeviceArray<double> xD(x), forcingD(forcing);
  if (beginCase("ensemble", {.bytes = 136.0 * n, .flops = 216.0 * 40 * n})) {
    while (nextSample())
      ensemble<<<(n + threads - 1) / threads, threads>>>(n, 40, 1e-2, forcingD, xD);
    xD = x;
    ensemble<<<(n + threads - 1) / threads, threads>>>(n, 40, 1e-3, forcingD, xD);
    endCase(checksum(xD.onHost()));
  }
}

void functions() {
  const int degree = 40, points = 4096;
  int n = sized(1 << 21, 1 << 12, 1 << 8);
  std::vector<double> a(degree + 1), x(n);
  fill(a, 1);
  fill(x, 2);
  for (double &value : x)
    value = 2 * value - 1;
  if (DeviceArray<double> aD(a), xD(x), fD(n); beginCase("legendre", {.bytes = 16.0 * n, .flops = 7.0 * degree * n})) {
    while (nextSample())
      legendre<<<(n + threads - 1) / threads, threads>>>(n, degree, aD, xD, fD);
    endCase(checksum(fD.onHost()));
  }

  n = sized(1 << 24, 1 << 14, 1 << 8);
  std::vector<float> place, known, u(n);
  for (int i = 1; i <= points; ++i) {
    float part = float(i) / points;
    place.push_back(part * part);
    known.push_back(sqrtf(part * part));
  }
  fill(u, 3);
  DeviceArray<float> placeD(place), knownD(known), uD(u), vD(n);
  if (beginCase("look_up", {.bytes = 8.0 * n, .kind = 4})) {
    while (nextSample())
      lookUp<<<(n + threads - 1) / threads, threads>>>(n, points, placeD, knownD, uD, vD);
    endCase(checksum(vD.onHost()));
  }
}

void smallMatrices() {
  int n = sized(1 << 20, 1 << 12, 1 << 8);
  std::vector<double> a(m * m * n), b(m * n);
  fill(a, 1);
  fill(b, 2);
  for (int j = 0; j < m; ++j)
    for (int t = 0; t < n; ++t) {
      for (int i = 0; i < j; ++i)
        a[(j * m + i) * n + t] = a[(i * m + j) * n + t];
      a[(j * m + j) * n + t] += m;
    }
  if (DeviceArray<double> aD(a), bD(b), xD(b.size()); beginCase("cholesky", {.bytes = (168.0 + 96.0) * n})) {
    while (nextSample())
      cholesky<<<(n + threads - 1) / threads, threads>>>(n, aD, bD, xD);
    endCase(checksum(xD.onHost()));
  }

  n = sized(1 << 22, 1 << 12, 1 << 8);
  std::vector<double> s(6 * n);
  fill(s, 3);
  DeviceArray<double> sD(s), eD(3 * n);
  if (beginCase("eigenvalues", {.bytes = 72.0 * n})) {
    while (nextSample())
      eigenvalues<<<(n + threads - 1) / threads, threads>>>(n, sD, eD);
    endCase(checksum(eD.onHost()));
  }
}

void rays() {
  const int n = sized(2048, 128, 32), count = 200;
  std::vector<float> numbers(5 * count);
  fill(numbers, 1);
  std::vector<Sphere> spheres;
  for (int k = 0; k < count; ++k) {
    const float *own = &numbers[5 * k];
    spheres.push_back({8 * own[0] - 4, 8 * own[1] - 4, 5 + 5 * own[2], 0.2f + 0.3f * own[3], own[4]});
  }
  DeviceArray<Sphere> spheresD(spheres);
  DeviceArray<float> imageD(n * n);
  if (beginCase("rays", {.bytes = 4.0 * n * n, .flops = 16.0 * count * n * n, .kind = 4})) {
    while (nextSample())
      traceRays<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(n, count, spheresD, imageD);
    endCase(sum(imageD.onHost()));
  }
}

void air() {
  const int layers = 60;
  int n = sized(1 << 18, 1 << 11, 1 << 8);
  std::vector<float> depth(n * layers), scattered(n * layers);
  fill(depth, 1);
  fill(scattered, 2);
  for (float &value : depth)
    value *= 0.1f;
  {
    DeviceArray<float> depthD(depth), scatteredD(scattered), downD(n * (layers + 1)), upD(n * (layers + 1));
    if (beginCase("radiation", {.bytes = 28.0 * n * layers, .kind = 4})) {
      while (nextSample())
        radiation<<<(n + threads - 1) / threads, threads>>>(n, layers, 0.3f, depthD, scatteredD, downD, upD);
      endCase(checksum(downD.onHost()) + checksum(upD.onHost()));
    }
  }

  n = sized(512, 64, 16);
  std::vector<float> wind(n * n * layers), old(wind.size()), rain(n * n);
  fill(wind, 1);
  fill(old, 2);
  for (float &value : wind)
    value -= 0.5f;
  DeviceArray<float> windD(wind), oldD(old), nextD(old.size()), rainD(rain);
  if (beginCase("rain", {.bytes = 12.0 * n * n * layers, .kind = 4})) {
    while (nextSample())
      lift<<<dim3(n / 32 + 1, n / 4), dim3(32, 4)>>>(n, n, layers, windD, oldD, nextD, rainD, 0.5f);
    rainD = rain;
    lift<<<dim3(n / 32 + 1, n / 4), dim3(32, 4)>>>(n, n, layers, windD, oldD, nextD, rainD, 0.5f);
    endCase(checksum(nextD.onHost()) + checksum(rainD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  chemistry();
  weatherModel();
  functions();
  smallMatrices();
  rays();
  air();
  return finish();
}
