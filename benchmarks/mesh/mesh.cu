// Methods on meshes: fluxes through the edges of an unstructured mesh by atomic additions, gradients by least squares
// from a list of neighbours, ranks of a graph with 64-bit row pointers, derivatives and products of element matrices,
// reconstruction by WENO and MUSCL, lattice Boltzmann D3Q19, and the transfers of a multigrid method. Twin: mesh.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int threads = 256, p = 8;
__device__ constexpr int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__device__ constexpr int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__device__ constexpr int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
constexpr float straight = 1.0f / 18, across = 1.0f / 36;
__device__ constexpr float w[19] = {1.0f / 3, straight, straight, straight, straight, straight, straight,
                                    across,   across,   across,   across,   across,   across,   across,
                                    across,   across,   across,   across,   across};

// Rusanov's flux of the shallow water equations through each edge, added to the cells on both sides.
__global__ void edgeFluxes(int edges, int cells, const int *noalias side, const double *noalias normal,
                           const double *noalias u, double *noalias sums) {
  constexpr double g = 9.81;
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges)
    return;
  int l = side[2 * e], r = side[2 * e + 1];
  double nx = normal[2 * e], ny = normal[2 * e + 1];
  double a[3], b[3], flux[3];
  for (int k = 0; k < 3; ++k) {
    a[k] = u[3 * l + k];
    b[k] = u[3 * r + k];
  }
  double va = (a[1] * nx + a[2] * ny) / a[0];
  double vb = (b[1] * nx + b[2] * ny) / b[0];
  double speed = fmax(fabs(va) + sqrt(g * a[0]), fabs(vb) + sqrt(g * b[0]));
  for (int k = 0; k < 3; ++k)
    flux[k] = 0.5 * (a[k] * va + b[k] * vb - speed * (b[k] - a[k]));
  flux[1] += 0.25 * g * (a[0] * a[0] + b[0] * b[0]) * nx;
  flux[2] += 0.25 * g * (a[0] * a[0] + b[0] * b[0]) * ny;
  for (int k = 0; k < 3; ++k) {
    atomicAdd(&sums[3 * l + k], -flux[k]);
    atomicAdd(&sums[3 * r + k], flux[k]);
  }
}

// Gradients by least squares; a cell at the boundary has fewer neighbours.
__global__ void gradients(int n, int most, const int *noalias neighbours, const double *noalias x,
                          const double *noalias y, const double *noalias phi, double *noalias gx, double *noalias gy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double xx = 0, xy = 0, yy = 0, xd = 0, yd = 0;
  for (int k = 0; k < most; ++k) {
    int j = neighbours[k * n + i];
    if (j == 0)
      continue;
    double dx = x[j - 1] - x[i], dy = y[j - 1] - y[i], d = phi[j - 1] - phi[i];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
    xd += dx * d;
    yd += dy * d;
  }
  double det = xx * yy - xy * xy;
  if (det > 1e-12) {
    gx[i] = (yy * xd - xy * yd) / det;
    gy[i] = (xx * yd - xy * xd) / det;
  } else {
    gx[i] = 0;
    gy[i] = 0;
  }
}

// One step of the power method for the ranks of a graph.
__global__ void rankStep(int64_t n, const int64_t *noalias first, const int *noalias from, const float *noalias share,
                         const float *noalias old, float *noalias next) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float total = 0;
  for (int64_t k = first[i]; k < first[i + 1]; ++k)
    total += share[from[k]] * old[from[k]];
  next[i] = 0.15f / n + 0.85f * total;
}

