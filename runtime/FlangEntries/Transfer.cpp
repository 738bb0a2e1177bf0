// Entries of Flang's CUDA runtime that assignments become.
#include "runtime/FlangEntries/Transfer.h"
#include "runtime/FlangEntries/Allocators.h"
#include "runtime/FlangEntries/Sync.h"
#include "runtime/FlangEntries/Temporary.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace cufort::rt;

extern "C" {
int _FortranAAllocatableAllocate(FortranDescriptor &, int64_t *stream, bool hasStat, const FortranDescriptor *errMsg,
                                 const char *file, int line, void *(*copy)(void *, const void *, size_t));
int _FortranAAllocatableDeallocate(FortranDescriptor &, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                                   int line);
}

namespace {

constexpr const char *transfer = "data transfer";

bool toDevice(CopyMode mode) { return mode == CopyMode::HostToDevice || mode == CopyMode::DeviceToDevice; }

bool fromDevice(CopyMode mode) { return mode == CopyMode::DeviceToHost || mode == CopyMode::DeviceToDevice; }

/// The stream that an assignment uses: that of its target if the target is bound, else that of its source.
int64_t streamOf(const void *dst, const void *src, CopyMode mode) {
  int64_t stream = 0;
  if (toDevice(mode) && variableDefaultStream(dst, stream))
    return stream;
  if (fromDevice(mode) && variableDefaultStream(src, stream))
    return stream;
  return threadDefaultStream();
}

void noteDone(int64_t stream, CopyMode mode) {
  if (mode == CopyMode::DeviceToHost)
    noteSynchronized(stream, /*allStreams=*/false);
}

Result copyMemory(void *dst, const void *src, size_t bytes, CopyMode mode) {
  bool isTemporary = takeTemporary();
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  int64_t stream = streamOf(dst, src, mode);
  Result result;
  if (isTemporary && mode == CopyMode::HostToDevice && isCaptured(current, stream))
    result = copyTemporaryInGraph(current, dst, src, bytes, stream);
  else
    result = copyBytes(current, dst, src, bytes, mode, stream);
  if (result.ok())
    noteDone(stream, mode);
  return result;
}

/// Broadcasts the element at `value` to `dst`.
Result broadcast(const Current &current, const StridedArray &dst, const void *value, CopyMode mode, int64_t stream) {
  if (!fromDevice(mode))
    return fillArray(current, dst, value, toDevice(mode), stream);
  std::unique_ptr<char, decltype(&std::free)> element(static_cast<char *>(std::malloc(dst.elementBytes)), &std::free);
  if (!element)
    return Result(cudaErrorMemoryAllocation, "malloc");
  Result result = copyBytes(current, element.get(), value, dst.elementBytes, CopyMode::DeviceToHost, stream);
  if (result.ok() && stream)
    result = Result(current.table->streamSynchronize(toStream(stream)), "cuStreamSynchronize");
  return result.ok() ? fillArray(current, dst, element.get(), toDevice(mode), stream) : result;
}

std::string shapeText(const FortranDescriptor &descriptor) {
  std::string text = "(";
  for (int i = 0; i < descriptor.rank; ++i)
    text += (i ? "," : "") + std::to_string(descriptor.dim[i].extent);
  return text + ")";
}

Result shapesDiffer(const FortranDescriptor &dst, const FortranDescriptor &src) {
  return Result(cudaErrorInvalidValue, transfer,
                "an array of shape " + shapeText(src) + " cannot be assigned to one of shape " + shapeText(dst));
}

Result copyDifferentShapes(const Current &current, const FortranDescriptor &dst, const FortranDescriptor &src,
                           CopyMode mode, int64_t stream) {
  StridedArray to = arrayOf(dst), from = arrayOf(src);
  if (to.elements() > from.elements() || !to.isContiguous() || !from.isContiguous())
    return shapesDiffer(dst, src);
  return copyBytes(current, to.base, from.base, to.elements() * to.elementBytes, mode, stream);
}

Result deallocate(FortranDescriptor &dst) {
  (void)takeAllocationFailure();
  int stat = _FortranAAllocatableDeallocate(dst, /*hasStat=*/true, nullptr, nullptr, 0);
  Result failure = takeAllocationFailure();
  if (stat != 0 && failure.ok())
    return Result(cudaErrorUnknown, "deallocating the target of an assignment");
  return failure;
}

bool sharesMemory(const FortranDescriptor &a, const FortranDescriptor &b) {
  StridedArray array = arrayOf(a);
  size_t bytes = array.elements() * array.elementBytes;
  auto begin = reinterpret_cast<uintptr_t>(a.base), address = reinterpret_cast<uintptr_t>(b.base);
  return a.base && address - begin < bytes;
}

/// Gives the allocatable `dst` new memory of the shape of `src`. `old` becomes a descriptor of the memory that it had,
/// if that has to live until `src` has been read, else one without memory.
Result reallocate(FortranDescriptor &dst, const FortranDescriptor &src, FortranDescriptor &old) {
  std::memcpy(&old, &dst, dst.sizeInBytes());
  if (dst.base && !sharesMemory(dst, src)) {
    if (Result result = deallocate(dst); !result)
      return result;
    old.base = nullptr;
  }
  dst.base = nullptr;
  dst.elementBytes = src.elementBytes; // which differ in strings of deferred length only
  for (int i = 0; i < dst.rank; ++i) {
    dst.dim[i].lowerBound = src.dim[i].lowerBound;
    dst.dim[i].extent = src.dim[i].extent;
  }
  // The assignment that follows gives all values.
  int stat = withoutType(dst, [&] {
    return _FortranAAllocatableAllocate(dst, nullptr, /*hasStat=*/true, nullptr, nullptr, 0, std::memcpy);
  });
  Result failure = takeAllocationFailure();
  if (stat != 0 && failure.ok())
    return Result(cudaErrorMemoryAllocation, "allocating the target of an assignment");
  return failure;
}

/// An assignment that gives an allocatable target the shape of its source.
Result assignReallocating(FortranDescriptor &dst, const FortranDescriptor &src, CopyMode mode, const char *file,
                          int line) {
  FortranDescriptor old = {};
  if (Result result = reallocate(dst, src, old); !result)
    return result;
  syncIfGlobal(dst, file, line);
  Result result = assignArray(dst, src, mode);
  if (!old.base)
    return result;
  Result released = deallocate(old);
  return result.ok() ? released : result;
}

bool isString(const FortranDescriptor &descriptor) {
  // Flang's numbers for strings of 1, 2 and 4 bytes a character, as in its ISO_Fortran_binding.h.
  return descriptor.type == 40 || descriptor.type == 43 || descriptor.type == 44;
}

/// A string of another length belongs to an allocatable of deferred length: what else there is comes with its length
/// (mlir-dialects/Cufx/Transforms/StringTransfers.cpp).
bool needsReallocation(const FortranDescriptor &dst, const FortranDescriptor &src) {
  if (!dst.isAllocatable() || src.rank != dst.rank)
    return false;
  return !dst.base || !sameShape(dst, src) || (isString(dst) && dst.elementBytes != src.elementBytes);
}

} // namespace

