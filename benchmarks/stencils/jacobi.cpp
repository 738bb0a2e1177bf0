// One Jacobi sweep of the 5-point stencil on n x n doubles, and the greatest change, with OpenMP. Twin: jacobi.cuf.
#include "benchmark.h"
#include <algorithm>

using namespace benchmark;

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(4096, 1024, 64);
  std::vector<double> u(n * n);
  fill(u, 1);
  std::vector<double> v = u;

  if (beginCase("jacobi", {.bytes = 16.0 * n * n})) {
    while (nextSample()) {
      double change = 0;
#pragma omp parallel for reduction(max : change)
      for (int j = 1; j < n - 1; ++j)
        for (int i = 1; i < n - 1; ++i) {
          v[j * n + i] = 0.25 * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i]);
          change = std::max(change, std::fabs(v[j * n + i] - u[j * n + i]));
        }
    }
    endCase(checksum(v));
  }
  return finish();
}
