#include "runtime/Launch/Scratch.h"
#include "runtime/Stream/DefaultStream.h"
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace cufort::rt {

namespace {

struct Piece {
  void *address;
  size_t bytes;
  bool isBusy; ///< earlier work on `stream` may still use it
  int64_t stream;
};

/// Never destroyed, because exit handlers may come here. What is in it goes with the context.
struct Pool {
  std::mutex mutex;
  std::vector<Piece> free[maxDevices];
  std::map<void *, std::pair<int, size_t>> inUse; ///< address → device, bytes
};

Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

void forget(int device) {
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (int i = 0; i < maxDevices; ++i)
    if (device < 0 || device == i)
      all.free[i].clear();
  for (auto it = all.inUse.begin(); it != all.inUse.end();)
    it = device < 0 || it->second.first == device ? all.inUse.erase(it) : std::next(it);
}

size_t roundUp(size_t bytes) {
  size_t size = 4096;
  while (size < bytes)
    size *= 2;
  return size;
}

/// Takes a free piece of at least `bytes` bytes for `stream` out of the pool, or returns null.
void *reuse(int device, size_t bytes, int64_t stream) {
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<Piece> &free = all.free[device];
  // A graph may be launched on any stream.
  bool inOrder = !isCaptured(stream);
  for (size_t i = 0; i < free.size(); ++i) {
    bool isUsed = free[i].isBusy && !(inOrder && free[i].stream == stream);
    if (free[i].bytes < bytes || isUsed)
      continue;
    Piece piece = free[i];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
    all.inUse[piece.address] = {device, piece.bytes};
    return piece.address;
  }
  return nullptr;
}

/// Allocates also while a stream of this thread is captured.
CUresult allocateMemory(const Current &current, CUdeviceptr &address, size_t bytes, bool captured) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (captured)
    current.table->threadExchangeStreamCaptureMode(&mode);
  CUresult result = current.table->memAlloc(&address, bytes);
  if (captured)
    current.table->threadExchangeStreamCaptureMode(&mode);
  return result;
}

Result allocate(const Current &current, size_t bytes, bool captured, void *&scratch) {
  CUdeviceptr address = 0;
  if (CUresult result = allocateMemory(current, address, bytes, captured); result != CUDA_SUCCESS)
    return Result(toCudaError(result), "cuMemAlloc", std::to_string(bytes) + " bytes were asked for");
  atDeviceReset(forget);
  scratch = reinterpret_cast<void *>(address);
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.inUse[scratch] = {current.device, bytes};
  return {};
}

CUdeviceptr toDevice(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

} // namespace

bool isCaptured(int64_t stream) {
  Current current;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return currentContext(current).ok() && current.table->streamIsCapturing(toStream(stream), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

Result takeScratch(int64_t bytes, int64_t stream, void *&scratch) {
  Current current;
  scratch = nullptr;
  if (Result result = currentContext(current); !result)
    return result;
  size_t size = roundUp(static_cast<size_t>(bytes));
  scratch = reuse(current.device, size, stream);
  if (!scratch)
    if (Result result = allocate(current, size, isCaptured(stream), scratch); !result)
      return result;
  CUresult result = current.table->memsetD8Async(toDevice(scratch), 0, static_cast<size_t>(bytes), toStream(stream));
  if (result != CUDA_SUCCESS) {
    giveScratchBack(scratch);
    scratch = nullptr;
  }
  return Result(result, "cuMemsetD8Async");
}

Result fetchScratch(void *host, const void *scratch, int64_t bytes, int64_t stream) {
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  CUstream handle = toStream(stream);
  CUresult result = current.table->memcpyDtoHAsync(host, toDevice(scratch), static_cast<size_t>(bytes), handle);
  if (result == CUDA_SUCCESS)
    result = current.table->streamSynchronize(handle);
  return Result(result, "fetching the result of a reduction");
}

Result waitForStream(int64_t stream) {
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  return Result(current.table->streamSynchronize(toStream(stream)), "waiting for the result of a reduction");
}

/// Moves the piece at `scratch` from what is in use to what is free, or out of the pool.
static void release(void *scratch, bool toPool, bool isBusy, int64_t stream) {
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.inUse.find(scratch);
  if (found == all.inUse.end())
    return;
  if (toPool)
    all.free[found->second.first].push_back({scratch, found->second.second, isBusy, stream});
  all.inUse.erase(found);
}

void giveScratchBack(void *scratch) { release(scratch, /*toPool=*/true, /*isBusy=*/false, 0); }

void giveScratchBackInOrder(void *scratch, int64_t stream) {
  release(scratch, /*toPool=*/!isCaptured(stream), /*isBusy=*/true, stream);
}

} // namespace cufort::rt
