// cudaMalloc and cudaFree in device code, with memory of the device's heap, as ALLOCATE has it.

#include "codegen/DeviceLibrary/HeapAddresses.h"
#include "codegen/DeviceLibrary/RuntimeStatus.h"

using namespace cufort::device;

/// Sets `address` to memory for `count` units of `unit` bytes.
static Status allocate(long count, unsigned long unit, char *&address) {
  long bytes = 0;
  if (!bytesOf(count, unit, bytes))
    return InvalidValue;
  address = static_cast<char *>(malloc(bytes ? bytes : 1));
  return address ? Success : NoMemory;
}

extern "C" {

int cufort_cudaMallocArray(Descriptor *array, const Descriptor *count) {
  char *address = nullptr;
  Status status = allocate(integerOf(*count), array->elementBytes, address);
  if (status != Success)
    return status;
  array->base = address;
  array->dim[0].lower = 1;
  array->dim[0].extent = integerOf(*count);
  makeContiguous(*array);
  return Success;
}

/// As in CUDA, no bytes are a null address.
int cufort_cudaMallocAddress(char **address, const Descriptor *count) {
  *address = nullptr;
  if (integerOf(*count) == 0)
    return Success;
  Status status = allocate(integerOf(*count), 1, *address);
  if (status == Success)
    noteHeapAddress(*address);
  return status;
}

/// The array is one that device code allocates: the compiler refuses others.
int cufort_cudaFreeArray(Descriptor *array) {
  free(array->base);
  array->base = nullptr;
  return Success;
}

int cufort_cudaFreeAddress(char *const *address) {
  if (!*address)
    return Success;
  if (!forgetHeapAddress(*address))
    return InvalidDevicePointer;
  free(*address);
  return Success;
}

} // extern "C"
