// A libcublas.so.13 that writes what it is asked for to stderr. FAKE_CUBLAS names a call that fails.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int status(const char *call) {
  const char *failing = std::getenv("FAKE_CUBLAS");
  return failing && !std::strcmp(failing, call) ? 14 : 0;
}

int multiply(const char *call, void *handle, int leftIsTransposed, int rightIsTransposed, int m, int n, int k,
             double one, const void *left, int leftLeading, const void *right, int rightLeading, double zero,
             void *result, int resultLeading) {
  std::fprintf(stderr, "[%s #%d %c%c %dx%dx%d %g*%p/%d*%p/%d+%g*%p/%d]", call, *static_cast<int *>(handle),
               leftIsTransposed ? 'T' : 'N', rightIsTransposed ? 'T' : 'N', m, n, k, one, left, leftLeading, right,
               rightLeading, zero, result, resultLeading);
  return status(call);
}

int handles = 0;

} // namespace

extern "C" {
int cublasCreate_v2(void **handle) {
  std::fprintf(stderr, "[create]");
  int result = status("create");
  if (result == 0)
    *handle = new int(++handles);
  return result;
}
int cublasDestroy_v2(void *handle) {
  std::fprintf(stderr, "[destroy #%d]", *static_cast<int *>(handle));
  delete static_cast<int *>(handle);
  return 0;
}
int cublasSetStream_v2(void *, void *stream) {
  std::fprintf(stderr, "[stream %ld]", reinterpret_cast<long>(stream));
  return status("stream");
}
int cublasSetMathMode(void *, int mode) {
  std::fprintf(stderr, "[math %d]", mode);
  return status("math");
}
#define FAKE_GEMM(symbol, Scalar)                                                                                      \
  int symbol##_v2(void *handle, int ta, int tb, int m, int n, int k, const Scalar *one, const void *a, int lda,        \
                  const void *b, int ldb, const Scalar *zero, void *c, int ldc) {                                      \
    return multiply(#symbol, handle, ta, tb, m, n, k, static_cast<double>(*one), a, lda, b, ldb,                       \
                    static_cast<double>(*zero), c, ldc);                                                               \
  }
FAKE_GEMM(cublasSgemm, float)
FAKE_GEMM(cublasDgemm, double)
FAKE_GEMM(cublasCgemm, float)
FAKE_GEMM(cublasZgemm, double)
int cublasGemmEx(void *handle, int ta, int tb, int m, int n, int k, const void *one, const void *a, int aType, int lda,
                 const void *b, int bType, int ldb, const void *zero, void *c, int cType, int ldc, int compute,
                 int algorithm) {
  std::fprintf(stderr, "[types %d %d %d %d %d]", aType, bType, cType, compute, algorithm);
  return multiply("cublasGemmEx", handle, ta, tb, m, n, k, static_cast<double>(*static_cast<const float *>(one)), a,
                  lda, b, ldb, static_cast<double>(*static_cast<const float *>(zero)), c, ldc);
}
}