// The Laplacian of a spectral element of p**3 points, by products with the matrix of derivatives in each direction.
__global__ void elementLaplacian(int elements, const double *noalias d, const double *noalias factor,
                                 const double *noalias u, double *noalias r) {
  __shared__ double sd[p][p], su[p][p][p], sx[p][p][p], sy[p][p][p], sz[p][p][p];
  int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z, e = blockIdx.x;
  int at = ((e * p + k) * p + j) * p + i;
  if (k == 0)
    sd[j][i] = d[j * p + i];
  su[k][j][i] = u[at];
  __syncthreads();
  double ux = 0, uy = 0, uz = 0;
  for (int l = 0; l < p; ++l) {
    ux += sd[l][i] * su[k][j][l];
    uy += sd[l][j] * su[k][l][i];
    uz += sd[l][k] * su[l][j][i];
  }
  sx[k][j][i] = ux * factor[at];
  sy[k][j][i] = uy * factor[at];
  sz[k][j][i] = uz * factor[at];
  __syncthreads();
  double total = 0;
  for (int l = 0; l < p; ++l)
    total += sd[i][l] * sx[k][j][l] + sd[j][l] * sy[k][l][i] + sd[k][l] * sz[l][j][i];
  r[at] = total;
}

// A matrix of the same small size for all elements, a thread for each element.
__global__ void elementProducts(int elements, int m, const float *noalias matrix, const float *noalias u,
                                float *noalias v) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements)
    return;
  for (int i = 0; i < m; ++i) {
    float total = 0;
    for (int j = 0; j < m; ++j)
      total += matrix[j * m + i] * u[j * elements + e];
    v[i * elements + e] = total;
  }
}

__host__ __device__ double square(double x) { return x * x; }

// The value on the right side of the middle one of five cells.
__device__ double weno(double a, double b, double c, double d, double e) {
  double b0 = 13.0 / 12 * square(a - 2 * b + c) + 0.25 * square(a - 4 * b + 3 * c);
  double b1 = 13.0 / 12 * square(b - 2 * c + d) + 0.25 * square(b - d);
  double b2 = 13.0 / 12 * square(c - 2 * d + e) + 0.25 * square(3 * c - 4 * d + e);
  double w0 = 0.1 / square(1e-6 + b0), w1 = 0.6 / square(1e-6 + b1), w2 = 0.3 / square(1e-6 + b2);
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
}

// Transport along y by WENO, with three cells of margin.
__global__ void wenoStep(int nx, int ny, int nz, double ratio, const double *noalias u, double *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  int at = (k * (ny + 6) + j + 3) * nx + i;
  v[(k * ny + j) * nx + i] = u[at] - ratio * (weno(u[at - 2 * nx], u[at - nx], u[at], u[at + nx], u[at + 2 * nx]) -
                                              weno(u[at - 3 * nx], u[at - 2 * nx], u[at - nx], u[at], u[at + nx]));
}

__device__ float limited(float a, float b) {
  if (a * b <= 0)
    return 0;
  if (fabsf(a) < fabsf(b))
    return a;
  return b;
}

// Transport in two directions by limited slopes; each thread goes down a column of cells.
__global__ void musclStep(int n, int rows, float cu, float cv, const float *noalias u, float *noalias v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int first = blockIdx.y * rows, width = n + 4;
  int at = (first + 2) * width + i + 2;
  float south = u[at - width] + 0.5f * (1 - cv) * limited(u[at] - u[at - width], u[at - width] - u[at - 2 * width]);
  for (int j = first; j < min(first + rows, n); ++j) {
    at = (j + 2) * width + i + 2;
    float west = u[at - 1] + 0.5f * (1 - cu) * limited(u[at] - u[at - 1], u[at - 1] - u[at - 2]);
    float east = u[at] + 0.5f * (1 - cu) * limited(u[at + 1] - u[at], u[at] - u[at - 1]);
    float north = u[at] + 0.5f * (1 - cv) * limited(u[at + width] - u[at], u[at] - u[at - width]);
    v[at] = u[at] - cu * (east - west) - cv * (north - south);
    south = north;
  }
}

__device__ int wrapped(int i, int n) {
  int rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// Collision and streaming in one, by pulling; periodic.
__global__ void latticeStep(int n, float omega, const float *noalias f, float *noalias g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, k = blockIdx.z;
  if (i >= n)
    return;
  float h[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int q = 0; q < 19; ++q) {
    h[q] = f[((q * n + wrapped(k - cz[q], n)) * n + wrapped(j - cy[q], n)) * n + wrapped(i - cx[q], n)];
    rho += h[q];
    ux += cx[q] * h[q];
    uy += cy[q] * h[q];
    uz += cz[q] * h[q];
  }
  ux /= rho;
  uy /= rho;
  uz /= rho;
  float usq = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int q = 0; q < 19; ++q) {
    float cu = 3 * (cx[q] * ux + cy[q] * uy + cz[q] * uz);
    g[((q * n + k) * n + j) * n + i] = h[q] - omega * (h[q] - w[q] * rho * (1 + cu + 0.5f * cu * cu - usq));
  }
}

