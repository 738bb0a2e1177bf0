// The declarations are those of cuRAND 10. A generator belongs to the library that made it, so the one that the program
// has is preferred (CudaLibrary.h).
#include "runtime/Libraries/Curand.h"
#include "runtime/Libraries/CudaLibrary.h"
#include "runtime/Stream/DefaultStream.h"

namespace cufort::rt {

namespace {

using Generator = void *;
using Status = int; // curandStatus_t; 0 is success

constexpr Status notInitialized = 101;

struct Library {
  Status (*setStream)(Generator, CUstream);
  Status (*drawSingles)(Generator, float *, size_t);
  Status (*drawDoubles)(Generator, double *, size_t);
};

bool load(Library &library) {
  void *handle = openCudaLibrary("CUFORT_CURAND", {"libcurand.so.10", "libcurand.so"});
  return handle && resolve(handle, "curandSetStream", library.setStream) &&
         resolve(handle, "curandGenerateUniform", library.drawSingles) &&
         resolve(handle, "curandGenerateUniformDouble", library.drawDoubles);
}

/// cuRAND, or null. Opened once.
const Library *curand() {
  static Library library;
  static const bool isThere = load(library);
  return isThere ? &library : nullptr;
}

} // namespace

bool hasCurand() { return curand(); }

int drawByCurand(void *generator, void *numbers, int64_t count, bool isDouble, int64_t stream) {
  const Library *library = curand();
  if (!library)
    return notInitialized;
  if (Status status = library->setStream(generator, toStream(stream)))
    return status;
  auto length = static_cast<size_t>(count);
  return isDouble ? library->drawDoubles(generator, static_cast<double *>(numbers), length)
                  : library->drawSingles(generator, static_cast<float *>(numbers), length);
}

const char *curandStatusName(int status) {
  switch (status) {
  case 0:
    return "CURAND_STATUS_SUCCESS";
  case 100:
    return "CURAND_STATUS_VERSION_MISMATCH";
  case notInitialized:
    return "CURAND_STATUS_NOT_INITIALIZED";
  case 102:
    return "CURAND_STATUS_ALLOCATION_FAILED";
  case 103:
    return "CURAND_STATUS_TYPE_ERROR";
  case 104:
    return "CURAND_STATUS_OUT_OF_RANGE";
  case 105:
    return "CURAND_STATUS_LENGTH_NOT_MULTIPLE";
  case 106:
    return "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED";
  case 201:
    return "CURAND_STATUS_LAUNCH_FAILURE";
  case 202:
    return "CURAND_STATUS_PREEXISTING_FAILURE";
  case 203:
    return "CURAND_STATUS_INITIALIZATION_FAILED";
  case 204:
    return "CURAND_STATUS_ARCH_MISMATCH";
  default:
    return "CURAND_STATUS_INTERNAL_ERROR";
  }
}

} // namespace cufort::rt
