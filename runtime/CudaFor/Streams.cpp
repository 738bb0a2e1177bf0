// Streams (guide 4.5).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/DefaultStream.h"

namespace cufort::rt {

namespace {

int64_t toNumber(CUstream stream) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(stream)); }

/// Default streams belong to arrays and scalars that have memory, or to addresses.
Result requireMemory(const Operand &operand) {
  return operand.address ? Result() : Result(cudaErrorInvalidValue, "a variable without memory");
}

} // namespace

extern "C" {

int cufort_cudaStreamCreate(int64_t *stream) { return cufort_cudaStreamCreateWithFlags(stream, CU_STREAM_DEFAULT); }

int cufort_cudaStreamCreateWithFlags(int64_t *stream, int flags) {
  return withContext([=](const Current &current) {
    CUstream handle = nullptr;
    Result result(current.table->streamCreate(&handle, static_cast<unsigned>(flags)), "cuStreamCreate");
    *stream = toNumber(handle);
    return result;
  });
}

int cufort_cudaStreamCreateWithPriority(int64_t *stream, int flags, int priority) {
  return withContext([=](const Current &current) {
    CUstream handle = nullptr;
    Result result(current.table->streamCreateWithPriority(&handle, static_cast<unsigned>(flags), priority),
                  "cuStreamCreateWithPriority");
    *stream = toNumber(handle);
    return result;
  });
}

int cufort_cudaStreamDestroy(Any stream) {
  return withContext([&](const Current &current) {
    return Result(current.table->streamDestroy(toStream(integerOf(stream))), "cuStreamDestroy");
  });
}

int cufort_cudaStreamGetPriority(Any stream, int *priority) {
  return withContext([&](const Current &current) {
    return Result(current.table->streamGetPriority(toStream(integerOf(stream)), priority), "cuStreamGetPriority");
  });
}

int cufort_cudaStreamQuery(Any stream) {
  return withContext([&](const Current &current) {
    return Result(current.table->streamQuery(toStream(integerOf(stream))), "cuStreamQuery");
  });
}

int cufort_cudaStreamSynchronize(Optional stream) {
  return withContext([=](const Current &current) {
    int64_t number = stream ? integerOf(*stream) : threadDefaultStream();
    Result result(current.table->streamSynchronize(toStream(number)), "cuStreamSynchronize");
    if (result.ok())
      noteSynchronized(number, false);
    return result;
  });
}

// What `stream=` in an array function of cudafor becomes, see frontend/Parse/ReductionStreams.cpp. Not of the module.
void cufort_wait_for_stream_(const int64_t *stream) {
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = Result(current.table->streamSynchronize(toStream(*stream)), "cuStreamSynchronize");
  requireSuccess(result, "stream= of an array function", nullptr, 0);
  noteSynchronized(*stream, false);
}

int cufort_cudaStreamWaitEvent(Any stream, const Event *event, const int *flags) {
  return withContext([&](const Current &current) {
    if (!event->handle)
      return Result(cudaErrorInvalidResourceHandle, "an event that was not created");
    return Result(current.table->streamWaitEvent(toStream(integerOf(stream)), event->handle,
                                                 static_cast<unsigned>(flags ? *flags : 0)),
                  "cuStreamWaitEvent");
  });
}

int cufort_cudaStreamAttachMemAsync(Any stream, Any memory, Optional length, const int *flags) {
  return withContext([&](const Current &current) {
    size_t bytes = 0;
    if (Result result = bytesOf(length ? integerOf(*length) : 0, 1, bytes); !result)
      return result;
    unsigned attachment = flags ? static_cast<unsigned>(*flags) : CU_MEM_ATTACH_SINGLE;
    return Result(
        current.table->streamAttachMemAsync(toStream(integerOf(stream)), operandOf(memory).device(), bytes, attachment),
        "cuStreamAttachMemAsync");
  });
}

int64_t cufort_cudaforGetDefaultStream(Optional variable) {
  return variable ? defaultStreamFor(operandOf(*variable).address) : threadDefaultStream();
}

int cudaforSetThreadDefaultStream(Any stream) {
  setThreadDefaultStream(integerOf(stream));
  return finishCall({});
}

int cudaforSetVariableDefaultStream(Any variable, Any stream) {
  Operand operand = operandOf(variable);
  Result result = requireMemory(operand);
  if (result.ok())
    setVariableDefaultStream(operand.address, integerOf(stream));
  return finishCall(result);
}

} // extern "C"

} // namespace cufort::rt