// From a fine grid to one with half the points, by the weights of 27 neighbours.
__global__ void restrictGrid(int n, const double *noalias fine, double *noalias coarse) {
  constexpr double weight[3] = {0.25, 0.5, 0.25};
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i >= n || j >= n || k >= n)
    return;
  double total = 0;
  for (int c = -1; c <= 1; ++c)
    for (int b = -1; b <= 1; ++b)
      for (int a = -1; a <= 1; ++a)
        total += weight[a + 1] * weight[b + 1] * weight[c + 1] *
                 fine[((2 * k + c) * (2 * n + 1) + 2 * j + b) * (2 * n + 1) + 2 * i + a];
  coarse[(k * (n + 1) + j) * (n + 1) + i] = total;
}

// And back: adds the coarse correction, between points by interpolation.
__global__ void prolongGrid(int n, const double *noalias coarse, double *noalias fine) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i > 2 * n || j > 2 * n || k > 2 * n)
    return;
  int m = n + 1;
  int i0 = i / 2, j0 = j / 2, k0 = k / 2;
  int i1 = i0 + i % 2, j1 = j0 + j % 2, k1 = k0 + k % 2;
  fine[(k * (2 * n + 1) + j) * (2 * n + 1) + i] +=
      0.125 * (coarse[(k0 * m + j0) * m + i0] + coarse[(k0 * m + j0) * m + i1] + coarse[(k0 * m + j1) * m + i0] +
               coarse[(k0 * m + j1) * m + i1] + coarse[(k1 * m + j0) * m + i0] + coarse[(k1 * m + j0) * m + i1] +
               coarse[(k1 * m + j1) * m + i0] + coarse[(k1 * m + j1) * m + i1]);
}

// Systems with five diagonals, one for each thread, without pivots.
__global__ void solvePenta(int systems, int n, const double *noalias a, const double *noalias b,
                           const double *noalias c, const double *noalias d, const double *noalias e,
                           const double *noalias f, double *noalias p1, double *noalias p2, double *noalias x) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems)
    return;
  double d1 = 0, d2 = 0, e1 = 0, e2 = 0, x1 = 0, x2 = 0;
  for (int i = 0; i < n; ++i) {
    int at = i * systems + s;
    double l = b[at] - a[at] * d2;
    double r = 1 / (c[at] - a[at] * e2 - l * d1);
    double next = (f[at] - a[at] * x2 - l * x1) * r;
    x2 = x1;
    x1 = next;
    x[at] = next;
    next = (d[at] - l * e1) * r;
    d2 = d1;
    d1 = next;
    p1[at] = next;
    e2 = e1;
    e1 = e[at] * r;
    p2[at] = e1;
  }
  int at = (n - 2) * systems + s;
  x[at] -= p1[at] * x[at + systems];
  for (int i = n - 3; i >= 0; --i) {
    at = i * systems + s;
    x[at] = x[at] - p1[at] * x[at + systems] - p2[at] * x[at + 2 * systems];
  }
}

