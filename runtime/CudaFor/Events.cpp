// Events (guide 4.6).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/DefaultStream.h"
#include <atomic>
#include <mutex>
#include <unordered_set>

namespace cufort::rt {

namespace {

Result notCreated() { return Result(cudaErrorInvalidResourceHandle, "an event that was not created"); }

Result notRecorded() { return Result(cudaErrorInvalidValue, "an event that was not recorded"); }

/// Events that were created and not recorded yet, which the guide wants to be errors and the driver takes for done.
/// Never destroyed, because exit handlers may come here.
class NewEvents {
public:
  static NewEvents &instance() {
    static auto *events = new NewEvents;
    return *events;
  }

  void add(CUevent event) {
    std::lock_guard<std::mutex> lock(mutex);
    events.insert(event);
    count.store(events.size(), std::memory_order_relaxed);
  }

  void remove(CUevent event) {
    if (count.load(std::memory_order_relaxed) == 0)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    events.erase(event);
    count.store(events.size(), std::memory_order_relaxed);
  }

  bool has(CUevent event) {
    if (count.load(std::memory_order_relaxed) == 0)
      return false;
    std::lock_guard<std::mutex> lock(mutex);
    return events.count(event) != 0;
  }

private:
  std::mutex mutex;
  std::unordered_set<CUevent> events;
  std::atomic<size_t> count{0};
};

/// True if `event` was never recorded. Functions of C may have recorded it, and then the driver knows a time.
bool isUnrecorded(const Current &current, CUevent event) {
  float none = 0;
  return NewEvents::instance().has(event) &&
         current.table->eventElapsedTime(&none, event, event) == CUDA_ERROR_INVALID_HANDLE;
}

/// The outcome of `ask`, a function of the driver, for an event that was created and recorded.
int askRecorded(const Event &event, CUresult (*DriverTable::*ask)(CUevent), const char *name) {
  return withContext([&](const Current &current) {
    if (!event.handle)
      return notCreated();
    if (isUnrecorded(current, event.handle))
      return notRecorded();
    return Result((current.table->*ask)(event.handle), name);
  });
}

} // namespace

extern "C" {

int cufort_cudaEventCreate(Event *event) { return cufort_cudaEventCreateWithFlags(event, CU_EVENT_DEFAULT); }

int cufort_cudaEventCreateWithFlags(Event *event, int flags) {
  return withContext([=](const Current &current) {
    event->handle = nullptr;
    Result result(current.table->eventCreate(&event->handle, static_cast<unsigned>(flags)), "cuEventCreate");
    if (result.ok())
      NewEvents::instance().add(event->handle);
    return result;
  });
}

int cufort_cudaEventDestroy(const Event *event) {
  return withContext([=](const Current &current) {
    if (!event->handle)
      return notCreated();
    NewEvents::instance().remove(event->handle);
    return Result(current.table->eventDestroy(event->handle), "cuEventDestroy");
  });
}

int cufort_cudaEventElapsedTime(float *milliseconds, const Event *start, const Event *end) {
  return withContext([=](const Current &current) {
    if (!start->handle || !end->handle)
      return notCreated();
    if (isUnrecorded(current, start->handle) || isUnrecorded(current, end->handle))
      return notRecorded();
    return Result(current.table->eventElapsedTime(milliseconds, start->handle, end->handle), "cuEventElapsedTime");
  });
}

int cufort_cudaEventQuery(const Event *event) { return askRecorded(*event, &DriverTable::eventQuery, "cuEventQuery"); }

int cufort_cudaEventRecord(const Event *event, Optional stream) {
  return withContext([=](const Current &current) {
    if (!event->handle)
      return notCreated();
    NewEvents::instance().remove(event->handle);
    return Result(current.table->eventRecord(event->handle, toStream(streamOf(stream))), "cuEventRecord");
  });
}

int cufort_cudaEventSynchronize(const Event *event) {
  return askRecorded(*event, &DriverTable::eventSynchronize, "cuEventSynchronize");
}

} // extern "C"

} // namespace cufort::rt
