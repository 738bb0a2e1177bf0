// The transpose of a matrix of float: directly and by tiles, as loops with OpenMP. Twin: transposes.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int tile = 32;

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(8192, 2048, 64);
  std::vector<float> a(n * n), b(n * n);
  fill(a, 3);

  if (beginCase("transpose_naive", {.bytes = 8.0 * n * n})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
          b[x * n + y] = a[y * n + x];
    }
    endCase(checksum(b));
  }

  if (beginCase("transpose_tiled", {.bytes = 8.0 * n * n})) {
    while (nextSample()) {
#pragma omp parallel for collapse(2)
      for (int row = 0; row < n; row += tile)
        for (int column = 0; column < n; column += tile)
          for (int y = row; y < row + tile; ++y)
            for (int x = column; x < column + tile; ++x)
              b[x * n + y] = a[y * n + x];
    }
    endCase(checksum(b));
  }
  return finish();
}
