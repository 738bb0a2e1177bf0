// What the programs of this folder share.
#pragma once

#include "benchmark.h"

using namespace benchmark;

// Combines the values of all threads of a block of up to 256 threads, in its first thread.
template <class T, class Combine>
__device__ inline T overBlock(T value, Combine combine) {
  __shared__ T partial[8];
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int warps = blockDim.x * blockDim.y * blockDim.z / 32;
  for (int offset = 16; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(~0u, value, offset));
  __syncthreads();
  if (thread % 32 == 0)
    partial[thread / 32] = value;
  __syncthreads();
  if (thread == 0)
    for (int warp = 1; warp < warps; ++warp)
      value = combine(value, partial[warp]);
  return value;
}

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};

struct Greater {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};

struct Less {
  __device__ double operator()(double a, double b) const { return fmin(a, b); }
};

__device__ inline bool firstThread() { return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0; }

// Positive numbers have the order of their bits.
__device__ inline void atomicGreatest(double *to, double value) {
  atomicMax((unsigned long long *)to, (unsigned long long)__double_as_longlong(value));
}

__device__ inline void atomicLeast(double *to, double value) {
  atomicMin((unsigned long long *)to, (unsigned long long)__double_as_longlong(value));
}

template <class T>
static std::vector<T> random(size_t count, int seed, T factor = 1, T add = 0) {
  std::vector<T> x(count);
  fill(x, seed);
  for (T &value : x)
    value = factor * value + add;
  return x;
}

static unsigned blocksFor(int n, int block) { return (n + block - 1) / block; }

// A grid of blocks of 32 x 4 threads.
static dim3 tiles(int nx, int ny, int nz = 1) { return dim3(blocksFor(nx, 32), blocksFor(ny, 4), nz); }
static const dim3 tile(32, 4);
