// The product of n x n matrices of float, stored by columns, as loops with OpenMP. Twin: products.CUF.
#include "benchmark.h"

using namespace benchmark;

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(4096, 256, 128);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  fill(a, 1);
  fill(b, 2);
  if (beginCase("matmul_tiled", {.flops = 2.0 * n * n * n, .kind = 4})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i)
          c[j * n + i] = 0;
        for (int k = 0; k < n; ++k)
          for (int i = 0; i < n; ++i)
            c[j * n + i] += a[k * n + i] * b[j * n + k];
      }
    }
    endCase(checksum(c));
  }
  return finish();
}
