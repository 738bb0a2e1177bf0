// Images: edges of bytes, medians of nine, smoothing with weights of distance and brightness, sums of boxes and of
// whole rows, turning by interpolation, erosion by a tile with a margin, the nearest of some centres and the nearest of
// some points, and brightness by a table. Twin: images.cuf.
#include "benchmark.h"
#include <cfloat>

using namespace benchmark;

constexpr int threads = 256, tx = 32, ty = 8, r = 2, nearest = 8;
__constant__ float curve[256];

// Sobel's operator on unsigned bytes.
__global__ void sobel(int nx, int ny, const unsigned char *noalias a, unsigned char *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= nx - 1 || j < 1 || j >= ny - 1)
    return;
  int p[3][3];
  for (int l = 0; l < 3; ++l)
    for (int k = 0; k < 3; ++k)
      p[l][k] = a[(j + l - 1) * nx + i + k - 1];
  int gx = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
  int gy = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
  b[j * nx + i] = min(int(sqrtf(float(gx * gx + gy * gy))), 255);
}

__device__ void order(float &a, float &b) {
  float t = fminf(a, b);
  b = fmaxf(a, b);
  a = t;
}

// The median of nine by a network of comparisons.
__global__ void median(int n, const float *noalias a, float *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i == 0 || i >= n - 1 || j == 0 || j >= n - 1)
    return;
  float p[9];
  int m = 0;
  for (int l = -1; l <= 1; ++l)
    for (int k = -1; k <= 1; ++k)
      p[m++] = a[(j + l) * n + i + k];
  for (int l = 0; l < 5; ++l)
    for (int k = 8; k > l; --k)
      order(p[k - 1], p[k]);
  b[j * n + i] = p[4];
}

// Neighbours count by their distance and by their difference; the radius is an argument.
__global__ void bilateral(int n, int radius, float near, float like, const float *noalias a, float *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float total = 0, weights = 0;
  for (int l = max(j - radius, 0); l <= min(j + radius, n - 1); ++l)
    for (int k = max(i - radius, 0); k <= min(i + radius, n - 1); ++k) {
      float difference = a[l * n + k] - a[j * n + i];
      float weight = expf(-near * ((k - i) * (k - i) + (l - j) * (l - j)) - like * (difference * difference));
      total += weight * a[l * n + k];
      weights += weight;
    }
  b[j * n + i] = total / weights;
}

// Means of boxes of a column: what comes in is added, what goes out is subtracted.
__global__ void boxColumns(int nx, int ny, int radius, const float *noalias a, float *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx)
    return;
  float total = 0;
  for (int j = 0; j < radius; ++j)
    total += a[j * nx + i];
  for (int j = 0; j < ny; ++j) {
    if (j + radius < ny)
      total += a[(j + radius) * nx + i];
    if (j - radius > 0)
      total -= a[(j - radius - 1) * nx + i];
    b[j * nx + i] = total / (2 * radius + 1);
  }
}

// Sums of all numbers before each one in its row: a block for each row, by shuffles.
__global__ void rowSums(int nx, int ny, const float *noalias a, float *noalias s) {
  __shared__ float part[threads / 32 + 1];
  int t = threadIdx.x, lane = t & 31, j = blockIdx.x;
  float before = 0;
  for (int i = t; i < nx; i += threads) {
    float x = a[j * nx + i];
    for (int step = 1; step < 32; step *= 2) {
      float y = __shfl_up_sync(~0u, x, step);
      if (lane >= step)
        x += y;
    }
    if (lane == 31)
      part[t / 32 + 1] = x;
    __syncthreads();
    if (t == 0) {
      part[0] = 0;
      for (int k = 1; k <= threads / 32; ++k)
        part[k] += part[k - 1];
    }
    __syncthreads();
    s[j * nx + i] = before + part[t / 32] + x;
    before += part[threads / 32];
    __syncthreads();
  }
}