CopyMode cufort::rt::copyMode(bool toDevice, bool fromDevice) {
  if (toDevice)
    return fromDevice ? CopyMode::DeviceToDevice : CopyMode::HostToDevice;
  return fromDevice ? CopyMode::DeviceToHost : CopyMode::HostToHost;
}

Result cufort::rt::assignArray(FortranDescriptor &dst, const FortranDescriptor &src, CopyMode mode) {
  if (!dst.base || !src.base)
    return Result(cudaErrorInvalidValue, transfer,
                  !dst.base ? "the target is not allocated" : "the right-hand side is not allocated");
  bool isTemporary = takeTemporary();
  if (dst.elementBytes != src.elementBytes)
    return Result(cudaErrorInvalidValue, transfer,
                  "elements of " + std::to_string(src.elementBytes) + " bytes cannot be assigned to elements of " +
                      std::to_string(dst.elementBytes));
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  int64_t stream = streamOf(dst.base, src.base, mode);
  Result result;
  if (src.rank == 0 && dst.rank > 0)
    result = broadcast(current, arrayOf(dst), src.base, mode, stream);
  else if (isTemporary && mode == CopyMode::HostToDevice && sameShape(dst, src) && isCaptured(current, stream))
    result = copyTemporaryInGraph(current, arrayOf(dst), arrayOf(src), stream);
  else if (sameShape(dst, src))
    result = copyArray(current, arrayOf(dst), arrayOf(src), mode, stream);
  else
    result = copyDifferentShapes(current, dst, src, mode, stream);
  if (result.ok())
    noteDone(stream, mode);
  return result;
}

