#include "runtime/Memory/Allocation.h"
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Allocations = CudaForTest;

TEST_F(Allocations, ArrayCountsAreElementsAndTheDescriptorIsSet) {
  FortranDescriptor array = allocatable(FlangDevice, 8, {0});
  uint8_t extra = array.extra;
  EXPECT_EQ(cufort_cudaMallocArray(&array, narrow(100)), cudaSuccess);
  ASSERT_NE(array.base, nullptr);
  EXPECT_TRUE(device().holds(reinterpret_cast<CUdeviceptr>(array.base), 800));
  EXPECT_FALSE(device().holds(reinterpret_cast<CUdeviceptr>(array.base), 801));
  EXPECT_EQ(array.dim[0].lowerBound, 1);
  EXPECT_EQ(array.dim[0].extent, 100);
  EXPECT_EQ(array.dim[0].byteStride, 8);
  EXPECT_EQ(array.extra, extra);
  EXPECT_EQ(array.allocator(), FlangDevice);
  void *base = array.base;
  EXPECT_EQ(cufort_cudaFreeArray(&array), cudaSuccess);
  EXPECT_EQ(array.base, nullptr);
  Allocation allocation;
  EXPECT_FALSE(findAllocation(base, allocation));
  EXPECT_TRUE(device().memory.empty());
}

TEST_F(Allocations, AddressCountsAreBytes) {
  void *address = nullptr;
  EXPECT_EQ(cufort_cudaMallocAddress(&address, wide(100)), cudaSuccess);
  EXPECT_TRUE(device().holds(reinterpret_cast<CUdeviceptr>(address), 100));
  EXPECT_FALSE(device().holds(reinterpret_cast<CUdeviceptr>(address), 101));
  EXPECT_EQ(cufort_cudaFreeAddress(&address), cudaSuccess);
  EXPECT_TRUE(device().memory.empty());
}

TEST_F(Allocations, FailureLeavesTheArrayUnallocated) {
  FortranDescriptor array = allocatable(FlangDevice, 8, {0});
  device().memoryLimit = 1000;
  EXPECT_EQ(cufort_cudaMallocArray(&array, narrow(1000)), cudaErrorMemoryAllocation);
  EXPECT_EQ(array.base, nullptr);
  EXPECT_EQ(cufort_cudaMallocArray(&array, narrow(-1)), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMallocArray(&array, wide(int64_t(1) << 61)), cudaErrorInvalidValue);
  EXPECT_EQ(array.base, nullptr);
  EXPECT_EQ(cufort_cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Allocations, NothingIsAllocatedForNoBytesOfAnAddress) {
  void *address = this;
  EXPECT_EQ(cufort_cudaMallocAddress(&address, narrow(0)), cudaSuccess);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(cufort_cudaFreeAddress(&address), cudaSuccess);
  FortranDescriptor array = allocatable(FlangDevice, 8, {0});
  EXPECT_EQ(cufort_cudaMallocArray(&array, narrow(0)), cudaSuccess);
  EXPECT_NE(array.base, nullptr);
  EXPECT_EQ(array.dim[0].extent, 0);
}

TEST_F(Allocations, FreeingTwiceIsAnError) {
  void *address = nullptr;
  cufort_cudaMallocAddress(&address, narrow(16));
  EXPECT_EQ(cufort_cudaFreeAddress(&address), cudaSuccess);
  EXPECT_EQ(cufort_cudaFreeAddress(&address), cudaErrorInvalidValue);
}

TEST_F(Allocations, ManagedFlags) {
  FortranDescriptor array = allocatable(FlangManaged, 4, {0});
  EXPECT_EQ(cufort_cudaMallocManagedArray(&array, narrow(10), nullptr), cudaSuccess);
  EXPECT_EQ(recorded().flags, unsigned(CU_MEM_ATTACH_GLOBAL));
  Allocation allocation;
  ASSERT_TRUE(findAllocation(array.base, allocation));
  EXPECT_EQ(allocation.kind, MemoryKind::Managed);
  EXPECT_EQ(allocation.bytes, 40u);
  int flags = CU_MEM_ATTACH_HOST;
  void *address = nullptr;
  EXPECT_EQ(cufort_cudaMallocManagedAddress(&address, narrow(10), &flags), cudaSuccess);
  EXPECT_EQ(recorded().flags, unsigned(CU_MEM_ATTACH_HOST));
  EXPECT_EQ(recorded().bytes, 10u);
  ASSERT_TRUE(findAllocation(address, allocation));
  EXPECT_EQ(allocation.kind, MemoryKind::Managed);
  EXPECT_EQ(cufort_cudaFreeArray(&array), cudaSuccess);
  EXPECT_EQ(cufort_cudaFreeAddress(&address), cudaSuccess);
}

TEST_F(Allocations, StreamOrdered) {
  FortranDescriptor array = allocatable(FlangDevice, 4, {0});
  EXPECT_EQ(cufort_cudaMallocAsyncArray(&array, narrow(10), wide(0x5000)), cudaSuccess);
  EXPECT_EQ(array.dim[0].extent, 10);
  EXPECT_EQ(cufort_cudaFreeAsyncArray(&array, wide(0x5100)), cudaSuccess);
  ASSERT_EQ(device().streamFrees.size(), 1u);
  EXPECT_EQ(device().streamFrees[0].second, reinterpret_cast<CUstream>(uintptr_t(0x5100)));
  EXPECT_EQ(array.base, nullptr);
  void *address = nullptr;
  EXPECT_EQ(cufort_cudaMallocAsyncAddress(&address, narrow(64), narrow(0)), cudaSuccess);
  EXPECT_EQ(cufort_cudaFreeAsyncAddress(&address, narrow(0)), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memFreeAsync), 2);
}

