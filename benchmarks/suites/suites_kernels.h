// The kernels of suites.cu. Twin: suites_kernels.inc.
#pragma once

#include "benchmark.h"

using namespace benchmark;

constexpr int tile = 16, inBox = 100, order = 64, hidden = 16, shards = 10, parities = 4, bins = 32, warps = 8;
constexpr int isotopes = 68, materials = 12, mostIsotopes = 34, noNeighbour = -1, farField = -2, clusters = 9;
constexpr float gammaGas = 1.4f;

struct Charge {
  double v, x, y, z;
};
struct Box {
  int first, neighbours, number[26];
};
struct TreeNode {
  int keys[order + 1], children[order];
};
struct GridPoint {
  double energy, total, elastic, absorption, fission, nuFission;
};

__constant__ float binEdges[bins + 1];
__constant__ int coding[shards][parities], sines[64], isotopeCounts[materials];
__constant__ float farState[5];

// Speckle-reducing diffusion, first half: differences with the neighbours of each pixel, and how much it diffuses.
__global__ void speckleCoefficients(int rows, int columns, float q0, const float *noalias image,
                                    const int *noalias northOf, const int *noalias southOf, const int *noalias westOf,
                                    const int *noalias eastOf, float *noalias toNorth, float *noalias toSouth,
                                    float *noalias toWest, float *noalias toEast, float *noalias coefficient) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= rows * columns)
    return;
  int i = at % rows, j = at / rows;
  float here = image[at];
  float n = image[j * rows + northOf[i]] - here;
  float s = image[j * rows + southOf[i]] - here;
  float w = image[westOf[j] * rows + i] - here;
  float e = image[eastOf[j] * rows + i] - here;
  float gradients = (n * n + s * s + w * w + e * e) / (here * here);
  float laplacian = (n + s + w + e) / here;
  float numerator = 0.5f * gradients - laplacian * laplacian / 16;
  float divisor = 1 + 0.25f * laplacian;
  float q = numerator / (divisor * divisor);
  divisor = (q - q0) / (q0 * (1 + q0));
  float c = 1 / (1 + divisor);
  if (c < 0)
    c = 0;
  else if (c > 1)
    c = 1;
  toNorth[at] = n;
  toSouth[at] = s;
  toWest[at] = w;
  toEast[at] = e;
  coefficient[at] = c;
}

// Second half: the divergence.
__global__ void speckleUpdate(int rows, int columns, float lambda, const float *noalias image,
                              const int *noalias southOf, const int *noalias eastOf, const float *noalias toNorth,
                              const float *noalias toSouth, const float *noalias toWest, const float *noalias toEast,
                              const float *noalias coefficient, float *noalias smoothed) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= rows * columns)
    return;
  int i = at % rows, j = at / rows;
  float here = coefficient[at];
  float divergence = here * toNorth[at] + coefficient[j * rows + southOf[i]] * toSouth[at] + here * toWest[at] +
                     coefficient[eastOf[j] * rows + i] * toEast[at];
  smoothed[at] = image[at] + 0.25f * lambda * divergence;
}