extern "C" {

void _FortranACUFMemsetDescriptor(FortranDescriptor *dst, void *value, const char *file, int line) {
  StatementScope statement(file, line);
  reportPending();
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = fillArray(current, arrayOf(*dst), value, /*dstOnDevice=*/true, defaultStreamFor(dst->base));
  requireSuccess(result, transfer, file, line);
}

void _FortranACUFDataTransferPtrPtr(void *dst, void *src, size_t bytes, unsigned mode, const char *file, int line) {
  StatementScope statement(file, line);
  reportPending();
  requireSuccess(copyMemory(dst, src, bytes, static_cast<CopyMode>(mode)), transfer, file, line);
}

void _FortranACUFDataTransferPtrDesc(void *dst, FortranDescriptor *src, size_t bytes, unsigned mode, const char *file,
                                     int line) {
  StatementScope statement(file, line);
  reportPending();
  FortranDescriptor target = {};
  target.base = dst;
  describeContiguous(target, *src);
  Result result;
  // A scalar for all of the target, or an array as large as the target.
  if (src->rank == 0 && bytes > src->elementBytes && src->elementBytes) {
    target.rank = 1;
    target.dim[0] = {1, static_cast<int64_t>(bytes / src->elementBytes), static_cast<int64_t>(src->elementBytes)};
  }
  result = assignArray(target, *src, static_cast<CopyMode>(mode));
  requireSuccess(result, transfer, file, line);
}

void _FortranACUFDataTransferDescDescNoRealloc(FortranDescriptor *dst, FortranDescriptor *src, unsigned mode,
                                               const char *file, int line) {
  StatementScope statement(file, line);
  reportPending();
  requireSuccess(assignArray(*dst, *src, static_cast<CopyMode>(mode)), transfer, file, line);
}

void _FortranACUFDataTransferDescDesc(FortranDescriptor *dst, FortranDescriptor *src, unsigned mode, const char *file,
                                      int line) {
  StatementScope statement(file, line);
  reportPending();
  auto copy = static_cast<CopyMode>(mode);
  Result result =
      needsReallocation(*dst, *src) ? assignReallocating(*dst, *src, copy, file, line) : assignArray(*dst, *src, copy);
  requireSuccess(result, transfer, file, line);
}

void _FortranACUFDataTransferCstDesc(FortranDescriptor *dst, FortranDescriptor *src, unsigned mode, const char *file,
                                     int line) {
  // An allocatable scalar needs no more to be allocated than this.
  bool isNew = !dst->base && dst->isAllocatable() && dst->rank == 0 && src->rank == 0;
  if (isNew)
    _FortranACUFDataTransferDescDesc(dst, src, mode, file, line);
  else
    _FortranACUFDataTransferDescDescNoRealloc(dst, src, mode, file, line);
}

void _FortranACUFDataTransferGlobalDescDesc(FortranDescriptor *dst, FortranDescriptor *src, unsigned mode,
                                            const char *file, int line) {
  _FortranACUFDataTransferDescDesc(dst, src, mode, file, line);
  syncIfGlobal(*dst, file, line);
}

} // extern "C"