// Turns an image about its middle; between pixels by interpolation, outside black.
__global__ void rotate(int n, float angle, const float *noalias a, float *noalias b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float x = cosf(angle) * (i - 0.5f * n) - sinf(angle) * (j - 0.5f * n) + 0.5f * n;
  float y = sinf(angle) * (i - 0.5f * n) + cosf(angle) * (j - 0.5f * n) + 0.5f * n;
  int k = int(floorf(x)), l = int(floorf(y));
  b[j * n + i] = 0;
  if (k < 0 || k >= n - 1 || l < 0 || l >= n - 1)
    return;
  float u = x - k, v = y - l;
  b[j * n + i] = (1 - v) * ((1 - u) * a[l * n + k] + u * a[l * n + k + 1]) +
                 v * ((1 - u) * a[(l + 1) * n + k] + u * a[(l + 1) * n + k + 1]);
}

// The least of 5 x 5 neighbours, by a tile with its margin.
__global__ void erode(int nx, int ny, const float *noalias a, float *noalias b) {
  __shared__ float tile[ty + 2 * r][tx + 2 * r];
  int i0 = blockIdx.x * tx, j0 = blockIdx.y * ty;
  for (int l = threadIdx.y; l < ty + 2 * r; l += ty)
    for (int k = threadIdx.x; k < tx + 2 * r; k += tx)
      tile[l][k] = a[min(max(j0 + l - r, 0), ny - 1) * nx + min(max(i0 + k - r, 0), nx - 1)];
  __syncthreads();
  int i = threadIdx.x, j = threadIdx.y;
  float least = tile[j + r][i + r];
  for (int l = 0; l <= 2 * r; ++l)
    for (int k = 0; k <= 2 * r; ++k)
      least = fminf(least, tile[j + l][i + k]);
  if (i0 + i < nx && j0 + j < ny)
    b[(j0 + j) * nx + i0 + i] = least;
}

// The nearest centre of each point, and how many points each centre has.
__global__ void assignCentres(int n, int dims, int centres, const float *noalias points, const float *noalias centre,
                              int *noalias own, int *noalias members) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float least = FLT_MAX;
  int best = 0;
  for (int c = 0; c < centres; ++c) {
    float distance = 0;
    for (int d = 0; d < dims; ++d) {
      float difference = points[d * n + i] - centre[c * dims + d];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = c + 1;
    }
  }
  own[i] = best;
  atomicAdd(&members[best - 1], 1);
}

// Distances to the nearest eight of all points, in order, by insertion.
__global__ void nearestPoints(int n, const float *noalias x, const float *noalias y, const float *noalias z,
                              float *noalias distances) {
  __shared__ float sx[threads], sy[threads], sz[threads];
  int t = threadIdx.x, i = blockIdx.x * threads + t;
  float d[nearest];
  for (int k = 0; k < nearest; ++k)
    d[k] = FLT_MAX;
  for (int first = 0; first <= n - threads; first += threads) {
    __syncthreads();
    sx[t] = x[first + t];
    sy[t] = y[first + t];
    sz[t] = z[first + t];
    __syncthreads();
    for (int j = 0; j < threads; ++j) {
      float dx = x[i] - sx[j], dy = y[i] - sy[j], dz = z[i] - sz[j];
      float next = dx * dx + dy * dy + dz * dz;
      if (next >= d[nearest - 1])
        continue;
      for (int k = 0; k < nearest; ++k)
        if (next < d[k]) {
          float swap = d[k];
          d[k] = next;
          next = swap;
        }
    }
  }
  for (int k = 0; k < nearest; ++k)
    distances[i * nearest + k] = d[k];
}

// Three colours of bytes to brightness, by a table in constant memory.
__global__ void brighten(int n, const int *noalias pixels, float *noalias grey) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    grey[i] =
        0.299f * curve[pixels[i] & 255] + 0.587f * curve[pixels[i] >> 8 & 255] + 0.114f * curve[pixels[i] >> 16 & 255];
}