void unstructured() {
  const int n = sized(1536, 128, 16), cells = n * n, edges = 2 * cells;
  std::vector<double> u(3 * cells), normal(2 * edges), x(cells), y(cells), phi(cells);
  std::vector<int> side(2 * edges), neighbours(4 * cells);
  fill(u, 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      int c = j * n + i;
      u[3 * c] += 1;
      side[4 * c] = side[4 * c + 2] = c;
      side[4 * c + 1] = j * n + (i + 1) % n;
      side[4 * c + 3] = (j + 1) % n * n + i;
      normal[4 * c] = normal[4 * c + 3] = 1;
      x[c] = i + 1;
      y[c] = j + 1 + 0.25 * ((i + 1) % 3);
      phi[c] = 3 * x[c] - 2 * y[c];
      neighbours[c] = i > 0 ? c : 0;
      neighbours[cells + c] = i < n - 1 ? c + 2 : 0;
      neighbours[2 * cells + c] = j > 0 ? c + 1 - n : 0;
      neighbours[3 * cells + c] = j < n - 1 ? c + 1 + n : 0;
    }
  if (DeviceArray<int> sideD(side); beginCase("edge_fluxes", {.bytes = 24.0 * edges + 72.0 * cells})) {
    DeviceArray<double> normalD(normal), uD(u), sumsD(u.size());
    sumsD.clear();
    while (nextSample())
      edgeFluxes<<<(edges + threads - 1) / threads, threads>>>(edges, cells, sideD, normalD, uD, sumsD);
    sumsD.clear();
    edgeFluxes<<<(edges + threads - 1) / threads, threads>>>(edges, cells, sideD, normalD, uD, sumsD);
    double total = 0;
    for (double value : sumsD.onHost())
      total += value * value;
    endCase(total);
  }

  DeviceArray<int> neighboursD(neighbours);
  DeviceArray<double> xD(x), yD(y), phiD(phi), gxD(cells), gyD(cells);
  if (beginCase("gradients", {.bytes = 56.0 * cells})) {
    while (nextSample())
      gradients<<<(cells + threads - 1) / threads, threads>>>(cells, 4, neighboursD, xD, yD, phiD, gxD, gyD);
    endCase(checksum(gxD.onHost()) + checksum(gyD.onHost()));
  }
}

void graph() {
  const int n = sized(1 << 20, 1 << 12, 1 << 8);
  std::vector<int> number(n);
  std::vector<int64_t> first(n + 1);
  fill(number, 33, 1);
  for (int i = 0; i < n; ++i)
    first[i + 1] = first[i] + number[i];
  std::vector<int> from(first[n]);
  std::vector<float> share(n), old(n);
  fill(from, n, 2);
  fill(share, 3);
  fill(old, 4);
  DeviceArray<int64_t> firstD(first);
  DeviceArray<int> fromD(from);
  DeviceArray<float> shareD(share), oldD(old), nextD(n);
  if (beginCase("graph_ranks", {.bytes = 20.0 * n + 4.0 * from.size(), .kind = 4})) {
    while (nextSample())
      rankStep<<<(n + threads - 1) / threads, threads>>>(n, firstD, fromD, shareD, oldD, nextD);
    endCase(checksum(nextD.onHost()));
  }
}

void elements() {
  int n = sized(16384, 64, 4);
  std::vector<double> d(p * p), factor(p * p * p * n), u(factor.size());
  fill(d, 1);
  fill(factor, 2);
  fill(u, 3);
  for (double &value : d)
    value -= 0.5;
  if (DeviceArray<double> dD(d), factorD(factor), uD(u), rD(u.size());
      beginCase("element_laplacian", {.bytes = 24.0 * p * p * p * n, .flops = 12.0 * p * p * p * p * n})) {
    while (nextSample())
      elementLaplacian<<<n, dim3(p, p, p)>>>(n, dD, factorD, uD, rD);
    endCase(checksum(rD.onHost()));
  }

  n = sized(1 << 20, 1 << 12, 1 << 8);
  const int m = 20;
  std::vector<float> matrix(m * m), v(n * m);
  fill(matrix, 1);
  fill(v, 2);
  DeviceArray<float> matrixD(matrix), vD(v), wD(v.size());
  if (beginCase("element_products", {.bytes = 8.0 * n * m, .flops = 2.0 * n * m * m, .kind = 4})) {
    while (nextSample())
      elementProducts<<<(n + threads - 1) / threads, threads>>>(n, m, matrixD, vD, wD);
    endCase(checksum(wD.onHost()));
  }
}

