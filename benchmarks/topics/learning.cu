// The same kernels as in the twin, learning.cuf.
#include "topics_common.h"

#include <cfloat>

constexpr int features = 4, nearest = 8, series = 128, pointsPerTile = 128;

__constant__ float stencil[3][3][3];

// Exponentials of a column divided by their sum; the greatest value and the sum are found in one pass.
__global__ void onlineSoftmax(int n, const float *noalias x, float *noalias y) {
  __shared__ float partMax[32], partSum[32];
  int column = blockIdx.x;
  float m = -FLT_MAX, s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = x[column * n + i];
    if (v > m) {
      s = s * expf(m - v) + 1;
      m = v;
    } else {
      s = s + expf(v - m);
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float otherM = __shfl_xor_sync(~0u, m, offset);
    float otherS = __shfl_xor_sync(~0u, s, offset);
    float now = fmaxf(m, otherM);
    s = s * expf(m - now) + otherS * expf(otherM - now);
    m = now;
  }
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) {
    partMax[warp] = m;
    partSum[warp] = s;
  }
  __syncthreads();
  m = partMax[0];
  s = partSum[0];
  for (int w = 1; w < blockDim.x / 32; ++w) {
    float now = fmaxf(m, partMax[w]);
    s = s * expf(m - now) + partSum[w] * expf(partMax[w] - now);
    m = now;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[column * n + i] = expf(x[column * n + i] - m) / s;
}

// A transposed convolution with kernels of 4 x 4 and stride 2.
__global__ void transposedConv(int nx, int ny, int channels, int filters, const float *noalias image,
                               const float *noalias weight, const float *noalias bias, float *noalias picture) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  if (ox >= 2 * nx || oy >= 2 * ny)
    return;
  float total = bias[o];
  for (int c = 0; c < channels; ++c)
    for (int ky = 0; ky < 4; ++ky) {
      if ((oy + 1 - ky) % 2 != 0)
        continue;
      int iy = (oy + 1 - ky) / 2;
      if (iy < 0 || iy >= ny)
        continue;
      for (int kx = 0; kx < 4; ++kx) {
        if ((ox + 1 - kx) % 2 != 0)
          continue;
        int ix = (ox + 1 - kx) / 2;
        if (ix < 0 || ix >= nx)
          continue;
        total = total + weight[((o * channels + c) * 4 + ky) * 4 + kx] * image[(c * ny + iy) * nx + ix];
      }
    }
  picture[(o * 2 * ny + oy) * 2 * nx + ox] = fmaxf(total, 0);
}

// Sums and counts of the points of each cluster, first in shared memory.
__global__ void kmeansUpdate(int n, int clusters, const float *noalias point, const int *noalias owner, float *sums,
                             int *counts) {
  extern __shared__ float part[];
  __shared__ int members[64];
  for (int i = threadIdx.x; i < features * clusters; i += blockDim.x)
    part[i] = 0;
  for (int c = threadIdx.x; c < clusters; c += blockDim.x)
    members[c] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int c = owner[i];
    for (int f = 0; f < features; ++f)
      atomicAdd(&part[c * features + f], point[i * features + f]);
    atomicAdd(&members[c], 1);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < clusters; c += blockDim.x) {
    for (int f = 0; f < features; ++f)
      atomicAdd(&sums[c * features + f], part[c * features + f]);
    atomicAdd(&counts[c], members[c]);
  }
}

// A convolution in three dimensions, by tiles with their surroundings in shared memory.
__global__ void conv3dTile(int nx, int ny, int nz, const float *noalias volume, float *noalias filtered) {
  __shared__ float tile[6][10][18];
  int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8, z0 = blockIdx.z * 4;
  for (int l = tx + 16 * (ty + 8 * tz); l < 18 * 10 * 6; l += 512) {
    int lx = l % 18, ly = l / 18 % 10, lz = l / 180;
    if (x0 + lx <= nx + 1 && y0 + ly <= ny + 1 && z0 + lz <= nz + 1)
      tile[lz][ly][lx] = volume[((z0 + lz) * (ny + 2) + y0 + ly) * (nx + 2) + x0 + lx];
  }
  __syncthreads();
  if (x0 + tx >= nx || y0 + ty >= ny || z0 + tz >= nz)
    return;
  float total = 0;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        total = total + stencil[k][j][i] * tile[tz + k][ty + j][tx + i];
  filtered[((z0 + tz) * ny + y0 + ty) * nx + x0 + tx] = total;
}

// The eight nearest points of every place, kept in order.
__global__ void nearestEight(int n, int points, const float *noalias place, const float *noalias point,
                             int *noalias index, float *noalias distance) {
  __shared__ float px[pointsPerTile], py[pointsPerTile];
  float best[nearest];
  int which[nearest];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = place[2 * min(i, n - 1)], y = place[2 * min(i, n - 1) + 1];
  for (int j = 0; j < nearest; ++j) {
    best[j] = FLT_MAX;
    which[j] = 0;
  }
  for (int first = 0; first < points; first += pointsPerTile) {
    __syncthreads();
    int mine = threadIdx.x;
    if (first + mine < points) {
      px[mine] = point[2 * (first + mine)];
      py[mine] = point[2 * (first + mine) + 1];
    }
    __syncthreads();
    for (int l = 0; l < min(pointsPerTile, points - first); ++l) {
      float d = (px[l] - x) * (px[l] - x) + (py[l] - y) * (py[l] - y);
      if (d >= best[nearest - 1])
        continue;
      int j = nearest - 1;
      while (j > 0) {
        if (best[j - 1] <= d)
          break;
        best[j] = best[j - 1];
        which[j] = which[j - 1];
        --j;
      }
      best[j] = d;
      which[j] = first + l + 1;
    }
  }
  if (i >= n)
    return;
  for (int j = 0; j < nearest; ++j) {
    index[nearest * i + j] = which[j];
    distance[nearest * i + j] = sqrtf(best[j]);
  }
}

