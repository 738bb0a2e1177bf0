// A 25-point star in three dimensions of float, as loops with OpenMP. Twin: differences.cuf.
#include "benchmark.h"

using namespace benchmark;

int main(int argc, char **argv) {
  start(argc, argv);
  const float weight[5] = {-2.5f, 0.5f, 0.2f, 0.1f, 0.05f};
  const int n = sized(384, 192, 32);
  const double points = double(n) * n * n;
  std::vector<float> u(n * n * n), v(u.size());
  fill(u, 1);

  if (beginCase("star25", {.bytes = 8 * points, .flops = 29 * points, .kind = 4})) {
    while (nextSample()) {
#pragma omp parallel for
      for (int k = 4; k < n - 4; ++k)
        for (int j = 4; j < n - 4; ++j)
          for (int i = 4; i < n - 4; ++i) {
            int at = (k * n + j) * n + i;
            float total = weight[0] * u[at];
            for (int r = 1; r <= 4; ++r)
              total += weight[r] *
                       (u[at - r] + u[at + r] + u[at - r * n] + u[at + r * n] + u[at - r * n * n] + u[at + r * n * n]);
            v[at] = total;
          }
    }
    endCase(checksum(v));
  }
  return finish();
}
