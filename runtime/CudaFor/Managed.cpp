// Hints for managed memory, and what is known of an address (guide 4.9.19, 4.9.38, 4.9.39, 4.10.4).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/DefaultStream.h"

namespace cufort::rt {

namespace {

Result rangeOf(const Operand &memory, Any count, size_t &bytes) {
  if (!memory.address)
    return Result(cudaErrorInvalidValue, "an array that is not allocated");
  return bytesOf(integerOf(count), memory.unit, bytes);
}

/// Sets `attributes` to what the driver knows of `address`; of ordinary host memory it knows nothing.
Result attributesOf(const DriverTable &table, CUdeviceptr address, PointerAttributes &attributes) {
  constexpr int32_t noDevice = -2;
  attributes = {MemoryUnregistered, MemoryUnregistered, noDevice, 0, nullptr, nullptr};
  // The plural form takes an unknown address for that, not for an error.
  unsigned type = 0, managed = 0;
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *values[] = {&type, &managed, &attributes.device, &attributes.devicePointer, &attributes.hostPointer};
  if (CUresult result = table.pointerGetAttributes(5, wanted, values, address); result != CUDA_SUCCESS)
    return Result(result, "cuPointerGetAttributes");
  if (type == 0)
    return {};
  attributes.isManaged = managed != 0;
  attributes.memoryType = type == CU_MEMORYTYPE_HOST ? MemoryHost : MemoryDevice;
  attributes.type = managed ? MemoryManaged : attributes.memoryType;
  return {};
}

} // namespace

extern "C" {

int cufort_cudaMemPrefetchAsync(Any argument, Any count, int device, Optional stream) {
  return withContext([&](const Current &current) {
    Operand memory = operandOf(argument);
    size_t bytes = 0;
    if (Result result = rangeOf(memory, count, bytes); !result)
      return result;
    return Result(current.table->memPrefetchAsync(memory.device(), bytes, device, toStream(streamOf(stream))),
                  "cuMemPrefetchAsync");
  });
}

int cufort_cudaMemAdvise(Any argument, Any count, int advice, int device) {
  return withContext([&](const Current &current) {
    Operand memory = operandOf(argument);
    size_t bytes = 0;
    if (Result result = rangeOf(memory, count, bytes); !result)
      return result;
    return Result(current.table->memAdvise(memory.device(), bytes, static_cast<CUmem_advise>(advice), device),
                  "cuMemAdvise");
  });
}

int cufort_cudaMemGetInfo(int64_t *freeBytes, int64_t *totalBytes) {
  return withContext([=](const Current &current) {
    size_t available = 0, total = 0;
    Result result(current.table->memGetInfo(&available, &total), "cuMemGetInfo");
    *freeBytes = static_cast<int64_t>(available);
    *totalBytes = static_cast<int64_t>(total);
    return result;
  });
}

int cufort_cudaPointerGetAttributes(PointerAttributes *attributes, Any argument) {
  return withContext([&](const Current &current) {
    Operand memory = operandOf(argument);
    if (!memory.address)
      return Result(cudaErrorInvalidValue, "an array that is not allocated");
    return attributesOf(*current.table, memory.device(), *attributes);
  });
}

} // extern "C"

} // namespace cufort::rt