// LU factors by blocks, for many matrices: tiles right of the diagonal one, by the first half of the threads, and tiles
// below it, by the others. Tiles are stored by columns.
__global__ void luPerimeter(int n, int offset, const float *noalias a, float *noalias factors) {
  __shared__ float diagonal[tile][tile], right[tile][tile], below[tile][tile];
  a += blockIdx.y * n * n;
  factors += blockIdx.y * n * n;
  int first = offset + (blockIdx.x + 1) * tile;
  int lane = threadIdx.x;
  if (lane < tile) {
    for (int i = 0; i < tile; ++i) {
      diagonal[i][lane] = a[(offset + i) * n + offset + lane];
      right[i][lane] = a[(first + i) * n + offset + lane];
    }
  } else {
    lane -= tile;
    for (int i = 0; i < tile; ++i)
      below[i][lane] = a[(offset + i) * n + first + lane];
  }
  __syncthreads();
  if (threadIdx.x < tile) {
    for (int i = 1; i < tile; ++i)
      for (int j = 0; j < i; ++j)
        right[lane][i] -= diagonal[j][i] * right[lane][j];
  } else {
    for (int i = 0; i < tile; ++i) {
      for (int j = 0; j < i; ++j)
        below[i][lane] -= below[j][lane] * diagonal[i][j];
      below[i][lane] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < tile) {
    for (int i = 0; i < tile; ++i)
      factors[(first + i) * n + offset + lane] = right[i][lane];
  } else {
    for (int i = 0; i < tile; ++i)
      factors[(offset + i) * n + first + lane] = below[i][lane];
  }
}

// What is left of the other tiles.
__global__ void luInternal(int n, int offset, const float *noalias a, float *noalias factors) {
  __shared__ float below[tile][tile], right[tile][tile];
  a += blockIdx.z * n * n;
  factors += blockIdx.z * n * n;
  int row = offset + (blockIdx.x + 1) * tile + threadIdx.x;
  int column = offset + (blockIdx.y + 1) * tile + threadIdx.y;
  below[threadIdx.y][threadIdx.x] = factors[(offset + threadIdx.y) * n + row];
  right[threadIdx.y][threadIdx.x] = factors[column * n + offset + threadIdx.x];
  __syncthreads();
  float total = 0;
  for (int k = 0; k < tile; ++k)
    total += below[k][threadIdx.x] * right[threadIdx.y][k];
  factors[column * n + row] = a[column * n + row] - total;
}

// Potentials and forces between the charges of a box and those of the boxes around it.
__global__ void boxForces(double a2, const Box *noalias boxes, const Charge *noalias positions,
                          const double *noalias charges, Charge *noalias forces) {
  __shared__ Charge own[inBox], others[inBox];
  __shared__ double q[inBox];
  int me = blockIdx.x, first = boxes[me].first;
  for (int i = threadIdx.x; i < inBox; i += blockDim.x) {
    own[i] = positions[first + i];
    forces[first + i] = {0, 0, 0, 0};
  }
  __syncthreads();
  for (int k = 0; k <= boxes[me].neighbours; ++k) {
    int other = me;
    if (k > 0)
      other = boxes[me].number[k - 1];
    int from = boxes[other].first;
    for (int j = threadIdx.x; j < inBox; j += blockDim.x) {
      others[j] = positions[from + j];
      q[j] = charges[from + j];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < inBox; i += blockDim.x) {
      for (int j = 0; j < inBox; ++j) {
        double r2 = own[i].v + others[j].v - (own[i].x * others[j].x + own[i].y * others[j].y + own[i].z * others[j].z);
        double vij = exp(-a2 * r2);
        double fs = 2 * vij;
        double dx = own[i].x - others[j].x, dy = own[i].y - others[j].y, dz = own[i].z - others[j].z;
        forces[first + i].v += q[j] * vij;
        forces[first + i].x += q[j] * fs * dx;
        forces[first + i].y += q[j] * fs * dy;
        forces[first + i].z += q[j] * fs * dz;
      }
    }
    __syncthreads();
  }
}

// What 16 neurons of the hidden layer receive from 16 inputs at a time, added up as a tree.
__global__ void layerForward(const float *noalias input, const float *noalias weights, float *noalias partial) {
  __shared__ float node[hidden], products[hidden][hidden];
  int tx = threadIdx.x, ty = threadIdx.y, from = hidden * blockIdx.x + ty + 1;
  if (tx == 0)
    node[ty] = input[from];
  __syncthreads();
  products[ty][tx] = weights[from * (hidden + 1) + tx + 1];
  __syncthreads();
  products[ty][tx] *= node[ty];
  __syncthreads();
  for (int i = 1; i <= 4; ++i) {
    int power = 1 << i;
    if (ty % power == 0)
      products[ty][tx] += products[ty + power / 2][tx];
    __syncthreads();
  }
  if (ty == 0)
    partial[blockIdx.x * hidden + tx] = products[0][tx];
}

// A block follows one key from the root to a leaf: each thread compares one key of the node.
__global__ void treeSearch(int height, const TreeNode *noalias nodes, const int *noalias queries,
                           const int *noalias records, int *noalias answers) {
  __shared__ int current, next;
  int thread = threadIdx.x, key = queries[blockIdx.x];
  if (thread == 0) {
    current = 0;
    answers[blockIdx.x] = -1;
  }
  __syncthreads();
  for (int level = 1; level < height; ++level) {
    if (nodes[current].keys[thread] <= key && nodes[current].keys[thread + 1] > key)
      next = nodes[current].children[thread];
    __syncthreads();
    if (thread == 0)
      current = next;
    __syncthreads();
  }
  if (nodes[current].keys[thread] == key)
    answers[blockIdx.x] = records[nodes[current].children[thread]];
}

// Whether points would rather belong to a candidate, and what its centre saves with each point that stays.
__global__ void clusterGain(int n, int dims, const float *noalias coordinates, const float *noalias candidate,
                            const float *noalias weight, const float *noalias cost, const int *noalias owner,
                            const int *noalias slot, float *noalias saved, int *noalias switches) {
  extern __shared__ float centre[];
  for (int d = threadIdx.x; d < dims; d += blockDim.x)
    centre[d] = candidate[d];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float distance = 0;
  for (int d = 0; d < dims; ++d) {
    float difference = coordinates[d * n + i] - centre[d];
    distance += difference * difference;
  }
  float gain = cost[i] - weight[i] * distance;
  for (int k = 0; k < clusters; ++k)
    saved[i * clusters + k] = 0;
  switches[i] = gain > 0;
  if (switches[i])
    saved[i * clusters + clusters - 1] = gain;
  else
    saved[i * clusters + slot[owner[i]]] -= gain;
}

// Pairs of directions by the bin of their scalar product; a histogram for each warp.
__global__ void angularCorrelation(const float *noalias x, const float *noalias y, const float *noalias z,
                                   int *noalias counts) {
  __shared__ int local[warps][bins];
  __shared__ float xs[32 * warps], ys[32 * warps], zs[32 * warps];
  int thread = threadIdx.x, warp = thread / 32;
  local[warp][thread % 32] = 0;
  int other = blockIdx.y * blockDim.x + thread;
  xs[thread] = x[other];
  ys[thread] = y[other];
  zs[thread] = z[other];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + thread;
  float xi = x[i], yi = y[i], zi = z[i];
  for (int j = 0; j < blockDim.x; ++j) {
    float dot = xi * xs[j] + yi * ys[j] + zi * zs[j];
    int low = 0, high = bins;
    while (high > low + 1) {
      int middle = (low + high) / 2;
      if (dot >= binEdges[middle])
        high = middle;
      else
        low = middle;
    }
    atomicAdd(&local[warp][high - 1], 1);
  }
  __syncthreads();
  if (thread < bins) {
    int total = 0;
    for (int w = 0; w < warps; ++w)
      total += local[w][thread];
    atomicAdd(&counts[thread], total);
  }
}

// Sums of absolute differences between the 4 x 4 blocks of a macroblock and those of another picture, for each of
// 16 x 16 displacements.
__global__ void blockDifferences(int width, int height, const short *noalias current, const short *noalias reference,
                                 short *noalias sums) {
  __shared__ short own[16][16], window[31][31];
  int dx = threadIdx.x, dy = threadIdx.y, x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  own[dy][dx] = current[(y0 + dy) * width + x0 + dx];
  for (int at = 16 * dy + dx; at < 31 * 31; at += 256) {
    int x = min(max(x0 + at % 31 - 8, 0), width - 1);
    int y = min(max(y0 + at / 31 - 8, 0), height - 1);
    window[at / 31][at % 31] = reference[y * width + x];
  }
  __syncthreads();
  sums += (blockIdx.y * (width / 16) + blockIdx.x) * 16 * 256;
  for (int by = 0; by < 4; ++by)
    for (int bx = 0; bx < 4; ++bx) {
      int total = 0;
      for (int y = 4 * by; y < 4 * by + 4; ++y)
        for (int x = 4 * bx; x < 4 * bx + 4; ++x)
          total += abs(own[y][x] - window[y + dy][x + dx]);
      sums[((by * 4 + bx) * 16 + dy) * 16 + dx] = short(total);
    }
}

// Bytes of parity: products in the field of 256 elements by tables of logarithms.
__global__ void erasureCode(int length, const int *noalias logarithms, const int *noalias powers,
                            const unsigned char *noalias shard, unsigned char *noalias parity) {
  __shared__ int logs[256], exps[512];
  logs[threadIdx.x] = logarithms[threadIdx.x];
  exps[threadIdx.x] = powers[threadIdx.x];
  exps[threadIdx.x + 256] = powers[threadIdx.x + 256];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length)
    return;
  int total[parities] = {};
  for (int s = 0; s < shards; ++s) {
    int value = shard[s * length + i];
    if (value == 0)
      continue;
    for (int p = 0; p < parities; ++p)
      total[p] ^= exps[logs[value] + coding[s][p]];
  }
  for (int p = 0; p < parities; ++p)
    parity[p * length + i] = (unsigned char)total[p];
}

