#include "runtime/CudaFor/SectionCopies.h"
#include "runtime/CudaFor/CopyShape.h"
#include "runtime/Stream/DefaultStream.h"
#include <cstdlib>
#include <memory>

namespace cufort::rt {

namespace {

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

/// The contiguous memory at `base` as an array of the shape of `section`, in array element order.
StridedArray denseLike(const StridedArray &section, char *base) {
  StridedArray dense = section;
  dense.base = base;
  auto stride = static_cast<int64_t>(section.elementBytes);
  for (int i = 0; i < section.rank; ++i) {
    dense.stride[i] = stride;
    stride *= section.extent[i];
  }
  return dense;
}

/// Copies the first `count` elements of the section `strided` to or from the contiguous memory at `dense`.
Result copyStrided(const Current &current, const StridedArray &strided, char *dense, size_t count, bool toStrided,
                   int64_t stream) {
  CopyMode mode = toStrided ? modeOf(current, strided.base, dense) : modeOf(current, dense, strided.base);
  for (const StridedArray &section : leadingSections(strided, count)) {
    StridedArray other = denseLike(section, dense);
    const StridedArray &dst = toStrided ? section : other, &src = toStrided ? other : section;
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

} // namespace

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

} // namespace cufort::rt