void reconstruction() {
  int n = sized(256, 32, 16);
  std::vector<double> u(n * (n + 6) * n);
  fill(u, 1);
  if (DeviceArray<double> uD(u), vD(n * n * n);
      beginCase("weno", {.bytes = 16.0 * n * n * n, .flops = 150.0 * n * n * n})) {
    while (nextSample())
      wenoStep<<<dim3((n + 31) / 32, (n + 7) / 8, n), dim3(32, 8)>>>(n, n, n, 0.3, uD, vD);
    endCase(checksum(vD.onHost()));
  }

  n = sized(8192, 256, 32);
  const int rows = 32;
  std::vector<float> a((n + 4) * (n + 4));
  fill(a, 2);
  DeviceArray<float> aD(a), bD(a.size());
  bD.clear();
  if (beginCase("muscl", {.bytes = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      musclStep<<<dim3((n + 127) / 128, (n + rows - 1) / rows), 128>>>(n, rows, 0.3f, 0.2f, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void lattice() {
  const int n = sized(192, 32, 16), cells = n * n * n;
  std::vector<float> f(19 * cells);
  fill(f, 1);
  for (int q = 0; q < 19; ++q)
    for (int i = q * cells; i < (q + 1) * cells; ++i)
      f[i] = (q == 0 ? 1.0f / 3 : q < 7 ? straight : across) * (1 + 0.1f * f[i]);
  DeviceArray<float> fD(f), gD(f.size());
  if (beginCase("lattice_d3q19", {.bytes = 152.0 * cells, .kind = 4})) {
    while (nextSample())
      latticeStep<<<dim3((n + 63) / 64, n, n), 64>>>(n, 1.2f, fD, gD);
    endCase(checksum(gD.onHost()));
  }
}

void multigrid() {
  const int n = sized(192, 32, 8);
  std::vector<double> fine((2 * n + 1) * (2 * n + 1) * (2 * n + 1)), coarse((n + 1) * (n + 1) * (n + 1));
  fill(fine, 1);
  fill(coarse, 2);
  DeviceArray<double> fineD(fine), coarseD(coarse.size());
  coarseD.clear();
  if (beginCase("restrict", {.bytes = 72.0 * n * n * n})) {
    while (nextSample())
      restrictGrid<<<dim3((n + 30) / 32, (n + 6) / 8, n - 1), dim3(32, 8)>>>(n, fineD, coarseD);
    endCase(checksum(coarseD.onHost()));
  }
  coarseD = coarse;
  dim3 grid((2 * n + 32) / 32, (2 * n + 8) / 8, 2 * n + 1);
  if (beginCase("prolong", {.bytes = 136.0 * n * n * n})) {
    while (nextSample())
      prolongGrid<<<grid, dim3(32, 8)>>>(n, coarseD, fineD);
    fineD = fine;
    prolongGrid<<<grid, dim3(32, 8)>>>(n, coarseD, fineD);
    endCase(checksum(fineD.onHost()));
  }
}

void systems() {
  const int m = sized(32768, 512, 64), n = 128;
  std::vector<double> a(m * n), b(m * n), c(m * n), d(m * n), e(m * n), f(m * n);
  fill(a, 1);
  fill(b, 2);
  fill(c, 3);
  fill(d, 4);
  fill(e, 5);
  fill(f, 6);
  for (int i = 0; i < m * n; ++i) {
    c[i] += 5;
    int row = i / m;
    if (row < 2)
      a[i] = 0;
    if (row < 1)
      b[i] = 0;
    if (row >= n - 1)
      d[i] = 0;
    if (row >= n - 2)
      e[i] = 0;
  }
  DeviceArray<double> aD(a), bD(b), cD(c), dD(d), eD(e), fD(f), p1D(a.size()), p2D(a.size()), xD(a.size());
  if (beginCase("pentadiagonal", {.bytes = 104.0 * m * n})) {
    while (nextSample())
      solvePenta<<<(m + 63) / 64, 64>>>(m, n, aD, bD, cD, dD, eD, fD, p1D, p2D, xD);
    endCase(checksum(xD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  unstructured();
  graph();
  elements();
  reconstruction();
  lattice();
  multigrid();
  systems();
  return finish();
}
