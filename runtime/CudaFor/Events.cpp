// Events (guide 4.6).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/DefaultStream.h"

namespace cufort::rt {

namespace {

Result notCreated() { return Result(cudaErrorInvalidResourceHandle, "an event that was not created"); }

} // namespace

extern "C" {

int cufort_cudaEventCreate(Event *event) { return cufort_cudaEventCreateWithFlags(event, CU_EVENT_DEFAULT); }

int cufort_cudaEventCreateWithFlags(Event *event, int flags) {
  return withContext([=](const Current &current) {
    event->handle = nullptr;
    return Result(current.table->eventCreate(&event->handle, static_cast<unsigned>(flags)), "cuEventCreate");
  });
}

int cufort_cudaEventDestroy(const Event *event) {
  return withContext([=](const Current &current) {
    return event->handle ? Result(current.table->eventDestroy(event->handle), "cuEventDestroy") : notCreated();
  });
}

int cufort_cudaEventElapsedTime(float *milliseconds, const Event *start, const Event *end) {
  return withContext([=](const Current &current) {
    if (!start->handle || !end->handle)
      return notCreated();
    return Result(current.table->eventElapsedTime(milliseconds, start->handle, end->handle), "cuEventElapsedTime");
  });
}

int cufort_cudaEventQuery(const Event *event) {
  return withContext([=](const Current &current) {
    return event->handle ? Result(current.table->eventQuery(event->handle), "cuEventQuery") : notCreated();
  });
}

int cufort_cudaEventRecord(const Event *event, Optional stream) {
  return withContext([=](const Current &current) {
    if (!event->handle)
      return notCreated();
    return Result(current.table->eventRecord(event->handle, toStream(streamOf(stream))), "cuEventRecord");
  });
}

int cufort_cudaEventSynchronize(const Event *event) {
  return withContext([=](const Current &current) {
    return event->handle ? Result(current.table->eventSynchronize(event->handle), "cuEventSynchronize") : notCreated();
  });
}

} // extern "C"

} // namespace cufort::rt
