// Streams and events in device code. A thread does at once what it puts into a stream, in the order of its statements,
// which is an order that all streams and events allow: nothing waits, and a handle is a number by which the routines
// know that it is one. Handles of host code are none here.

#include "codegen/DeviceLibrary/RuntimeOrder.h"

using namespace cufort::device;

namespace {

/// What no driver gives: addresses have at most 57 bits.
constexpr unsigned long streamMark = 0x5354524541UL << 24, eventMark = 0x4556454E54UL << 24, numberBits = 0xFFFFFF;

unsigned streams = 0, events = 0;

/// Any number but 0, of those that others have not got lately.
unsigned long nextNumber(unsigned &counter) {
  return __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED) % numberBits + 1;
}

bool has(unsigned long handle, unsigned long mark) { return (handle & ~numberBits) == mark && (handle & numberBits); }

bool isStreamOfDevice(long stream) { return has(stream, streamMark); }

bool isEvent(const unsigned long *event) { return has(*event, eventMark); }

} // namespace

bool cufort::device::isStream(long stream) {
  constexpr long lastOfAll = 2; // cudaStreamPerThread
  return (stream >= 0 && stream <= lastOfAll) || isStreamOfDevice(stream);
}

extern "C" {

int cufort_cudaStreamCreateWithFlags(unsigned long *stream, int flags) {
  constexpr int nonBlocking = 1;
  *stream = 0;
  if (flags & ~nonBlocking)
    return InvalidValue;
  *stream = streamMark | nextNumber(streams);
  return Success;
}

int cufort_cudaStreamDestroy(const Descriptor *stream) {
  return isStreamOfDevice(integerOf(*stream)) ? Success : InvalidHandle;
}

int cufort_cudaEventCreateWithFlags(unsigned long *event, int flags) {
  constexpr int blockingSync = 1, disableTiming = 2;
  *event = 0;
  if (flags & ~(blockingSync | disableTiming))
    return InvalidValue;
  *event = eventMark | nextNumber(events);
  return Success;
}

int cufort_cudaEventDestroy(const unsigned long *event) { return isEvent(event) ? Success : InvalidHandle; }

int cufort_cudaEventRecord(const unsigned long *event, const Descriptor *stream) {
  return isEvent(event) && (!stream || isStream(integerOf(*stream))) ? Success : InvalidHandle;
}

int cufort_cudaStreamWaitEvent(const Descriptor *stream, const unsigned long *event, const int *flags) {
  if (!isEvent(event) || !isStream(integerOf(*stream)))
    return InvalidHandle;
  return flags && *flags ? InvalidValue : Success;
}

} // extern "C"
