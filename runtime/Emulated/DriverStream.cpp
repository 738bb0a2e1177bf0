// Streams and events. All work is done at the call, in order, so streams are always idle and events only take times.
#include "runtime/Emulated/EmulatedContext.h"
#include "runtime/Support/FloatTraps.h"

namespace cufort::rt::emulated {

static CUresult makeStream(CUstream *stream, unsigned flags, int priority) {
  CUFORT_EMULATED_ENTER(context);
  if (!stream || (flags & ~unsigned(CU_STREAM_NON_BLOCKING)))
    return CUDA_ERROR_INVALID_VALUE;
  *stream = context.streams.add(std::make_unique<Stream>(Stream{flags, priority}));
  return CUDA_SUCCESS;
}

static CUresult streamCreate(CUstream *stream, unsigned flags) { return makeStream(stream, flags, 0); }

// A priority outside the range, which is 0 to 0, is clamped to it.
static CUresult streamCreateWithPriority(CUstream *stream, unsigned flags, int) { return makeStream(stream, flags, 0); }

static CUresult streamDestroy(CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  return context.streams.remove(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// The outcome of a function that only needs to know `stream`.
static CUresult useStream(CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  return context.knows(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Returns `result`, which ends what has been captured so far, if anything.
static CUresult spoil(Capture *capture, CUresult result) {
  if (capture)
    capture->invalidate();
  return result;
}

/// The outcome of waiting for `stream`, or of asking whether it is idle.
static CUresult awaitStream(CUstream stream) {
  Capture *capture = captureOf(stream);
  return capture ? spoil(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : useStream(stream);
}

static CUresult streamGetPriority(CUstream stream, int *priority) {
  if (!priority)
    return CUDA_ERROR_INVALID_VALUE;
  *priority = 0;
  return useStream(stream);
}

static CUresult streamGetFlags(CUstream stream, unsigned *flags) {
  CUFORT_EMULATED_ENTER(context);
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  const Stream *found = context.streams.find(stream);
  *flags = found ? found->flags : 0;
  return useStream(stream);
}

static CUresult streamWaitEvent(CUstream stream, CUevent event, unsigned) {
  CUFORT_EMULATED_ENTER(context);
  const Event *found = context.events.find(event);
  if (!found || !context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  Capture *own = captureOf(stream);
  if (!found->capture || !found->capture->isActive())
    return own ? spoil(own, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_SUCCESS;
  Stream *waiting = context.streamOf(stream);
  if (!waiting)
    return spoil(found->capture.get(), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (own && waiting->capture != found->capture) {
    own->invalidate();
    return spoil(found->capture.get(), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  waiting->capture = found->capture;
  found->capture->follow(stream, found->steps);
  return CUDA_SUCCESS;
}

static CUresult launchHostFunc(CUstream stream, CUhostFn function, void *userData) {
  if (CUresult result = useStream(stream); result != CUDA_SUCCESS)
    return result;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  auto call = [=] {
    function(userData);
    return CUDA_SUCCESS;
  };
  Capture *capture = captureOf(stream);
  return capture ? capture->add(stream, call) : call();
}

static CUresult eventCreate(CUevent *event, unsigned flags) {
  CUFORT_EMULATED_ENTER(context);
  if (!event)
    return CUDA_ERROR_INVALID_VALUE;
  *event = context.events.add(std::make_unique<Event>(Event{flags}));
  return CUDA_SUCCESS;
}

static CUresult eventDestroy(CUevent event) {
  CUFORT_EMULATED_ENTER(context);
  return context.events.remove(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult eventRecord(CUevent event, CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  Event *found = context.events.find(event);
  if (!found || !context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  found->capture = captureOf(stream) ? context.streamOf(stream)->capture : nullptr;
  if (found->capture) {
    found->steps = found->capture->stepsBefore(stream);
    return CUDA_SUCCESS;
  }
  found->recorded = true;
  found->time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

/// The outcome of asking whether, or waiting until, an event has happened.
static CUresult useEvent(CUevent event) {
  CUFORT_EMULATED_ENTER(context);
  const Event *found = context.events.find(event);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  return found->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
}

static CUresult eventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  CUFORT_EMULATED_ENTER(context);
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  const Event *first = context.events.find(start), *last = context.events.find(end);
  auto hasTime = [](const Event *event) {
    return event && event->recorded && !(event->flags & CU_EVENT_DISABLE_TIMING);
  };
  if (!hasTime(first) || !hasTime(last))
    return CUDA_ERROR_INVALID_HANDLE;
  ExceptionsOff exceptionsOff;
  *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
  return CUDA_SUCCESS;
}

void addStreamFunctions(DriverTable &table) {
  table.streamCreate = streamCreate;
  table.streamCreateWithPriority = streamCreateWithPriority;
  table.streamDestroy = streamDestroy;
  table.streamGetPriority = streamGetPriority;
  table.streamGetFlags = streamGetFlags;
  table.streamQuery = awaitStream;
  table.streamSynchronize = awaitStream;
  table.streamWaitEvent = streamWaitEvent;
  table.launchHostFunc = launchHostFunc;
  table.eventCreate = eventCreate;
  table.eventDestroy = eventDestroy;
  table.eventRecord = eventRecord;
  table.eventQuery = useEvent;
  table.eventSynchronize = useEvent;
  table.eventElapsedTime = eventElapsedTime;
}

} // namespace cufort::rt::emulated
