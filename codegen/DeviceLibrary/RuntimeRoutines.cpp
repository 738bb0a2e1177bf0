// Routines of module cudafor in device code: those that the guide says are available there (4.2, 4.5, 4.6, 4.9). Their
// interfaces are those of the host's routines. A thread does at once what it asks for, so streams and events are only
// names. Memory comes from the device's heap.

#include "codegen/DeviceLibrary/FortranDescriptor.h"
#include "runtime/ABI/DeviceFacts.h"

using namespace cufort::device;

// Where device variables are.
#ifdef __NVPTX__
#define CUFORT_DEVICE_DATA __attribute__((address_space(1), weak))
#else
#define CUFORT_DEVICE_DATA __attribute__((weak))
#endif

extern "C" {
CUFORT_DEVICE_DATA CufortDeviceFacts cufortDeviceFacts;
/// What descriptors of objects of these types have in their addendum (mlir-dialects/Cufx/Transforms/DescribeTypes.cpp).
extern CUFORT_DEVICE_DATA const TypeDescription
    typeOfDevicePointer __asm__("_QM__fortran_builtinsE$dt$__builtin_c_devptr");
extern CUFORT_DEVICE_DATA const TypeDescription typeOfPointer __asm__("_QM__fortran_builtinsE$dt$__builtin_c_ptr");
CUFORT_DEVICE_DATA const TypeDescription typeOfDevicePointer = {nullptr};
CUFORT_DEVICE_DATA const TypeDescription typeOfPointer = {nullptr};
}

namespace {

/// Codes of the CUDA runtime API.
enum Code {
  Success = 0,
  InvalidValue = 1,
  MemoryAllocation = 2,
  InvalidPitch = 12,
  InvalidDirection = 21,
  UnsupportedLimit = 215
};

/// The memory that an argument stands for: an array, or what a scalar c_devptr or c_ptr points at.
struct Memory {
  char *address;
  long unit; ///< bytes that one of a count stands for
  bool isContiguous;
};

bool isAddress(const Descriptor &argument) {
  if (argument.rank != 0 || !hasType(argument))
    return false;
  const TypeDescription *type = typeOf(const_cast<Descriptor &>(argument));
  return type == (const TypeDescription *)&typeOfDevicePointer || type == (const TypeDescription *)&typeOfPointer;
}

/// True if the elements lie one behind the other, as far as their extents are known.
bool isContiguous(const Descriptor &array) {
  long bytes = array.elementBytes;
  for (int i = 0; i < array.rank; ++i) {
    if (array.dim[i].stride != bytes && array.dim[i].extent != 1)
      return false;
    bytes *= array.dim[i].extent;
  }
  return true;
}

Memory memoryOf(const Descriptor &argument) {
  if (isAddress(argument))
    return {*reinterpret_cast<char **>(argument.base), 1, true};
  constexpr signed char character = 40;
  long unit = argument.type == character ? 1 : static_cast<long>(argument.elementBytes);
  return {argument.base, unit, isContiguous(argument)};
}

long numberOf(const Descriptor &argument) { return integerAt(argument.base, argument.elementBytes); }

int checkDirection(const int *direction) {
  return direction && (*direction < 0 || *direction > 4) ? InvalidDirection : Success;
}

int copy(const Descriptor *dst, const Descriptor *src, const Descriptor *count, const int *direction) {
  Memory to = memoryOf(*dst), from = memoryOf(*src);
  long number = numberOf(*count), unit = isAddress(*dst) || isAddress(*src) ? 1 : to.unit;
  if (int code = checkDirection(direction))
    return code;
  if (number < 0 || (unit != 1 && to.unit != from.unit))
    return InvalidValue;
  if (number == 0)
    return Success;
  if (!to.address || !from.address)
    return InvalidValue;
  if (to.isContiguous && from.isContiguous) {
    copyElement(to.address, from.address, static_cast<unsigned long>(number * unit));
    return Success;
  }
  if (unit != to.unit || to.unit != from.unit)
    return InvalidValue;
  for (long i = 0; i < number; ++i)
    copyElement(to.isContiguous ? to.address + i * unit : elementAddress(*dst, i),
                from.isContiguous ? from.address + i * unit : elementAddress(*src, i),
                static_cast<unsigned long>(unit));
  return Success;
}

int copy2D(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src, const Descriptor *srcPitch,
           const Descriptor *width, const Descriptor *height, const int *direction) {
  Memory to = memoryOf(*dst), from = memoryOf(*src);
  long unit = isAddress(*dst) || isAddress(*src) ? 1 : to.unit;
  long length = numberOf(*width), rows = numberOf(*height), toPitch = numberOf(*dstPitch),
       fromPitch = numberOf(*srcPitch);
  if (int code = checkDirection(direction))
    return code;
  if (length < 0 || rows < 0 || (unit != 1 && to.unit != from.unit))
    return InvalidValue;
  if (length == 0 || rows == 0)
    return Success;
  if (toPitch < length || fromPitch < length)
    return InvalidPitch;
  if (!to.address || !from.address)
    return InvalidValue;
  for (long row = 0; row < rows; ++row)
    copyElement(to.address + row * toPitch * unit, from.address + row * fromPitch * unit,
                static_cast<unsigned long>(length * unit));
  return Success;
}

} // namespace

