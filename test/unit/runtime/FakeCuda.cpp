// A libcuda.so.1 with every symbol that the runtime looks for. cuInit and cuDeviceGetCount do as FAKE_CUDA says.
#include "runtime/CudaDriver/DriverTypes.h"
#include <cstdlib>
#include <cstring>

using namespace cufort::rt;

namespace {

bool asked(const char *what) {
  const char *value = std::getenv("FAKE_CUDA");
  return value && !std::strcmp(value, what);
}

CUresult call(const char *symbol, void *first) {
  if (!std::strcmp(symbol, "cuInit") && asked("does-not-start"))
    return CUDA_ERROR_SYSTEM_NOT_READY;
  if (!std::strcmp(symbol, "cuDeviceGetCount")) {
    if (asked("cannot-list"))
      return CUDA_ERROR_UNKNOWN;
    *static_cast<int *>(first) = asked("no-device") ? 0 : 1;
  }
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...)                                                                      \
  CUresult fake_##name(void *first) __asm__(symbol);                                                                   \
  CUresult fake_##name(void *first) { return call(symbol, first); }
#include "runtime/CudaDriver/DriverFunctions.def"
}