void bytes() {
  const int n = sized(8192, 256, 32);
  std::vector<int> pixels(n * n);
  fill(pixels, 256, 1);
  std::vector<unsigned char> a(pixels.begin(), pixels.end());
  if (DeviceArray<unsigned char> aD(a), bD(a.size()); beginCase("sobel", {.bytes = 2.0 * n * n, .kind = 4})) {
    bD.clear();
    while (nextSample())
      sobel<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, n, aD, bD);
    endCase(checksum(bD.onHost()));
  }

  std::vector<float> table;
  for (int i = 0; i < 256; ++i)
    table.push_back(sqrtf(i));
  for (int &pixel : pixels)
    pixel *= 65793;
  cudaMemcpyToSymbol(curve, table.data(), sizeof curve);
  DeviceArray<int> pixelsD(pixels);
  DeviceArray<float> greyD(n * n);
  if (beginCase("brightness", {.bytes = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      brighten<<<1056, threads>>>(n * n, pixelsD, greyD);
    endCase(checksum(greyD.onHost()));
  }
}

void filters() {
  int n = sized(8192, 256, 64);
  std::vector<float> a(n * n);
  fill(a, 1);
  dim3 grid(n / tx, n / ty), block(tx, ty);
  {
    DeviceArray<float> aD(a), bD(a.size());
    bD.clear();
    if (beginCase("median", {.bytes = 8.0 * n * n, .kind = 4})) {
      while (nextSample())
        median<<<grid, block>>>(n, aD, bD);
      endCase(checksum(bD.onHost()));
    }
    bD.clear();
    if (beginCase("erosion", {.bytes = 8.0 * n * n, .kind = 4})) {
      while (nextSample())
        erode<<<grid, block>>>(n, n, aD, bD);
      endCase(checksum(bD.onHost()));
    }
    if (beginCase("rotation", {.bytes = 8.0 * n * n, .kind = 4})) {
      while (nextSample())
        rotate<<<grid, block>>>(n, 0.5f, aD, bD);
      endCase(sum(bD.onHost()));
    }
  }

  n = sized(2048, 128, 32);
  a.resize(n * n);
  fill(a, 1);
  DeviceArray<float> aD(a), bD(a.size());
  if (beginCase("bilateral", {.bytes = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      bilateral<<<dim3(n / tx, n / ty), block>>>(n, 5, 0.1f, 4.0f, aD, bD);
    endCase(checksum(bD.onHost()));
  }
}

void sums() {
  const int n = sized(8192, 512, 256), r = 7;
  std::vector<float> a(n * n);
  fill(a, 1);
  DeviceArray<float> aD(a), bD(a.size());
  if (beginCase("box_columns", {.bytes = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      boxColumns<<<n / 64, 64>>>(n, n, r, aD, bD);
    endCase(checksum(bD.onHost()));
  }
  if (beginCase("row_sums", {.bytes = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      rowSums<<<n, threads>>>(n, n, aD, bD);
    endCase(sum(bD.onHost()));
  }
}

void points() {
  constexpr int dims = 8, centres = 32;
  int n = sized(1 << 21, 1 << 12, 1 << 9);
  std::vector<float> x(n * dims), centre(dims * centres);
  fill(x, 1);
  fill(centre, 2);
  if (DeviceArray<float> xD(x), centreD(centre);
      beginCase("nearest_centres", {.bytes = 4.0 * n * (dims + 1), .flops = 3.0 * n * dims * centres, .kind = 4})) {
    DeviceArray<int> ownD(n), membersD(centres);
    membersD.clear();
    while (nextSample())
      assignCentres<<<(n + threads - 1) / threads, threads>>>(n, dims, centres, xD, centreD, ownD, membersD);
    membersD.clear();
    assignCentres<<<(n + threads - 1) / threads, threads>>>(n, dims, centres, xD, centreD, ownD, membersD);
    double total = 0;
    for (int number : membersD.onHost())
      total += double(number) * number;
    endCase(total);
  }

  n = sized(1 << 15, 1 << 10, 1 << 9);
  x.resize(3 * n);
  fill(x, 3);
  DeviceArray<float> xD(x), distancesD(nearest * n);
  if (beginCase("nearest_points", {.flops = 8.0 * n * n, .kind = 4})) {
    while (nextSample())
      nearestPoints<<<n / threads, threads>>>(n, xD, xD + n, xD + 2 * n, distancesD);
    endCase(checksum(distancesD.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  bytes();
  filters();
  sums();
  points();
  return finish();
}
