// The five kernels of BabelStream on arrays of double, as loops with OpenMP. Twin: stream.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr double scalar = 0.4;

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(1 << 25, 1 << 22, 1 << 12);
  std::vector<double> a(n), b(n), c(n);
  fill(a, 1);
  fill(b, 2);

  if (beginCase("copy", {.bytes = 16.0 * n})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int i = 0; i < n; ++i)
        c[i] = a[i];
    }
    endCase(checksum(c));
  }

  if (beginCase("mul", {.bytes = 16.0 * n})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int i = 0; i < n; ++i)
        c[i] = scalar * a[i];
    }
    endCase(checksum(c));
  }

  if (beginCase("add", {.bytes = 24.0 * n})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int i = 0; i < n; ++i)
        c[i] = a[i] + b[i];
    }
    endCase(checksum(c));
  }

  if (beginCase("triad", {.bytes = 24.0 * n})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int i = 0; i < n; ++i)
        c[i] = a[i] + scalar * b[i];
    }
    endCase(checksum(c));
  }

  if (beginCase("dot", {.bytes = 16.0 * n})) {
    double total = 0;
    while (nextSample()) {
      total = 0;
#pragma omp parallel for reduction(+ : total)
      for (int i = 0; i < n; ++i)
        total += a[i] * b[i];
    }
    endCase(total);
  }
  return finish();
}
