// What the GPU can do at most: bytes per second of a large copy, and operations per second of cuBLAS products.
// Without libcublas on the machine the products are left out.
#include "benchmark.h"
#include <cuda_fp16.h>
#include <dlfcn.h>

using namespace benchmark;

constexpr int n = 8192;

/// The few functions of cuBLAS that are needed, with its types as what they are in C.
struct Cublas {
  int (*create)(void **);
  int (*hgemm)(void *, int, int, int, int, int, const __half *, const __half *, int, const __half *, int,
               const __half *, __half *, int);
  int (*sgemm)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *,
               float *, int);
  int (*dgemm)(void *, int, int, int, int, int, const double *, const double *, int, const double *, int,
               const double *, double *, int);

  bool load() {
    void *library = nullptr;
    for (const char *name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"})
      if (!library)
        library = dlopen(name, RTLD_NOW);
    return library && find(library, "cublasCreate_v2", create) && find(library, "cublasHgemm", hgemm) &&
           find(library, "cublasSgemm_v2", sgemm) && find(library, "cublasDgemm_v2", dgemm);
  }

  template <class F>
  static bool find(void *library, const char *name, F &function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function;
  }
};

template <class T, class Gemm>
void product(const char *name, Gemm gemm, void *handle) {
  if (!beginCase(name, {.flops = 2.0 * n * n * n, .kind = sizeof(T)}))
    return;
  // Random bits of small numbers: power, and with it the clock, depends on the data.
  std::vector<float> random(size_t(n) * n);
  fill(random, 5);
  std::vector<T> values(random.begin(), random.end());
  DeviceArray<T> a(values), b(values), c(values.size());
  const T one = T(1.0f), zero = T(0.0f);
  while (nextSample())
    gemm(handle, 0, 0, n, n, n, &one, a, n, b, n, &zero, c, n);
  endCase(0);
}

int main(int argc, char **argv) {
  start(argc, argv);
  const size_t bytes = size_t(1) << 30;
  if (beginCase("device_copy", {.bytes = 2.0 * bytes})) {
    DeviceArray<char> from(bytes), to(bytes);
    cudaMemset(from, 1, bytes);
    while (nextSample())
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
    endCase(0);
  }
  Cublas cublas;
  void *handle;
  if (!cublas.load() || cublas.create(&handle) != 0)
    return fprintf(stderr, "no cuBLAS on this machine\n"), finish();
  product<__half>("hgemm", cublas.hgemm, handle);
  product<float>("sgemm", cublas.sgemm, handle);
  product<double>("dgemm", cublas.dgemm, handle);
  return finish();
}
