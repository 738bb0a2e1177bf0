#include "runtime/Launch/Scratch.h"
#include "runtime/ABI/ReductionScratch.h"
#include "runtime/Context/RelaxedCapture.h"
#include "runtime/Stream/DefaultStream.h"
#include <chrono>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace cufort::rt {

namespace {

struct Piece {
  char *address;                  ///< slot 0, in device memory
  size_t slots;                   ///< from slot 0 on
  CufortReductionResult *results; ///< in host memory
  size_t count;                   ///< of results, and of the slots before `address`
};

struct FreePiece {
  Piece piece;
  bool isBusy; ///< earlier work on `stream` may still use it
  int64_t stream;
};

struct UsedPiece {
  Piece piece;
  int device;
};

/// Never destroyed, because exit handlers may come here. What is in it goes with the context.
struct Pool {
  std::mutex mutex;
  std::vector<FreePiece> free[maxDevices];
  std::map<const void *, UsedPiece> inUse;
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
    it = device < 0 || it->second.device == device ? all.inUse.erase(it) : std::next(it);
}

size_t roundUp(size_t value, size_t least) {
  while (least < value)
    least *= 2;
  return least;
}

/// Takes a free piece that is at least as large as `wanted` for `stream` out of the pool; false if there is none.
bool reuse(int device, const Piece &wanted, int64_t stream, Piece &piece) {
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<FreePiece> &free = all.free[device];
  // A graph may be launched on any stream.
  bool inOrder = !isCaptured(stream);
  for (size_t i = 0; i < free.size(); ++i) {
    bool isUsed = free[i].isBusy && !(inOrder && free[i].stream == stream);
    piece = free[i].piece;
    if (piece.slots < wanted.slots || piece.count < wanted.count || isUsed)
      continue;
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
    all.inUse[piece.address] = {piece, device};
    return true;
  }
  return false;
}

CUdeviceptr toDevice(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

/// Sets the counters of `piece` to zero, and its slot 0 to the address of its results. Does not wait for other streams,
/// nor they for it: one of them may be captured.
CUresult initialize(const DriverTable &table, const Piece &piece) {
  CUstream stream = nullptr;
  CUresult result = table.streamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS)
    return result;
  size_t counterBytes = piece.count * CUFORT_REDUCTION_SLOT_BYTES;
  result = table.memsetD8Async(toDevice(piece.address - counterBytes), 0, counterBytes, stream);
  if (result == CUDA_SUCCESS)
    result = table.memcpyHtoDAsync(toDevice(piece.address), &piece.results, sizeof piece.results, stream);
  if (result == CUDA_SUCCESS)
    result = table.streamSynchronize(stream);
  table.streamDestroy(stream);
  return result;
}

size_t bytesOf(const Piece &piece) { return (piece.count + piece.slots) * CUFORT_REDUCTION_SLOT_BYTES; }

/// Allocates the memory of `piece`, of the sizes in it.
CUresult allocateMemory(const DriverTable &table, Piece &piece) {
  CUdeviceptr address = 0;
  void *results = nullptr;
  CUresult result = table.memAlloc(&address, bytesOf(piece));
  if (result != CUDA_SUCCESS)
    return result;
  result =
      table.memHostAlloc(&results, piece.count * sizeof *piece.results, memHostAllocPortable | memHostAllocDeviceMap);
  piece.address = reinterpret_cast<char *>(address) + piece.count * CUFORT_REDUCTION_SLOT_BYTES;
  piece.results = static_cast<CufortReductionResult *>(results);
  if (result == CUDA_SUCCESS)
    result = initialize(table, piece);
  if (result == CUDA_SUCCESS)
    return result;
  table.memFree(address);
  if (results)
    table.memFreeHost(results);
  return result;
}

/// Allocates also while a stream of this thread is captured.
Result allocate(const Current &current, bool captured, Piece &piece) {
  std::optional<RelaxedCapture> relaxed;
  if (captured)
    relaxed.emplace(current);
  CUresult result = allocateMemory(*current.table, piece);
  relaxed.reset();
  if (result != CUDA_SUCCESS)
    return Result(toCudaError(result), "cuMemAlloc", std::to_string(bytesOf(piece)) + " bytes were asked for");
  atDeviceReset(forget);
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.inUse[piece.address] = {piece, current.device};
  return {};
}

/// Makes `piece` ready for a launch with `count` reductions.
CUresult prepare(const DriverTable &table, const Piece &piece, int count, int64_t stream) {
  for (int i = 0; i < count; ++i)
    piece.results[i].isThere = 0;
  if (!usingEmulatedDevice())
    return CUDA_SUCCESS;
  // No block of the emulated device knows that it is the last one, which would do this on a GPU.
  size_t bytes = static_cast<size_t>(count) * CUFORT_REDUCTION_SLOT_BYTES;
  return table.memsetD8Async(toDevice(piece.address - bytes), 0, bytes, toStream(stream));
}

/// True if the host may look for results while the kernel runs, instead of asking the driver: where managed memory can
/// be read then, and no one has asked for threads that sleep or yield while they wait.
bool mayPoll(const Current &current) {
  int isConcurrent = 0;
  unsigned flags = 0;
  CUdevice device = 0;
  return !usingEmulatedDevice() && current.table->deviceGet(&device, current.device) == CUDA_SUCCESS &&
         current.table->deviceGetAttribute(&isConcurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device) ==
             CUDA_SUCCESS &&
         isConcurrent && current.table->ctxGetFlags(&flags) == CUDA_SUCCESS &&
         !(flags & (CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_SCHED_YIELD));
}

bool areThere(const CufortReductionResult *results, int count) {
  for (int i = 0; i < count; ++i)
    if (!__atomic_load_n(&results[i].isThere, __ATOMIC_ACQUIRE))
      return false;
  return true;
}

/// Looks for the results for a millisecond at most: a longer wait costs little more if the driver does it. Returns
/// false also if the stream has nothing to do any more or has failed.
bool pollFor(const Current &current, const CufortReductionResult *results, int count, CUstream stream) {
  using Clock = std::chrono::steady_clock;
  constexpr int looks = 512;
  if (!mayPoll(current))
    return false;
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(1);
  do {
    for (int i = 0; i < looks; ++i) {
      if (areThere(results, count))
        return true;
      __builtin_ia32_pause();
    }
    if (current.table->streamQuery(stream) != CUDA_ERROR_NOT_READY)
      return false;
  } while (Clock::now() < end);
  return false;
}

CufortReductionResult *resultsOf(const void *scratch) {
  Pool &all = pool();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.inUse.find(scratch);
  return found == all.inUse.end() ? nullptr : found->second.piece.results;
}

} // namespace

