// Pitched memory and copies of three dimensions, between memory and CUDA arrays (guide 4.9).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaArray.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Memory/CopyResult.h"
#include "runtime/Stream/DefaultStream.h"
#include <cstring>

namespace cufort::rt {

namespace {

bool isEmpty(const Extent &extent) { return extent.width == 0 || extent.height == 0 || extent.depth == 0; }

Result checkExtent(const Extent &extent) {
  if (extent.width < 0 || extent.height < 0 || extent.depth < 0)
    return Result(cudaErrorInvalidValue, "a negative extent");
  return {};
}

/// Returns the bytes from the first to the last of a box in `memory`.
size_t bytesOfBox(const PitchedPointer &memory, size_t width, const Extent &extent) {
  auto pitch = static_cast<size_t>(memory.pitch), rows = static_cast<size_t>(memory.ysize);
  return bytesOfRows(bytesOfRows(width, static_cast<size_t>(extent.height), pitch), static_cast<size_t>(extent.depth),
                     pitch * rows);
}

/// One side of a copy as the program names it: an array, or memory where there is none.
struct Side {
  const CudaArray &array;
  const Position &position;
  const PitchedPointer &memory;
};

/// Checks what the driver would not: that memory of several rows has room for them in a pitch and a slice.
Result checkMemory(const Side &side, size_t width, const Extent &extent) {
  if (side.array.handle)
    return {};
  if (!side.memory.address)
    return Result(cudaErrorInvalidValue, "neither an array nor memory");
  if (static_cast<size_t>(side.memory.pitch) < width && (extent.height > 1 || extent.depth > 1))
    return Result(cudaErrorInvalidPitchValue, "a pitch is smaller than the width");
  if (side.memory.ysize < extent.height && extent.depth > 1)
    return Result(cudaErrorInvalidValue, "ysize is smaller than the height");
  return {};
}

/// Sets `unit` to the bytes of one of a width: of an element if there is an array on either side, else 1.
Result unitOf(const Current &current, const Side &dst, const Side &src, size_t &unit) {
  unit = 1;
  for (const Side *side : {&dst, &src})
    if (side->array.handle)
      return elementBytesOf(current, side->array, unit);
  return {};
}

/// Fills in what differs between the two sides, whose members in a CUDA_MEMCPY3D have equal types.
void describeSide(const Side &side, CUmemorytype &type, CUarray &array, CUdeviceptr &address, size_t &pitch,
                  size_t &height) {
  type = side.array.handle ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
  array = side.array.handle;
  address = reinterpret_cast<CUdeviceptr>(side.memory.address);
  pitch = static_cast<size_t>(side.memory.pitch);
  height = static_cast<size_t>(side.memory.ysize);
}

Result describe(const Current &current, const Copy3D &copy, CUDA_MEMCPY3D &driverCopy) {
  Side dst{copy.dstArray, copy.dstPosition, copy.dstMemory}, src{copy.srcArray, copy.srcPosition, copy.srcMemory};
  size_t unit = 1;
  if (Result result = unitOf(current, dst, src, unit); !result)
    return result;
  driverCopy.WidthInBytes = static_cast<size_t>(copy.extent.width) * unit;
  driverCopy.Height = static_cast<size_t>(copy.extent.height);
  driverCopy.Depth = static_cast<size_t>(copy.extent.depth);
  for (const Side *side : {&dst, &src})
    if (Result result = checkMemory(*side, driverCopy.WidthInBytes, copy.extent); !result)
      return result;
  describeSide(dst, driverCopy.dstMemoryType, driverCopy.dstArray, driverCopy.dstDevice, driverCopy.dstPitch,
               driverCopy.dstHeight);
  describeSide(src, driverCopy.srcMemoryType, driverCopy.srcArray, driverCopy.srcDevice, driverCopy.srcPitch,
               driverCopy.srcHeight);
  driverCopy.dstXInBytes = static_cast<size_t>(dst.position.x) * unit;
  driverCopy.dstY = static_cast<size_t>(dst.position.y);
  driverCopy.dstZ = static_cast<size_t>(dst.position.z);
  driverCopy.srcXInBytes = static_cast<size_t>(src.position.x) * unit;
  driverCopy.srcY = static_cast<size_t>(src.position.y);
  driverCopy.srcZ = static_cast<size_t>(src.position.z);
  return {};
}

int copy3D(const Copy3D &copy, bool queued, int64_t stream) {
  return withContext([&](const Current &current) {
    Result result = checkDirection(&copy.kind);
    if (result.ok())
      result = checkExtent(copy.extent);
    if (!result || isEmpty(copy.extent))
      return result;
    CUDA_MEMCPY3D driverCopy = {};
    if (result = describe(current, copy, driverCopy); !result)
      return result;
    CUresult copied =
        queued ? current.table->memcpy3DAsync(&driverCopy, toStream(stream)) : current.table->memcpy3D(&driverCopy);
    auto touched = [&](const CudaArray &array, const PitchedPointer &memory) {
      return array.handle ? Touched{nullptr, 0}
                          : Touched{memory.address, bytesOfBox(memory, driverCopy.WidthInBytes, copy.extent)};
    };
    return copyResult(current, copied, "cuMemcpy3D", touched(copy.dstArray, copy.dstMemory),
                      touched(copy.srcArray, copy.srcMemory));
  });
}

/// Fills the box slice by slice; in one go if nothing lies between the slices.
Result fill3D(const Current &current, const PitchedPointer &memory, unsigned char value, const Extent &extent) {
  auto pitch = static_cast<size_t>(memory.pitch), width = static_cast<size_t>(extent.width);
  auto rows = static_cast<size_t>(extent.height), slices = static_cast<size_t>(extent.depth);
  if (extent.height == memory.ysize) {
    rows *= slices;
    slices = 1;
  }
  auto address = reinterpret_cast<CUdeviceptr>(memory.address);
  for (size_t slice = 0; slice < slices; ++slice) {
    CUresult result = current.table->memsetD2D8(address, pitch, value, width, rows);
    if (result != CUDA_SUCCESS)
      return fillResult(current, result, "cuMemsetD2D8",
                        {reinterpret_cast<void *>(address), bytesOfRows(width, rows, pitch)});
    address += pitch * static_cast<size_t>(memory.ysize);
  }
  return {};
}

} // namespace

extern "C" {

int cufort_cudaMemcpy3D(const Copy3D *copy) { return copy3D(*copy, false, 0); }

int cufort_cudaMemcpy3DAsync(const Copy3D *copy, Optional stream) { return copy3D(*copy, true, streamOf(stream)); }

int cufort_cudaMemset3D(const PitchedPointer *memory, int value, const Extent *extent) {
  return withContext([&](const Current &current) {
    Result result = checkExtent(*extent);
    if (!result || isEmpty(*extent))
      return result;
    CudaArray none = {};
    Position origin = {};
    if (result = checkMemory({none, origin, *memory}, static_cast<size_t>(extent->width), *extent); !result)
      return result;
    return fill3D(current, *memory, static_cast<unsigned char>(value), *extent);
  });
}

} // extern "C"

} // namespace cufort::rt