TEST_F(Allocations, OrdinaryMemoryIsFreedAtOnce) {
  void *address = nullptr;
  cufort_cudaMallocAddress(&address, narrow(64));
  EXPECT_EQ(cufort_cudaFreeAsyncAddress(&address, narrow(0)), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memFreeAsync), 0);
  EXPECT_EQ(device().callsOf(Call::memFree), 1);
}

TEST_F(Allocations, FailedReleaseKeepsTheArray) {
  FortranDescriptor array = allocatable(FlangDevice, 4, {0});
  cufort_cudaMallocAsyncArray(&array, narrow(10), wide(0x5000));
  device().fail(Call::memFreeAsync, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cufort_cudaFreeAsyncArray(&array, wide(0x5000)), cudaErrorIllegalAddress);
  EXPECT_NE(array.base, nullptr);
}

TEST_F(Allocations, PitchIsInElementsAndTheFirstExtent) {
  FortranDescriptor array = allocatable(FlangDevice, 8, {0, 0});
  int64_t pitch = 0;
  EXPECT_EQ(cufort_cudaMallocPitchArray(&array, &pitch, narrow(100), wide(7)), cudaSuccess);
  EXPECT_EQ(pitch, 128);
  EXPECT_EQ(recorded().flags, 8u);
  EXPECT_EQ(array.dim[0].extent, 128);
  EXPECT_EQ(array.dim[1].extent, 7);
  EXPECT_EQ(array.dim[1].byteStride, 1024);
  EXPECT_TRUE(device().holds(reinterpret_cast<CUdeviceptr>(array.base), 1024 * 7));
  EXPECT_EQ(cufort_cudaFreeArray(&array), cudaSuccess);
  void *address = nullptr;
  EXPECT_EQ(cufort_cudaMallocPitchAddress(&address, &pitch, narrow(100), narrow(7)), cudaSuccess);
  EXPECT_EQ(pitch, 512);
  EXPECT_EQ(recorded().flags, 4u);
  device().fail(Call::memAllocPitch, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cufort_cudaMallocPitchArray(&array, &pitch, narrow(100), wide(7)), cudaErrorMemoryAllocation);
  EXPECT_EQ(array.base, nullptr);
}

TEST_F(Allocations, PointerTakesShapesOfBothKinds) {
  void *memory = this;
  FortranDescriptor matrix = allocatable(FlangDevice, 4, {0, 0});
  int64_t wideShape[] = {100, 20};
  FortranDescriptor shape = describe(wideShape, 8, {2});
  cufort_cFPointer(&memory, &matrix, &shape);
  EXPECT_EQ(matrix.base, memory);
  EXPECT_EQ(matrix.dim[0].extent, 100);
  EXPECT_EQ(matrix.dim[1].extent, 20);
  EXPECT_EQ(matrix.dim[1].byteStride, 400);
  int32_t everyOther[] = {5, -1, 6, -1};
  shape = describe(everyOther, 4, {2});
  shape.dim[0].byteStride = 8;
  cufort_cFPointer(&memory, &matrix, &shape);
  EXPECT_EQ(matrix.dim[0].extent, 5);
  EXPECT_EQ(matrix.dim[1].extent, 6);
}

TEST_F(Allocations, PointerTakesAScalarShapeAndNone) {
  void *memory = this;
  FortranDescriptor vector = allocatable(FlangDevice, 4, {0}), scalar = allocatable(FlangDevice, 4, {});
  cufort_cFPointer(&memory, &vector, &narrow(512));
  EXPECT_EQ(vector.dim[0].extent, 512);
  cufort_cFPointer(&memory, &scalar, nullptr);
  EXPECT_EQ(scalar.base, memory);
}

TEST_F(Allocations, PointerWithTheWrongShapeEndsTheProgram) {
  void *memory = this;
  FortranDescriptor matrix = allocatable(FlangDevice, 4, {0, 0});
  EXPECT_EXIT(cufort_cFPointer(&memory, &matrix, &narrow(512)), ::testing::ExitedWithCode(1),
              "c_f_pointer: a shape of 1 extents for an array of rank 2");
}

} // namespace