// Digests of messages of 16 words by 64 rounds.
__global__ void digest(int n, const unsigned *noalias words, unsigned *noalias digests) {
  constexpr int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= n)
    return;
  unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int i = 0; i < 64; ++i) {
    unsigned f;
    int g;
    switch (i / 16) {
    case 0:
      f = (b & c) | (~b & d);
      g = i;
      break;
    case 1:
      f = (d & b) | (~d & c);
      g = (5 * i + 1) % 16;
      break;
    case 2:
      f = b ^ c ^ d;
      g = (3 * i + 5) % 16;
      break;
    default:
      f = c ^ (b | ~d);
      g = 7 * i % 16;
    }
    f += a + sines[i] + words[g * n + thread];
    a = d;
    d = c;
    c = b;
    int turn = turns[i / 16][i % 4];
    b += (f << turn) | (f >> (32 - turn));
  }
  digests[thread] = 0x67452301 + a;
  digests[n + thread] = 0xefcdab89 + b;
  digests[2 * n + thread] = 0x98badcfe + c;
  digests[3 * n + thread] = 0x10325476 + d;
}

// The last element that is not greater.
__device__ inline int place(double quarry, const double *noalias energies, int n) {
  int lower = 0, upper = n - 1;
  while (upper - lower > 1) {
    int middle = lower + (upper - lower) / 2;
    if (energies[middle] > quarry)
      upper = middle;
    else
      lower = middle;
  }
  return lower;
}

