// What the programs of this folder share.
#pragma once

#include "benchmark.h"

using namespace benchmark;

template <class T>
static std::vector<T> random(size_t count, int seed, T factor = 1, T add = 0) {
  std::vector<T> x(count);
  fill(x, seed);
  for (T &value : x)
    value = factor * value + add;
  return x;
}

static std::vector<int> randomInts(size_t count, int below, int seed) {
  std::vector<int> x(count);
  fill(x, below, seed);
  return x;
}

template <class T>
static double magnitudes(const std::vector<T> &x) {
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i)
    total += std::abs(double(x[i])) * (1 + (i + 1) % 1009);
  return total;
}
