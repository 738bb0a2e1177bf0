#include "runtime/Stream/DefaultStream.h"
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Managed = CudaForTest;

TEST_F(Managed, PrefetchAndAdviseCountElements) {
  double values[10];
  FortranDescriptor array = describe(values, 8, {10});
  EXPECT_EQ(cufort_cudaMemPrefetchAsync(array, narrow(10), -1, &wide(0x5000)), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 80u);
  EXPECT_EQ(recorded().device, -1);
  EXPECT_EQ(recorded().stream, toStream(0x5000));
  EXPECT_EQ(cufort_cudaMemAdvise(addressArgument(values), narrow(80), CU_MEM_ADVISE_SET_READ_MOSTLY, 1), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 80u);
  EXPECT_EQ(recorded().advice, CU_MEM_ADVISE_SET_READ_MOSTLY);
  EXPECT_EQ(recorded().device, 1);
  EXPECT_EQ(cufort_cudaMemPrefetchAsync(allocatable(FlangManaged, 8, {0}), narrow(1), 0, nullptr),
            cudaErrorInvalidValue);
  device().fail(Call::memPrefetchAsync, CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cufort_cudaMemPrefetchAsync(array, narrow(10), 5, nullptr), cudaErrorInvalidDevice);
}

TEST_F(Managed, PointerAttributes) {
  void *memory = nullptr, *shared = nullptr, *pinned = nullptr;
  cufort_cudaMallocAddress(&memory, narrow(16));
  cufort_cudaMallocManagedAddress(&shared, narrow(16), nullptr);
  cufort_cudaMallocHost(&pinned, narrow(16));
  PointerAttributes attributes;
  EXPECT_EQ(cufort_cudaPointerGetAttributes(&attributes, addressArgument(memory)), cudaSuccess);
  EXPECT_EQ(attributes.type, MemoryDevice);
  EXPECT_EQ(attributes.device, 1);
  EXPECT_EQ(attributes.devicePointer, memory);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(cufort_cudaPointerGetAttributes(&attributes, describe(static_cast<char *>(shared) + 4, 4, {})),
            cudaSuccess);
  EXPECT_EQ(attributes.type, MemoryManaged);
  EXPECT_EQ(attributes.memoryType, MemoryDevice);
  EXPECT_EQ(attributes.isManaged, 1);
  EXPECT_EQ(attributes.hostPointer, static_cast<char *>(shared) + 4);
  EXPECT_EQ(cufort_cudaPointerGetAttributes(&attributes, describe(pinned, 4, {4})), cudaSuccess);
  EXPECT_EQ(attributes.type, MemoryHost);
}

TEST_F(Managed, OrdinaryHostMemoryIsUnregistered) {
  float value;
  PointerAttributes attributes;
  EXPECT_EQ(cufort_cudaPointerGetAttributes(&attributes, describe(&value, 4, {})), cudaSuccess);
  EXPECT_EQ(attributes.type, MemoryUnregistered);
  EXPECT_EQ(attributes.device, -2);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(cufort_cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cufort_cudaPointerGetAttributes(&attributes, allocatable(FlangDevice, 4, {0})), cudaErrorInvalidValue);
}

TEST_F(Managed, FailureToAskIsReturned) {
  float value;
  PointerAttributes attributes;
  device().fail(Call::pointerGetAttributes, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cufort_cudaPointerGetAttributes(&attributes, describe(&value, 4, {})), cudaErrorDeviceUninitialized);
}

TEST_F(Managed, MemoryInfoIsInBytes) {
  int64_t freeBytes = -1, totalBytes = -1;
  EXPECT_EQ(cufort_cudaMemGetInfo(&freeBytes, &totalBytes), cudaSuccess);
  EXPECT_EQ(freeBytes, 0);
  device().fail(Call::memGetInfo, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cufort_cudaMemGetInfo(&freeBytes, &totalBytes), cudaErrorDeviceUninitialized);
}

} // namespace