// Distances of pairs of series whose times may be stretched, along diagonals within a band; a pair per block.
__global__ void timeWarping(int band, const float *noalias a, const float *noalias b, float *noalias distance) {
  __shared__ float diagonal[3][series + 1], others[series + 1];
  int i = threadIdx.x + 1;
  float mine = a[blockIdx.x * series + i - 1], value = FLT_MAX;
  others[i] = b[blockIdx.x * series + i - 1];
  diagonal[0][i] = FLT_MAX;
  diagonal[1][i] = FLT_MAX;
  if (i == 1) {
    diagonal[0][0] = 0;
    diagonal[1][0] = FLT_MAX;
  }
  for (int d = 2; d <= 2 * series; ++d) {
    int now = d % 3, last = (d - 1) % 3, before = (d - 2) % 3;
    __syncthreads();
    int j = d - i;
    value = FLT_MAX;
    if (j >= 1 && j <= series && abs(i - j) <= band)
      value = fabsf(mine - others[j]) +
              fminf(fminf(diagonal[last][i - 1], diagonal[last][i]), diagonal[before][i - 1]);
    diagonal[now][i] = value;
    if (i == 1)
      diagonal[now][0] = FLT_MAX;
  }
  if (i == series)
    distance[blockIdx.x] = value;
}

void runSoftmax() {
  const int n = sized(4096, 512, 300), columns = sized(8192, 64, 20), all = n * columns;
  DeviceArray<float> x(random(all, 1, 20.0f, -10.0f)), y(all);
  if (beginCase("online_softmax", {.bytes = 8.0 * all, .kind = 4})) {
    while (nextSample())
      onlineSoftmax<<<columns, 256>>>(n, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runTransposedConv() {
  const int nx = sized(512, 32, 10), ny = sized(512, 32, 9), channels = sized(16, 4, 3), filters = sized(16, 4, 2);
  DeviceArray<float> image(random(nx * ny * channels, 1, 1.0f)),
      weight(random(16 * channels * filters, 2, 1.0f, -0.5f)), bias(random(filters, 3, 1.0f)),
      picture(4 * nx * ny * filters);
  if (beginCase("transposed_conv", {.flops = 32.0 * nx * ny * channels * filters, .kind = 4})) {
    while (nextSample())
      transposedConv<<<dim3((2 * nx + 31) / 32, (2 * ny + 7) / 8, filters), dim3(32, 8)>>>(
          nx, ny, channels, filters, image, weight, bias, picture);
    endCase(checksum(picture.onHost()));
  }
}

void runKmeans() {
  const int n = sized(1 << 23, 1 << 14, 2000), clusters = 48, blocks = sized(132 * 8, 8, 2);
  const int threads = sized(192, 64, 64);
  DeviceArray<float> point(random(size_t(features) * n, 1, 1.0f)), sums(features * clusters);
  DeviceArray<int> owner(randomInts(n, clusters, 2)), counts(clusters);
  if (beginCase("kmeans_update", {.bytes = 20.0 * n, .kind = 4})) {
    while (nextSample()) {
      setZero<<<1, 256>>>(features * clusters, (float *)sums);
      setZero<<<1, 256>>>(clusters, (int *)counts);
      kmeansUpdate<<<blocks, threads, features * clusters * sizeof(float)>>>(n, clusters, point, owner, sums, counts);
    }
    endCase(checksum(sums.onHost()) + checksum(counts.onHost()));
  }
}

void runConv3d() {
  const int nx = sized(256, 32, 20), ny = sized(256, 32, 13), nz = sized(256, 16, 7);
  std::vector<float> weights = random(27, 2, 1.0f);
  cudaMemcpyToSymbol(stencil, weights.data(), 27 * sizeof(float));
  DeviceArray<float> volume(random(size_t(nx + 2) * (ny + 2) * (nz + 2), 1, 1.0f)), filtered(size_t(nx) * ny * nz);
  if (beginCase("conv3d_tile", {.bytes = 8.0 * nx * ny * nz, .kind = 4})) {
    while (nextSample())
      conv3dTile<<<dim3((nx + 15) / 16, (ny + 7) / 8, (nz + 3) / 4), dim3(16, 8, 4)>>>(nx, ny, nz, volume, filtered);
    endCase(checksum(filtered.onHost()));
  }
}

void runNearest() {
  const int n = sized(1 << 17, 1 << 10, 300), points = sized(4000, 500, 200);
  DeviceArray<float> place(random(2 * n, 1, 1.0f)), point(random(2 * points, 2, 1.0f)), distance(nearest * n);
  DeviceArray<int> index(nearest * n);
  if (beginCase("nearest_eight", {.flops = 5.0 * n * points, .kind = 4})) {
    while (nextSample())
      nearestEight<<<(n + 127) / 128, 128>>>(n, points, place, point, index, distance);
    endCase(checksum(distance.onHost()) + checksum(index.onHost()));
  }
}

void runWarping() {
  const int pairs = sized(16384, 64, 6);
  DeviceArray<float> a(random(series * pairs, 1, 1.0f)), b(random(series * pairs, 2, 1.0f)), distance(pairs);
  if (beginCase("time_warping", {.flops = 4.0 * series * series * pairs, .kind = 4})) {
    while (nextSample())
      timeWarping<<<pairs, series>>>(48, a, b, distance);
    endCase(checksum(distance.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runSoftmax();
  runTransposedConv();
  runKmeans();
  runConv3d();
  runNearest();
  runWarping();
  return finish();
}
