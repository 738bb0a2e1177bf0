// Copies between any two of host, device, managed and page-locked memory (guide 4.9). cuMemcpy finds out by itself on
// which side each address is, so contiguous memory needs no more than a count of bytes.
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/CudaFor/SectionCopies.h"
#include "runtime/Memory/CopyResult.h"
#include "runtime/Stream/DefaultStream.h"

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
