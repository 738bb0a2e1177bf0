#include "runtime/Memory/Allocation.h"
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using HostMemory = CudaForTest;

TEST_F(HostMemory, AllocatedMemoryIsKnownToBePageLocked) {
  void *memory = nullptr;
  EXPECT_EQ(cufort_cudaHostAlloc(&memory, wide(40000), 2), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 40000u);
  EXPECT_EQ(recorded().flags, 2u);
  EXPECT_TRUE(isPageLocked(memory));
  EXPECT_EQ(cufort_cudaFreeHost(&memory), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memFreeHost), 1);
  EXPECT_TRUE(device().memory.empty());
  EXPECT_FALSE(isPageLocked(memory));
}

TEST_F(HostMemory, MallocHostHasNoFlags) {
  void *memory = nullptr;
  EXPECT_EQ(cufort_cudaMallocHost(&memory, narrow(64)), cudaSuccess);
  EXPECT_EQ(recorded().flags, 0u);
  EXPECT_EQ(cufort_cudaFreeHost(&memory), cudaSuccess);
}

TEST_F(HostMemory, FailuresAreReturned) {
  void *memory = this;
  device().memoryLimit = 10;
  EXPECT_EQ(cufort_cudaHostAlloc(&memory, narrow(64), 0), cudaErrorMemoryAllocation);
  EXPECT_EQ(cufort_cudaHostAlloc(&memory, narrow(-64), 0), cudaErrorInvalidValue);
  EXPECT_EQ(memory, nullptr);
}

TEST_F(HostMemory, FreeingNothingAndSomethingElse) {
  void *memory = nullptr;
  EXPECT_EQ(cufort_cudaFreeHost(&memory), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memFreeHost), 0);
  int local;
  memory = &local;
  EXPECT_EQ(cufort_cudaFreeHost(&memory), cudaErrorInvalidValue);
}

TEST_F(HostMemory, RegisterInBytes) {
  double values[512];
  void *memory = values;
  EXPECT_EQ(cufort_cudaHostRegister(&memory, narrow(4096), 2), cudaSuccess);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(values));
  EXPECT_EQ(recorded().bytes, 4096u);
  EXPECT_EQ(recorded().flags, 2u);
  EXPECT_EQ(cufort_cudaHostUnregister(&memory), cudaSuccess);
  device().fail(Call::memHostUnregister, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cufort_cudaHostUnregister(&memory), cudaErrorHostMemoryNotRegistered);
  device().fail(Call::memHostGetDevicePointer, CUDA_ERROR_INVALID_VALUE);
  void *address = this;
  EXPECT_EQ(cufort_cudaHostGetDevicePointer(&address, &memory, 0), cudaErrorInvalidValue);
  EXPECT_EQ(address, nullptr);
  int flags = 0;
  EXPECT_EQ(cufort_cudaHostGetFlags(&flags, &memory), cudaSuccess);
}

} // namespace