extern "C" {

//===-- Devices ---------------------------------------------------------------------------------------------------===//

int cufort_cudaGetDevice(int *device) {
  *device = cufortDeviceFacts.device;
  return Success;
}

int cufort_cudaGetDeviceCount(int *count) {
  *count = cufortDeviceFacts.deviceCount;
  return Success;
}

int cufort_cudaDeviceGetCacheConfig(int *config) {
  *config = cufortDeviceFacts.cacheConfig;
  return Success;
}

int cufort_cudaDeviceGetLimit(long *value, int limit) {
  if (limit < 0 || limit >= CUFORT_DEVICE_LIMITS)
    return UnsupportedLimit;
  *value = cufortDeviceFacts.limits[limit];
  return Success;
}

//===-- Memory ----------------------------------------------------------------------------------------------------===//

int cufort_cudaMallocArray(Descriptor *array, const Descriptor *count) {
  long extent = numberOf(*count);
  if (extent < 0)
    return InvalidValue;
  unsigned long bytes = static_cast<unsigned long>(extent) * array->elementBytes;
  auto *base = static_cast<char *>(malloc(bytes ? bytes : 1));
  if (!base)
    return MemoryAllocation;
  array->base = base;
  array->dim[0] = {1, extent, static_cast<long>(array->elementBytes)};
  return Success;
}

int cufort_cudaMallocAddress(void **address, const Descriptor *count) {
  long bytes = numberOf(*count);
  *address = bytes > 0 ? malloc(static_cast<unsigned long>(bytes)) : nullptr;
  if (bytes < 0)
    return InvalidValue;
  return bytes && !*address ? MemoryAllocation : Success;
}

int cufort_cudaFreeArray(Descriptor *array) {
  free(array->base);
  array->base = nullptr;
  return Success;
}

int cufort_cudaFreeAddress(void *const *address) {
  free(*address);
  return Success;
}

int cufort_cudaMemcpy(const Descriptor *dst, const Descriptor *src, const Descriptor *count, const int *direction) {
  return copy(dst, src, count, direction);
}

int cufort_cudaMemcpyAsync(const Descriptor *dst, const Descriptor *src, const Descriptor *count, const long *) {
  return copy(dst, src, count, nullptr);
}

int cufort_cudaMemcpyAsyncDirected(const Descriptor *dst, const Descriptor *src, const Descriptor *count,
                                   const int *direction, const Descriptor *) {
  return copy(dst, src, count, direction);
}

int cufort_cudaMemcpy2D(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src,
                        const Descriptor *srcPitch, const Descriptor *width, const Descriptor *height,
                        const int *direction) {
  return copy2D(dst, dstPitch, src, srcPitch, width, height, direction);
}

int cufort_cudaMemcpy2DAsync(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src,
                             const Descriptor *srcPitch, const Descriptor *width, const Descriptor *height,
                             const long *) {
  return copy2D(dst, dstPitch, src, srcPitch, width, height, nullptr);
}

int cufort_cudaMemcpy2DAsyncDirected(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src,
                                     const Descriptor *srcPitch, const Descriptor *width, const Descriptor *height,
                                     const int *direction, const Descriptor *) {
  return copy2D(dst, dstPitch, src, srcPitch, width, height, direction);
}

//===-- Streams and events ----------------------------------------------------------------------------------------===//

int cufort_cudaStreamCreateWithFlags(long *stream, int) {
  *stream = 2; // cudaStreamPerThread
  return Success;
}

int cufort_cudaStreamDestroy(const Descriptor *) { return Success; }

int cufort_cudaStreamWaitEvent(const Descriptor *, void *const *, const int *) { return Success; }

int cufort_cudaEventCreateWithFlags(void **event, int) {
  *event = event;
  return Success;
}

int cufort_cudaEventDestroy(void *const *) { return Success; }

int cufort_cudaEventRecord(void *const *, const Descriptor *) { return Success; }

} // extern "C"
