// A sum of float and a histogram, as loops with OpenMP. Twin: reductions.cuf.
#include "benchmark.h"

using namespace benchmark;

constexpr int bins = 256;

int main(int argc, char **argv) {
  start(argc, argv);
  const int n = sized(1 << 26, 1 << 22, 1 << 13);
  std::vector<float> x(n);
  fill(x, 1);

  if (beginCase("sum_shuffle", {.bytes = 4.0 * n})) {
    double total = 0;
    while (nextSample()) {
      total = 0;
#pragma omp parallel for reduction(+ : total)
      for (int i = 0; i < n; ++i)
        total += x[i];
    }
    endCase(total);
  }

  std::vector<int> k(n), counts(bins);
  fill(k, bins, 3);
  if (beginCase("histogram", {.bytes = 4.0 * n})) {
    while (nextSample()) {
      counts.assign(bins, 0);
      int *count = counts.data();
#pragma omp parallel for reduction(+ : count[:bins])
      for (int i = 0; i < n; ++i)
        ++count[k[i]];
    }
    endCase(sum(counts));
  }
  return finish();
}
