// What the programs of this folder share.
#pragma once

#include "benchmark.h"

using namespace benchmark;

// Sums, greatest and least values of all threads of a block of 128 or 256 threads, in its first thread.
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
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Greater {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Less {
  __device__ double operator()(double a, double b) const { return fmin(a, b); }
  __device__ float operator()(float a, float b) const { return fminf(a, b); }
};

// Positive numbers have the order of their bits.
__device__ inline void atomicGreatest(unsigned long long *to, double value) {
  atomicMax(to, (unsigned long long)__double_as_longlong(value));
}

inline double asDouble(unsigned long long bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
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
