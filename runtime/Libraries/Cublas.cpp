// cuBLAS is a large library that takes a while to start: it is opened at the first product that is worth it, and its
// handles are kept until their device is reset. The declarations are those of cuBLAS 11 to 13.
#include "runtime/Libraries/Cublas.h"
#include "runtime/Libraries/CudaLibrary.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Trace/TraceLine.h"
#include <mutex>
#include <vector>

namespace cufort::rt {

namespace {

using Handle = void *;
using Status = int; // cublasStatus_t; 0 is success

constexpr int typeHalf = 2;          // CUDA_R_16F
constexpr int computeFloat = 68;     // CUBLAS_COMPUTE_32F
constexpr int defaultAlgorithm = -1; // CUBLAS_GEMM_DEFAULT
/// CUBLAS_DEFAULT_MATH, which has no TF32, and no sums in half precision.
constexpr int exactMath = 16;

template <typename Scalar>
using Gemm = Status (*)(Handle, int, int, int, int, int, const Scalar *, const void *, int, const void *, int,
                        const Scalar *, void *, int);

struct Library {
  Status (*create)(Handle *);
  Status (*destroy)(Handle);
  Status (*setStream)(Handle, CUstream);
  Status (*setMathMode)(Handle, int);
  Gemm<float> multiplyReal4, multiplyComplex4;
  Gemm<double> multiplyReal8, multiplyComplex8;
  Status (*multiplyTyped)(Handle, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                          const void *, void *, int, int, int, int);
};

bool load(Library &library) {
  void *handle =
      openCudaLibrary("CUFORT_CUBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
  return handle && resolve(handle, "cublasCreate_v2", library.create) &&
         resolve(handle, "cublasDestroy_v2", library.destroy) &&
         resolve(handle, "cublasSetStream_v2", library.setStream) &&
         resolve(handle, "cublasSetMathMode", library.setMathMode) &&
         resolve(handle, "cublasSgemm_v2", library.multiplyReal4) &&
         resolve(handle, "cublasDgemm_v2", library.multiplyReal8) &&
         resolve(handle, "cublasCgemm_v2", library.multiplyComplex4) &&
         resolve(handle, "cublasZgemm_v2", library.multiplyComplex8) &&
         resolve(handle, "cublasGemmEx", library.multiplyTyped);
}

/// cuBLAS, or null. Opened once.
const Library *cublas() {
  static Library library;
  static const bool isThere = load(library);
  return isThere ? &library : nullptr;
}

/// Handles that no thread is using, for each device. Never destroyed, because exit handlers may come here.
struct Pool {
  std::mutex mutex;
  std::vector<Handle> handles[maxDevices];
  bool hasFailed[maxDevices] = {};
};

Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

/// Destroys the handles of `device`, or forgets those of all devices if it is -1.
void forgetHandles(int device) {
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (int each = 0; each < maxDevices; ++each) {
    if (device == each)
      for (Handle handle : all.handles[each])
        cublas()->destroy(handle);
    if (device == each || device < 0) {
      all.handles[each].clear();
      all.hasFailed[each] = false;
    }
  }
}

/// A handle for the calling thread alone, and where it goes back to.
class BorrowedHandle {
public:
  BorrowedHandle(const Library &library, int device, bool mayCreate) : device(device) {
    Pool &all = pool();
    std::lock_guard<std::mutex> lock(all.mutex);
    if (!all.handles[device].empty()) {
      handle = all.handles[device].back();
      all.handles[device].pop_back();
    } else if (mayCreate && !all.hasFailed[device]) {
      create(library, all);
    }
  }

  ~BorrowedHandle() {
    if (!handle)
      return;
    std::lock_guard<std::mutex> lock(pool().mutex);
    pool().handles[device].push_back(handle);
  }

  BorrowedHandle(const BorrowedHandle &) = delete;
  BorrowedHandle &operator=(const BorrowedHandle &) = delete;

  Handle get() const { return handle; }

private:
  void create(const Library &library, Pool &all) {
    atDeviceReset(forgetHandles);
    Status status = library.create(&handle);
    if (status == 0 && library.setMathMode(handle, exactMath) == 0)
      return;
    debugLog("cuBLAS does not start: status %d", status);
    if (status == 0)
      library.destroy(handle);
    all.hasFailed[device] = true;
    handle = nullptr;
  }

  Handle handle = nullptr;
  int device;
};

template <typename Scalar>
Status multiply(Gemm<Scalar> gemm, Handle handle, const BlasProduct &product, const Scalar *one, const Scalar *zero) {
  return gemm(handle, product.left.isTransposed, product.right.isTransposed, product.m, product.n, product.k, one,
              product.left.base, product.left.leading, product.right.base, product.right.leading, zero,
              const_cast<void *>(product.result.base), product.result.leading);
}

Status multiply(const Library &library, Handle handle, const BlasProduct &product) {
  static const float one4[2] = {1, 0}, zero4[2] = {0, 0};
  static const double one8[2] = {1, 0}, zero8[2] = {0, 0};
  switch (product.type) {
  case FactorType::Real4:
    return multiply(library.multiplyReal4, handle, product, one4, zero4);
  case FactorType::Real8:
    return multiply(library.multiplyReal8, handle, product, one8, zero8);
  case FactorType::Complex4:
    return multiply(library.multiplyComplex4, handle, product, one4, zero4);
  case FactorType::Complex8:
    return multiply(library.multiplyComplex8, handle, product, one8, zero8);
  case FactorType::Real2:
    break;
  }
  return library.multiplyTyped(handle, product.left.isTransposed, product.right.isTransposed, product.m, product.n,
                               product.k, one4, product.left.base, typeHalf, product.left.leading, product.right.base,
                               typeHalf, product.right.leading, zero4, const_cast<void *>(product.result.base),
                               typeHalf, product.result.leading, computeFloat, defaultAlgorithm);
}

void trace(const BlasProduct &product, const Current &current, int64_t stream, StreamTimer &timer) {
  if (!wants(TraceLaunches))
    return;
  TraceLine line("launch cuBLAS product", *current.table);
  line.add("stream", static_cast<uint64_t>(stream));
  line.add("m", static_cast<uint64_t>(product.m)).add("n", static_cast<uint64_t>(product.n));
  line.add("k", static_cast<uint64_t>(product.k)).addTime(timer.stop()).print();
}

} // namespace

bool multiplyByCublas(const BlasProduct &product, int64_t stream) {
  Current current;
  if (!currentContext(current) || usingEmulatedDevice())
    return false;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (current.table->streamIsCapturing(toStream(stream), &capture) != CUDA_SUCCESS)
    return false;
  const Library *library = cublas();
  if (!library)
    return false;
  // Creating a handle allocates memory, which ends a capture.
  BorrowedHandle handle(*library, current.device, /*mayCreate=*/capture == CU_STREAM_CAPTURE_STATUS_NONE);
  if (!handle.get())
    return false;
  Status status = library->setStream(handle.get(), toStream(stream));
  StreamTimer timer(*current.table, toStream(stream));
  if (status == 0)
    status = multiply(*library, handle.get(), product);
  if (status == 0)
    trace(product, current, stream, timer);
  else
    debugLog("cuBLAS does not multiply: status %d", status);
  return status == 0;
}

} // namespace cufort::rt
