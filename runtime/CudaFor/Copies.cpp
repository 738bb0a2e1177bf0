// Copies between any two of host, device, managed and page-locked memory (guide 4.9). cuMemcpy finds out by itself on
// which side each address is, so contiguous memory needs no more than a count of bytes.
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CopyShape.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Memory/CopyPlan.h"
#include "runtime/Memory/CopyResult.h"
#include "runtime/Stream/DefaultStream.h"
#include <cstdlib>
#include <memory>

namespace cufort::rt {

namespace {

/// Whether a copy is queued, and where.
struct Order {
  bool queued = false;
  int64_t stream = 0;
};

/// Sets `unit` to the bytes that one of a count between `dst` and `src` stands for.
Result unitOf(const Operand &dst, const Operand &src, size_t &unit) {
  unit = dst.isAddress || src.isAddress ? 1 : dst.unit;
  if (unit != 1 && dst.unit != src.unit)
    return Result(cudaErrorInvalidValue, "arrays of different types");
  return {};
}

bool onDevice(const Current &current, const void *address) {
  // The plural form takes an address that the driver does not know for host memory, not for an error.
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  void *result = &type;
  return current.table->pointerGetAttributes(1, &attribute, &result, reinterpret_cast<CUdeviceptr>(address)) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

CopyMode modeOf(const Current &current, const void *dst, const void *src) {
  bool toDevice = onDevice(current, dst), fromDevice = onDevice(current, src);
  if (toDevice)
    return fromDevice ? CopyMode::DeviceToDevice : CopyMode::HostToDevice;
  return fromDevice ? CopyMode::DeviceToHost : CopyMode::HostToHost;
}

/// Copies the first `count` elements of the section `strided` to or from the contiguous memory at `dense`.
Result copyStrided(const Current &current, const StridedArray &strided, char *dense, size_t count, bool toStrided,
                   int64_t stream) {
  CopyMode mode = toStrided ? modeOf(current, strided.base, dense) : modeOf(current, dense, strided.base);
  for (const StridedArray &section : leadingSections(strided, count)) {
    StridedArray packed = packedLike(section, dense);
    const StridedArray &dst = toStrided ? section : packed, &src = toStrided ? packed : section;
    if (Result result = copyArray(current, dst, src, mode, stream); !result)
      return result;
    dense += section.elements() * section.elementBytes;
  }
  return {};
}

/// Two sections that are not contiguous, by way of host memory.
Result copyThroughHost(const Current &current, const StridedArray &dst, const StridedArray &src, size_t count,
                       int64_t stream) {
  std::unique_ptr<char, decltype(&std::free)> buffer(static_cast<char *>(std::malloc(count * dst.elementBytes)),
                                                     &std::free);
  if (!buffer)
    return Result(cudaErrorMemoryAllocation, "malloc");
  CUstream handle = toStream(stream);
  Result result = copyStrided(current, src, buffer.get(), count, false, stream);
  if (result.ok())
    result = Result(current.table->streamSynchronize(handle), "cuStreamSynchronize");
  if (result.ok())
    result = copyStrided(current, dst, buffer.get(), count, true, stream);
  // The buffer must outlive what is queued, whether all of it could be queued or not.
  Result finished(current.table->streamSynchronize(handle), "cuStreamSynchronize");
  return result.ok() ? finished : result;
}

/// Sections with gaps: elements are taken in array element order from both.
Result copySections(const Current &current, const Operand &dst, const Operand &src, size_t count, int64_t stream) {
  if ((!dst.isContiguous() && count > dst.array.elements()) || (!src.isContiguous() && count > src.array.elements()))
    return Result(cudaErrorInvalidValue, "count exceeds the section");
  if (dst.isAddress || src.isAddress)
    return Result(cudaErrorInvalidValue, "a section that is not contiguous and an address");
  if (dst.isContiguous())
    return copyStrided(current, src.array, dst.address, count, false, stream);
  if (src.isContiguous())
    return copyStrided(current, dst.array, src.address, count, true, stream);
  return copyThroughHost(current, dst.array, src.array, count, stream);
}

int copyElements(Any dstArgument, Any srcArgument, Any count, const int *direction, Order order) {
  return withContext([&](const Current &current) {
    Operand dst = operandOf(dstArgument), src = operandOf(srcArgument);
    size_t unit = 0, bytes = 0;
    Result result = checkDirection(direction);
    if (result.ok())
      result = unitOf(dst, src, unit);
    if (result.ok())
      result = bytesOf(integerOf(count), unit, bytes);
    if (!result || bytes == 0)
      return result;
    if (!dst.address || !src.address)
      return Result(cudaErrorInvalidValue, "an array that is not allocated");
    if (!dst.isContiguous() || !src.isContiguous())
      return copySections(current, dst, src, bytes / unit, order.stream);
    const DriverTable &table = *current.table;
    CUresult copied = order.queued ? table.memcpyAsync(dst.device(), src.device(), bytes, toStream(order.stream))
                                   : table.memcpy(dst.device(), src.device(), bytes);
    return copyResult(current, copied, "cuMemcpy", {dst.address, bytes}, {src.address, bytes});
  });
}

/// Pitches, width and height of a 2-D copy as passed.
struct Extents2D {
  Any dstPitch, srcPitch, width, height;
};

/// Fills `copy` in; leaves its width 0 if there is nothing to copy.
Result describe2D(const Operand &dst, const Operand &src, const Extents2D &extents, CUDA_MEMCPY2D &copy) {
  size_t unit = 0, dstPitch = 0, srcPitch = 0, width = 0, height = 0;
  Result result = unitOf(dst, src, unit);
  if (result.ok())
    result = bytesOf(integerOf(extents.dstPitch), unit, dstPitch);
  if (result.ok())
    result = bytesOf(integerOf(extents.srcPitch), unit, srcPitch);
  if (result.ok())
    result = bytesOf(integerOf(extents.width), unit, width);
  if (result.ok())
    result = bytesOf(integerOf(extents.height), 1, height);
  if (!result || width == 0 || height == 0)
    return result;
  if (dstPitch < width || srcPitch < width)
    return Result(cudaErrorInvalidPitchValue, "a pitch is smaller than the width");
  if (!dst.address || !src.address)
    return Result(cudaErrorInvalidValue, "an array that is not allocated");
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = dst.device();
  copy.srcDevice = src.device();
  copy.dstPitch = dstPitch;
  copy.srcPitch = srcPitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return {};
}

int copy2D(Any dst, Any src, const Extents2D &extents, const int *direction, Order order) {
  return withContext([&](const Current &current) {
    CUDA_MEMCPY2D copy = {};
    Result result = checkDirection(direction);
    if (result.ok())
      result = describe2D(operandOf(dst), operandOf(src), extents, copy);
    if (!result || copy.WidthInBytes == 0)
      return result;
    const DriverTable &table = *current.table;
    CUresult copied =
        order.queued ? table.memcpy2DAsync(&copy, toStream(order.stream)) : table.memcpy2DUnaligned(&copy);
    auto touched = [&](CUdeviceptr address, size_t pitch) {
      return Touched{reinterpret_cast<const void *>(address), bytesOfRows(copy.WidthInBytes, copy.Height, pitch)};
    };
    return copyResult(current, copied, "cuMemcpy2D", touched(copy.dstDevice, copy.dstPitch),
                      touched(copy.srcDevice, copy.srcPitch));
  });
}

Order queuedOn(int64_t stream) { return {true, stream}; }

} // namespace

extern "C" {

int cufort_cudaMemcpy(Any dst, Any src, Any count, const int *direction) {
  return copyElements(dst, src, count, direction, Order());
}

int cufort_cudaMemcpyAsync(Any dst, Any src, Any count, const int64_t *stream) {
  return copyElements(dst, src, count, nullptr, queuedOn(stream ? *stream : 0));
}

int cufort_cudaMemcpyAsyncDirected(Any dst, Any src, Any count, const int *direction, Optional stream) {
  return copyElements(dst, src, count, direction, queuedOn(streamOf(stream)));
}

int cufort_cudaMemcpy2D(Any dst, Any dstPitch, Any src, Any srcPitch, Any width, Any height, const int *direction) {
  return copy2D(dst, src, {dstPitch, srcPitch, width, height}, direction, Order());
}

int cufort_cudaMemcpy2DAsync(Any dst, Any dstPitch, Any src, Any srcPitch, Any width, Any height,
                             const int64_t *stream) {
  return copy2D(dst, src, {dstPitch, srcPitch, width, height}, nullptr, queuedOn(stream ? *stream : 0));
}

int cufort_cudaMemcpy2DAsyncDirected(Any dst, Any dstPitch, Any src, Any srcPitch, Any width, Any height,
                                     const int *direction, Optional stream) {
  return copy2D(dst, src, {dstPitch, srcPitch, width, height}, direction, queuedOn(streamOf(stream)));
}

} // extern "C"

} // namespace cufort::rt
