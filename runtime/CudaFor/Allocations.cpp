// Device and managed memory: allocation, release, and c_f_pointer, which gives memory to an allocatable array.
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/FlangEntries/Sync.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Stream/DefaultStream.h"
#include <string>

namespace cufort::rt {

namespace {

/// Makes `array` an allocated array of the given extents, lower bounds 1, at `base`. Type, element size and allocator
/// stay as they are.
void setAllocated(FortranDescriptor &array, void *base, const int64_t *extents) {
  array.base = base;
  auto stride = static_cast<int64_t>(array.elementBytes);
  for (int i = 0; i < array.rank; ++i) {
    array.dim[i] = {1, extents[i], stride};
    stride *= extents[i];
  }
  syncIfGlobal(array, nullptr, 0);
}

/// Runs `allocate`, which takes a size in bytes and sets an address, for `count` elements of `array`.
template <typename Allocate>
int allocateArray(FortranDescriptor &array, Any count, Allocate allocate) {
  int64_t extent = integerOf(count);
  size_t bytes = 0;
  void *base = nullptr;
  Result result = bytesOf(extent, array.elementBytes, bytes);
  if (result.ok())
    result = allocate(bytes, base);
  if (result.ok())
    setAllocated(array, base, &extent);
  return finishCall(result);
}

template <typename Allocate>
int allocateAddress(void **address, Any count, Allocate allocate) {
  *address = nullptr;
  size_t bytes = 0;
  Result result = bytesOf(integerOf(count), 1, bytes);
  // As in CUDA, no bytes are a null address.
  if (result.ok() && bytes > 0)
    result = allocate(bytes, *address);
  return finishCall(result);
}

Result allocateDevice(size_t bytes, void *&address) { return allocateMemory(MemoryKind::Device, bytes, address); }

Result allocateManaged(size_t bytes, unsigned flags, void *&address) {
  if (flags == CU_MEM_ATTACH_GLOBAL)
    return allocateMemory(MemoryKind::Managed, bytes, address);
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  CUdeviceptr base = 0;
  // One byte at least, so that an array of no elements is allocated.
  if (CUresult result = current.table->memAllocManaged(&base, bytes ? bytes : 1, flags); result != CUDA_SUCCESS)
    return Result(result, "cuMemAllocManaged");
  Allocation allocation;
  allocation.base = base;
  allocation.bytes = bytes;
  allocation.kind = MemoryKind::Managed;
  allocation.device = current.device;
  noteAllocation(allocation);
  address = reinterpret_cast<void *>(base);
  return {};
}

unsigned attachment(const int *flags) { return flags ? static_cast<unsigned>(*flags) : CU_MEM_ATTACH_GLOBAL; }

/// Sets `pitchBytes` and `base` for rows of `widthBytes` bytes.
Result allocatePitched(size_t widthBytes, size_t rows, size_t unit, size_t &pitchBytes, void *&base) {
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  CUdeviceptr address = 0;
  // The driver knows accesses of 4, 8 and 16 bytes.
  unsigned access = unit >= 16 ? 16 : unit >= 8 ? 8 : 4;
  CUresult result = current.table->memAllocPitch(&address, &pitchBytes, widthBytes, rows, access);
  if (result != CUDA_SUCCESS)
    return Result(result, "cuMemAllocPitch");
  Allocation allocation;
  allocation.base = address;
  allocation.bytes = pitchBytes * rows;
  allocation.device = current.device;
  noteAllocation(allocation);
  base = reinterpret_cast<void *>(address);
  return {};
}

/// Sets `pitch` and `base` for `height` columns of `width` units.
Result allocatePitchedUnits(Any width, Any height, size_t unit, int64_t &pitch, void *&base) {
  size_t widthBytes = 0, rows = 0, pitchBytes = 0;
  Result result = bytesOf(integerOf(width), unit, widthBytes);
  if (result.ok())
    result = bytesOf(integerOf(height), 1, rows);
  if (result.ok())
    result = allocatePitched(widthBytes, rows, unit, pitchBytes, base);
  pitch = static_cast<int64_t>(pitchBytes / unit);
  return result;
}

/// Sets `pitchBytes` and `base` for `extent`, of which a width counts `unit` bytes.
Result allocateVolume(const Extent &extent, size_t unit, size_t &pitchBytes, void *&base) {
  size_t widthBytes = 0, rows = 0;
  Result result = bytesOf(extent.width, unit, widthBytes);
  if (result.ok() && extent.depth < 0)
    result = Result(cudaErrorInvalidValue, "a negative extent");
  if (result.ok())
    result = bytesOf(extent.height, static_cast<size_t>(extent.depth), rows);
  return result.ok() ? allocatePitched(widthBytes, rows, unit, pitchBytes, base) : result;
}

Result releaseOnStream(void *address, int64_t stream) {
  Allocation allocation;
  bool queued = findAllocation(address, allocation) && allocation.streamOrdered &&
                allocation.base == reinterpret_cast<uintptr_t>(address);
  if (!queued)
    return releaseMemory(address);
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  Result result(current.table->memFreeAsync(allocation.base, toStream(stream)), "cuMemFreeAsync");
  if (result.ok())
    forgetAllocation(address, allocation);
  return result;
}

/// Releases the array's memory by `release`; the array is not allocated afterwards.
template <typename Release>
int releaseArray(FortranDescriptor &array, Release release) {
  Result result = release(array.base);
  if (result.ok()) {
    array.base = nullptr;
    syncIfGlobal(array, nullptr, 0);
  }
  return finishCall(result);
}

/// The extent that `shape`, a scalar or an array of rank 1, gives to dimension `i`.
int64_t extentAt(const FortranDescriptor &shape, int i) {
  FortranDescriptor element = shape;
  element.base = static_cast<char *>(shape.base) + (shape.rank ? i * shape.dim[0].byteStride : 0);
  int64_t extent = integerOf(element);
  return extent > 0 ? extent : 0;
}

} // namespace

extern "C" {

int cufort_cudaMallocArray(FortranDescriptor *array, Any count) { return allocateArray(*array, count, allocateDevice); }

int cufort_cudaMallocAddress(void **address, Any count) { return allocateAddress(address, count, allocateDevice); }

int cufort_cudaMallocAsyncArray(FortranDescriptor *array, Any count, Any stream) {
  return allocateArray(
      *array, count, [&](size_t bytes, void *&address) { return allocateOnStream(bytes, integerOf(stream), address); });
}

int cufort_cudaMallocAsyncAddress(void **address, Any count, Any stream) {
  return allocateAddress(
      address, count, [&](size_t bytes, void *&memory) { return allocateOnStream(bytes, integerOf(stream), memory); });
}

int cufort_cudaMallocManagedArray(FortranDescriptor *array, Any count, const int *flags) {
  return allocateArray(
      *array, count, [=](size_t bytes, void *&address) { return allocateManaged(bytes, attachment(flags), address); });
}

int cufort_cudaMallocManagedAddress(void **address, Any count, const int *flags) {
  return allocateAddress(
      address, count, [=](size_t bytes, void *&memory) { return allocateManaged(bytes, attachment(flags), memory); });
}

int cufort_cudaMallocPitchArray(FortranDescriptor *array, int64_t *pitch, Any width, Any height) {
  void *base = nullptr;
  Result result = allocatePitchedUnits(width, height, array->elementBytes, *pitch, base);
  if (result.ok()) {
    int64_t extents[] = {*pitch, integerOf(height)};
    setAllocated(*array, base, extents);
  }
  return finishCall(result);
}

int cufort_cudaMallocPitchAddress(void **address, int64_t *pitch, Any width, Any height) {
  *address = nullptr;
  return finishCall(allocatePitchedUnits(width, height, 1, *pitch, *address));
}

int cufort_cudaMalloc3DPitched(PitchedPointer *memory, const Extent *extent) {
  size_t pitchBytes = 0;
  *memory = {nullptr, 0, extent->width, extent->height};
  Result result = allocateVolume(*extent, 1, pitchBytes, memory->address);
  memory->pitch = static_cast<int64_t>(pitchBytes);
  return finishCall(result);
}

int cufort_cudaMalloc3DArray(FortranDescriptor *array, const Extent *extent) {
  size_t pitchBytes = 0;
  void *base = nullptr;
  Result result = allocateVolume(*extent, array->elementBytes, pitchBytes, base);
  if (result.ok()) {
    int64_t extents[] = {static_cast<int64_t>(pitchBytes / array->elementBytes), extent->height, extent->depth};
    setAllocated(*array, base, extents);
  }
  return finishCall(result);
}

int cufort_cudaFreeArray(FortranDescriptor *array) { return releaseArray(*array, releaseMemory); }

int cufort_cudaFreeAddress(void *const *address) { return finishCall(releaseMemory(*address)); }

int cufort_cudaFreeAsyncArray(FortranDescriptor *array, Any stream) {
  return releaseArray(*array, [&](void *address) { return releaseOnStream(address, integerOf(stream)); });
}

int cufort_cudaFreeAsyncAddress(void *const *address, Any stream) {
  return finishCall(releaseOnStream(*address, integerOf(stream)));
}

void cufort_cFPointer(void *const *address, FortranDescriptor *array, Optional shape) {
  int64_t extents[maxRank] = {};
  int given = !shape ? 0 : shape->rank ? static_cast<int>(shape->dim[0].extent) : 1;
  if (given != array->rank)
    failProgram(nullptr, 0,
                "c_f_pointer: a shape of " + std::to_string(given) + " extents for an array of rank " +
                    std::to_string(array->rank));
  for (int i = 0; i < given; ++i)
    extents[i] = extentAt(*shape, i);
  setAllocated(*array, *address, extents);
}

} // extern "C"

} // namespace cufort::rt