__device__ inline void micro(double energy, const GridPoint *noalias grid, int index, double *sections) {
  const GridPoint &low = grid[index], &high = grid[index + 1];
  double f = (high.energy - energy) / (high.energy - low.energy);
  sections[0] = high.total - f * (high.total - low.total);
  sections[1] = high.elastic - f * (high.elastic - low.elastic);
  sections[2] = high.absorption - f * (high.absorption - low.absorption);
  sections[3] = high.fission - f * (high.fission - low.fission);
  sections[4] = high.nuFission - f * (high.nuFission - low.nuFission);
}

// Macroscopic cross sections of materials at random energies: bisection in the grid of all isotopes, and in the
// isotopes of the material linear interpolation.
__global__ void crossSections(int lookups, int points, const double *noalias energy, const int *noalias material,
                              const double *noalias unionEnergy, const int *noalias unionIndex,
                              const int *noalias isotope, const double *noalias concentration,
                              const GridPoint *noalias grids, double *noalias found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups)
    return;
  int m = material[i];
  int at = place(energy[i], unionEnergy, isotopes * points);
  double macro[5] = {};
  for (int j = 0; j < isotopeCounts[m]; ++j) {
    double sections[5];
    int nuclide = isotope[m * mostIsotopes + j];
    micro(energy[i], grids + nuclide * points, unionIndex[at * isotopes + nuclide], sections);
    for (int k = 0; k < 5; ++k)
      macro[k] += concentration[m * mostIsotopes + j] * sections[k];
  }
  for (int k = 0; k < 5; ++k)
    found[i * 5 + k] = macro[k];
}

