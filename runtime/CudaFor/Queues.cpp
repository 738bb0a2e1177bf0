// The asynchronous queues of module openacc: each is a stream of the device that the thread has chosen.
#include "runtime/Context/Context.h"
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/DefaultStream.h"
#include <map>
#include <mutex>
#include <vector>

namespace cufort::rt {

namespace {

/// Queues with the same number modulo this share a stream, which OpenACC allows.
constexpr int queueCount = 32;
/// acc_async_noval
constexpr int noQueueGiven = -1;

thread_local int defaultQueue = 0;

/// The streams of the queues, by device and queue. Thread-safe.
class QueueTable {
public:
  Result streamOf(const Current &current, int queue, int64_t &stream) {
    std::lock_guard<std::mutex> lock(mutex);
    auto place = std::pair(current.device, queue % queueCount);
    auto known = streams.find(place);
    if (known == streams.end()) {
      CUstream handle = nullptr;
      if (CUresult code = current.table->streamCreate(&handle, CU_STREAM_DEFAULT))
        return Result(code, "cuStreamCreate");
      known = streams.emplace(place, static_cast<int64_t>(reinterpret_cast<uintptr_t>(handle))).first;
    }
    stream = known->second;
    return {};
  }

  void setStream(const Current &current, int queue, int64_t stream) {
    std::lock_guard<std::mutex> lock(mutex);
    streams[{current.device, queue % queueCount}] = stream;
  }

  std::vector<int64_t> streamsOf(int device) {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<int64_t> found;
    for (auto &[place, stream] : streams)
      if (place.first == device)
        found.push_back(stream);
    return found;
  }

  /// The streams end with the context of `device`; -1: of all devices.
  void forget(int device) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto at = streams.begin(); at != streams.end();)
      at = device < 0 || at->first.first == device ? streams.erase(at) : std::next(at);
  }

private:
  std::mutex mutex;
  std::map<std::pair<int, int>, int64_t> streams;
};

/// Never destroyed: other threads may be using it at the end of the program.
QueueTable &table() {
  static QueueTable *only = [] {
    atDeviceReset([](int device) { table().forget(device); });
    return new QueueTable;
  }();
  return *only;
}

int resolved(int queue) { return queue == noQueueGiven ? defaultQueue : queue; }

} // namespace

extern "C" {

int cufort_queueStream(int queue, int64_t *stream) {
  *stream = 0;
  if (resolved(queue) < 0)
    return cudaSuccess;
  return withContext([=](const Current &current) { return table().streamOf(current, resolved(queue), *stream); });
}

int cufort_setQueueStream(int queue, int64_t stream) {
  if (resolved(queue) < 0)
    return cudaSuccess;
  return withContext([=](const Current &current) {
    table().setStream(current, resolved(queue), stream);
    return Result();
  });
}

int cufort_queryQueues() {
  return withContext([](const Current &current) {
    std::vector<int64_t> streams = table().streamsOf(current.device);
    streams.push_back(0);
    for (int64_t stream : streams)
      if (CUresult code = current.table->streamQuery(toStream(stream)))
        return Result(code, "cuStreamQuery");
    return Result();
  });
}

int cufort_defaultQueue(int *queue) {
  *queue = defaultQueue;
  return cudaSuccess;
}

int cufort_setDefaultQueue(int queue) {
  defaultQueue = queue;
  return cudaSuccess;
}

} // extern "C"

} // namespace cufort::rt
