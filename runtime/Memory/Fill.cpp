// Scalar broadcast to arrays in device memory.
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/Copy.h"
#include "runtime/Memory/CopyPlan.h"
#include "runtime/Memory/CopyResult.h"
#include "runtime/Stream/DefaultStream.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace cufort::rt {

namespace {

/// Bytes that are written from the host before the device doubles them by itself.
constexpr size_t seedBytes = 64 * 1024;

/// Returns the size in bytes (1, 2 or 4) of a unit whose repetition is the element, or 0 if there is none.
size_t unitOf(const char *value, size_t elementBytes) {
  for (size_t unit : {size_t(1), size_t(2), size_t(4)}) {
    if (elementBytes % unit)
      continue;
    if (elementBytes == unit || !std::memcmp(value, value + unit, elementBytes - unit))
      return unit;
  }
  return 0;
}

bool isAligned(CUdeviceptr address, size_t unit) { return address % unit == 0; }

CUresult setUnitsHere(const DriverTable &table, CUdeviceptr dst, const char *value, size_t unit, size_t count,
                      CUstream stream) {
  if (unit == 1)
    return stream ? table.memsetD8Async(dst, static_cast<unsigned char>(*value), count, stream)
                  : table.memsetD8(dst, static_cast<unsigned char>(*value), count);
  if (unit == 2) {
    unsigned short word;
    std::memcpy(&word, value, sizeof word);
    return stream ? table.memsetD16Async(dst, word, count, stream) : table.memsetD16(dst, word, count);
  }
  unsigned word;
  std::memcpy(&word, value, sizeof word);
  return stream ? table.memsetD32Async(dst, word, count, stream) : table.memsetD32(dst, word, count);
}

CUresult setRowsHere(const DriverTable &table, CUdeviceptr dst, size_t pitch, const char *value, size_t unit,
                     size_t width, size_t height) {
  if (unit == 1)
    return table.memsetD2D8(dst, pitch, static_cast<unsigned char>(*value), width, height);
  if (unit == 2) {
    unsigned short word;
    std::memcpy(&word, value, sizeof word);
    return table.memsetD2D16(dst, pitch, word, width, height);
  }
  unsigned word;
  std::memcpy(&word, value, sizeof word);
  return table.memsetD2D32(dst, pitch, word, width, height);
}

/// Calls `set` with a stream: `stream`, or, if the memory belongs to another device to whose memory the current one has
/// no access, the null stream of that device. Copies work from any device, but the driver fills memory only from where
/// it can be reached.
template <class Set>
CUresult setFromItsDevice(const Current &current, CUdeviceptr dst, int64_t stream, const Set &set) {
  CUresult result = set(toStream(stream));
  Allocation allocation;
  if (result != CUDA_ERROR_INVALID_VALUE || !findAllocation(reinterpret_cast<void *>(dst), allocation) ||
      allocation.device == current.device || isCaptured(current, stream))
    return result;
  // No stream orders the work of two devices: what comes before has ended then, and what follows finds the memory
  // filled.
  if (CUresult waited = current.table->streamSynchronize(toStream(stream)); waited != CUDA_SUCCESS)
    return waited;
  if (!setCurrentDevice(allocation.device).ok())
    return result;
  result = set(nullptr);
  if (result == CUDA_SUCCESS)
    result = current.table->streamSynchronize(nullptr);
  return setCurrentDevice(current.device).ok() ? result : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult setUnits(const Current &current, CUdeviceptr dst, const char *value, size_t unit, size_t count,
                  int64_t stream) {
  return setFromItsDevice(current, dst, stream, [&](CUstream handle) {
    return setUnitsHere(*current.table, dst, value, unit, count, handle);
  });
}

CUresult setRows(const Current &current, CUdeviceptr dst, size_t pitch, const char *value, size_t unit, size_t width,
                 size_t height) {
  return setFromItsDevice(
      current, dst, 0, [&](CUstream) { return setRowsHere(*current.table, dst, pitch, value, unit, width, height); });
}

/// Fills by copying: a first piece from the host, then what is there already onto what follows it.
Result fillByDoubling(const Current &current, CUdeviceptr dst, const char *value, size_t elementBytes, size_t count,
                      int64_t stream) {
  size_t seedCount = std::min(count, std::max<size_t>(1, seedBytes / elementBytes));
  std::unique_ptr<char, decltype(&std::free)> seed(static_cast<char *>(std::malloc(seedCount * elementBytes)),
                                                   &std::free);
  if (!seed)
    return Result(cudaErrorMemoryAllocation, "malloc");
  for (size_t i = 0; i < seedCount; ++i)
    std::memcpy(seed.get() + i * elementBytes, value, elementBytes);
  CUstream handle = toStream(stream);
  size_t total = count * elementBytes, done = seedCount * elementBytes;
  const DriverTable &table = *current.table;
  CUresult result =
      stream ? table.memcpyHtoDAsync(dst, seed.get(), done, handle) : table.memcpyHtoD(dst, seed.get(), done);
  while (result == CUDA_SUCCESS && done < total) {
    size_t bytes = std::min(done, total - done);
    result = stream ? table.memcpyDtoDAsync(dst + done, dst, bytes, handle) : table.memcpyDtoD(dst + done, dst, bytes);
    done += bytes;
  }
  if (result == CUDA_SUCCESS && stream)
    // The seed must outlive what is queued.
    result = table.streamSynchronize(handle);
  return fillResult(current, result, "filling an array", {reinterpret_cast<const void *>(dst), total});
}

/// Sets one element by as many fills as it has units.
Result setElement(const Current &current, CUdeviceptr dst, const char *value, size_t elementBytes, int64_t stream) {
  size_t unit = 4;
  while (elementBytes % unit || !isAligned(dst, unit))
    unit /= 2;
  for (size_t at = 0; at < elementBytes; at += unit)
    if (CUresult result = setUnits(current, dst + at, value + at, unit, 1, stream))
      return fillResult(current, result, "cuMemset", {reinterpret_cast<const void *>(dst), elementBytes});
  return {};
}

/// Fills without reading host memory, which a graph would do when it runs: the first element, and dimension by
/// dimension copies of what is there already.
Result fillInGraph(const Current &current, const StridedArray &dst, const char *value, int64_t stream) {
  Result result = setElement(current, reinterpret_cast<CUdeviceptr>(dst.base), value, dst.elementBytes, stream);
  StridedArray filled = dst;
  std::fill(filled.extent, filled.extent + dst.rank, 1);
  for (int dimension = 0; dimension < dst.rank; ++dimension) {
    for (int64_t done = 1; result.ok() && done < dst.extent[dimension]; done *= 2) {
      filled.extent[dimension] = std::min(done, dst.extent[dimension] - done);
      StridedArray next = filled;
      next.base += done * dst.stride[dimension];
      result = copyArray(current, next, filled, CopyMode::DeviceToDevice, stream);
    }
    filled.extent[dimension] = dst.extent[dimension];
  }
  return result;
}

/// A 2-D fill needs rows of whole units at a regular distance.
bool fillsAsRows(const CopyPlan &plan, size_t unit) {
  return unit && plan.rank == 1 && plan.driverRank() == 1 && plan.dstStride[0] % static_cast<int64_t>(unit) == 0 &&
         isAligned(reinterpret_cast<CUdeviceptr>(plan.dst), unit);
}

/// Every element of `dst` is the one at `value`.
StridedArray repeated(const StridedArray &dst, const void *value) {
  StridedArray src = dst;
  src.base = static_cast<char *>(const_cast<void *>(value));
  std::fill(src.stride, src.stride + maxRank, 0);
  return src;
}

} // namespace

bool isCaptured(const Current &current, int64_t stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return stream && current.table->streamIsCapturing(toStream(stream), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

Result fillElements(const Current &current, CUdeviceptr dst, const void *value, size_t elementBytes, size_t count,
                    int64_t stream) {
  if (count == 0 || elementBytes == 0)
    return {};
  auto *bytes = static_cast<const char *>(value);
  size_t unit = unitOf(bytes, elementBytes);
  if (!unit || !isAligned(dst, unit)) {
    if (!isCaptured(current, stream))
      return fillByDoubling(current, dst, bytes, elementBytes, count, stream);
    StridedArray array;
    array.base = reinterpret_cast<char *>(dst);
    array.elementBytes = elementBytes;
    array.rank = 1;
    array.extent[0] = static_cast<int64_t>(count);
    array.stride[0] = static_cast<int64_t>(elementBytes);
    return fillInGraph(current, array, bytes, stream);
  }
  CUresult result = setUnits(current, dst, bytes, unit, count * (elementBytes / unit), stream);
  return fillResult(current, result, "cuMemset", {reinterpret_cast<const void *>(dst), count * elementBytes});
}

Result fillArray(const Current &current, const StridedArray &dst, const void *value, bool dstOnDevice, int64_t stream) {
  if (dst.elements() == 0 || dst.elementBytes == 0)
    return {};
  if (isUnallocated(current, dst.base))
    return Result(cudaErrorInvalidValue, "fill", "an array that is not allocated");
  StridedArray src = repeated(dst, value);
  if (!dstOnDevice)
    return copyArray(current, dst, src, CopyMode::HostToHost, stream);
  // A copy of the target onto itself has the target's contiguous rows and no others.
  CopyPlan plan = makeCopyPlan(dst, dst);
  Result result;
  auto *bytes = static_cast<const char *>(value);
  auto address = reinterpret_cast<CUdeviceptr>(plan.dst);
  size_t unit = unitOf(bytes, dst.elementBytes);
  if (plan.rank == 0)
    result = fillElements(current, address, value, dst.elementBytes, plan.width / dst.elementBytes, stream);
  else if (fillsAsRows(plan, unit) && !stream)
    result = Result(setRows(current, address, plan.dstStride[0], bytes, unit, plan.width / unit, plan.extent[0]),
                    "cuMemset2D");
  else if (isCaptured(current, stream))
    result = fillInGraph(current, dst, bytes, stream);
  else
    return copyArray(current, dst, src, CopyMode::HostToDevice, stream);
  return result.ok() ? settleTarget(current, dst.base, stream) : result;
}

} // namespace cufort::rt