// Of a state to fluxes: of the three momenta and of the energy, in three directions. The speed is of flow and sound.
__device__ inline void contributions(const float *q, float &pressure, float &speed, float flux[4][3]) {
  float velocity[3], square = 0;
  for (int d = 0; d < 3; ++d) {
    velocity[d] = q[d + 1] / q[0];
    square += velocity[d] * velocity[d];
  }
  pressure = (gammaGas - 1) * (q[4] - 0.5f * q[0] * square);
  speed = sqrtf(square) + sqrtf(gammaGas * pressure / q[0]);
  for (int d = 0; d < 3; ++d) {
    for (int e = 0; e < 3; ++e)
      flux[d][e] = velocity[e] * q[d + 1];
    flux[d][d] += pressure;
  }
  for (int e = 0; e < 3; ++e)
    flux[3][e] = velocity[e] * (q[4] + pressure);
}

// Fluxes of the Euler equations into tetrahedra, from their neighbours, walls and the far field.
__global__ void cellFluxes(int cells, const int *noalias neighbours, const float *noalias normals,
                           const float *noalias state, float *noalias fluxes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  float own[5], other[5], total[5] = {}, normal[3], pressureI, speedI, pressureO, speedO, fluxI[4][3], fluxO[4][3];
  for (int k = 0; k < 5; ++k)
    own[k] = state[k * cells + i];
  contributions(own, pressureI, speedI, fluxI);
  for (int j = 0; j < 4; ++j) {
    int nb = neighbours[j * cells + i];
    for (int d = 0; d < 3; ++d)
      normal[d] = normals[(d * 4 + j) * cells + i];
    float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (nb >= 0) {
      for (int k = 0; k < 5; ++k)
        other[k] = state[k * cells + nb];
    } else if (nb == farField) {
      for (int k = 0; k < 5; ++k)
        other[k] = farState[k];
    } else {
      for (int d = 0; d < 3; ++d)
        total[d + 1] += normal[d] * pressureI;
      continue;
    }
    contributions(other, pressureO, speedO, fluxO);
    float factor = -length * 0.1f * (speedI + speedO);
    for (int k = 0; k < 5; ++k)
      total[k] += factor * (own[k] - other[k]);
    for (int d = 0; d < 3; ++d) {
      factor = 0.5f * normal[d];
      total[0] += factor * (own[d + 1] + other[d + 1]);
      for (int k = 0; k < 4; ++k)
        total[k + 1] += factor * (fluxI[k][d] + fluxO[k][d]);
    }
  }
  for (int k = 0; k < 5; ++k)
    fluxes[k * cells + i] = total[k];
}

__device__ inline double square(double x) { return x * x; }

__device__ inline double widthOf(double gx, double gy, double gz, double epsilon, double w0) {
  if (gx == 0 && gy == 0 && gz == 0)
    return w0 * (1 - 5 * epsilon / 3);
  return w0 * (1 - 3 * epsilon) *
         (1 + 4 * epsilon / (1 - 3 * epsilon) * (square(gx * gx) + square(gy * gy) + square(gz * gz)) /
                  square(gx * gx + gy * gy + gz * gz));
}

__device__ inline double slopeOf(double l, double m, double n) {
  if (l == 0 && m == 0 && n == 0)
    return 0;
  return (l * l * l * (m * m + n * n) - l * (square(m * m) + square(n * n))) / square(l * l + m * m + n * n);
}

// Growth of a crystal: the vector whose divergence drives the phase field, with a width that depends on direction.
__global__ void dendriteFluxes(int n, double h, const double *noalias phase, double *noalias fx, double *noalias fy,
                               double *noalias fz) {
  constexpr double epsilon = 0.05, w0 = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= n || j >= n || k >= n)
    return;
  int at = (k * n + j) * n + i;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1) {
    double gx = (phase[at + 1] - phase[at - 1]) / (2 * h);
    double gy = (phase[at + n] - phase[at - n]) / (2 * h);
    double gz = (phase[at + n * n] - phase[at - n * n]) / (2 * h);
    double squares = gx * gx + gy * gy + gz * gz;
    double c = 16 * w0 * epsilon;
    double w = widthOf(gx, gy, gz, epsilon, w0);
    fx[at] = w * w * gx + squares * w * c * slopeOf(gx, gy, gz);
    fy[at] = w * w * gy + squares * w * c * slopeOf(gy, gz, gx);
    fz[at] = w * w * gz + squares * w * c * slopeOf(gz, gx, gy);
  } else {
    fx[at] = 0;
    fy[at] = 0;
    fz[at] = 0;
  }
}