bool isCaptured(int64_t stream) {
  Current current;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return currentContext(current).ok() && current.table->streamIsCapturing(toStream(stream), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

Result takeScratch(int count, int64_t blocks, int64_t stream, void *&scratch) {
  Current current;
  scratch = nullptr;
  if (Result result = currentContext(current); !result)
    return result;
  size_t slots = 1 + static_cast<size_t>(count) * static_cast<size_t>(blocks);
  Piece wanted = {nullptr, roundUp(slots, 192), nullptr, roundUp(static_cast<size_t>(count), 64)};
  Piece piece = wanted;
  if (!reuse(current.device, wanted, stream, piece)) {
    piece = wanted;
    if (Result result = allocate(current, isCaptured(stream), piece); !result)
      return result;
  }
  CUresult result = prepare(*current.table, piece, count, stream);
  if (result == CUDA_SUCCESS)
    scratch = piece.address;
  else
    giveScratchBack(piece.address);
  return Result(result, "cuMemsetD8Async");
}

Result fetchResults(void *host, void *scratch, int count, int64_t stream) {
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  const CufortReductionResult *results = resultsOf(scratch);
  if (!results)
    return Result(cudaErrorContextIsDestroyed, "fetching the result of a reduction");
  if (!pollFor(current, results, count, toStream(stream)))
    if (Result result = waitForStream(stream); !result)
      return result;
  for (int i = 0; i < count; ++i)
    std::memcpy(static_cast<char *>(host) + i * CUFORT_REDUCTION_SLOT_BYTES, results[i].value, sizeof results[i].value);
  return {};
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
    all.free[found->second.device].push_back({found->second.piece, isBusy, stream});
  all.inUse.erase(found);
}

void giveScratchBack(void *scratch) { release(scratch, /*toPool=*/true, /*isBusy=*/false, 0); }

void giveScratchBackInOrder(void *scratch, int64_t stream) {
  release(scratch, /*toPool=*/!isCaptured(stream), /*isBusy=*/true, stream);
}

} // namespace cufort::rt
