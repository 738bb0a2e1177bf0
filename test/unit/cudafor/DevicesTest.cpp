#include "test/unit/cudafor/CudaForTest.h"
#include <cstring>

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Devices = CudaForTest;

TEST_F(Devices, CountAndChoice) {
  int count = -1, current = -1;
  EXPECT_EQ(cufort_cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cufort_cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cufort_cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 1);
}

TEST_F(Devices, WrongNumberIsAnErrorThatIsRemembered) {
  EXPECT_EQ(cufort_cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cufort_cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

TEST_F(Devices, ValidDevicesPreferTheFirst) {
  int wanted[] = {1, 0}, current = -1;
  EXPECT_EQ(cufort_cudaSetValidDevices(wanted, 2), cudaSuccess);
  cufort_cudaGetDevice(&current);
  EXPECT_EQ(current, 1);
  int wrong[] = {0, 7};
  EXPECT_EQ(cufort_cudaSetValidDevices(wrong, 2), cudaErrorInvalidDevice);
  EXPECT_EQ(cufort_cudaSetValidDevices(wanted, 3), cudaErrorInvalidValue);
}

TEST_F(Devices, PropertiesComeFromAttributes) {
  device().attributes[CU_DEVICE_ATTRIBUTE_WARP_SIZE] = 32;
  device().attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = 49152;
  device().attributes[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = 2619000;
  device().attributes[CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS] = 1;
  DeviceProperties properties;
  std::memset(&properties, 0xff, sizeof properties);
  EXPECT_EQ(cufort_cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.sharedMemPerBlock, 49152);
  EXPECT_EQ(properties.maxThreadsDim[0], 1024);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.memoryClockRate, 2619000);
  EXPECT_EQ(properties.unifiedFunctionPointers, 1);
  EXPECT_EQ(properties.integrated, 0);
  EXPECT_EQ(std::string(properties.name, sizeof properties.name), std::string(256, ' '));
}

TEST_F(Devices, AttributesThatTheDriverLacksAreZero) {
  device().fail(Call::deviceGetAttribute, CUDA_ERROR_INVALID_VALUE);
  DeviceProperties properties;
  std::memset(&properties, 0xff, sizeof properties);
  EXPECT_EQ(cufort_cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 0);
  EXPECT_EQ(properties.totalConstMem, 0);
}

TEST_F(Devices, PropertiesOfNoDevice) {
  device().fail(Call::deviceGet, CUDA_ERROR_INVALID_DEVICE);
  DeviceProperties properties;
  EXPECT_EQ(cufort_cudaGetDeviceProperties(&properties, 9), cudaErrorInvalidDevice);
}

TEST_F(Devices, ChooseTakesTheFirstOfEqualDevices) {
  DeviceProperties wanted = {};
  wanted.major = 8;
  int chosen = -1;
  EXPECT_EQ(cufort_cudaChooseDevice(&chosen, &wanted), cudaSuccess);
  EXPECT_EQ(chosen, 0);
}

TEST_F(Devices, FlagsAreCheckedBeforeTheDriverSeesThem) {
  EXPECT_EQ(cufort_cudaSetDeviceFlags(CU_CTX_MAP_HOST | CU_CTX_SCHED_BLOCKING_SYNC), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::devicePrimaryCtxSetFlags), 1);
  EXPECT_EQ(recorded().flags, unsigned(CU_CTX_SCHED_BLOCKING_SYNC));
  EXPECT_EQ(cufort_cudaSetDeviceFlags(1 << 20), cudaErrorInvalidValue);
  EXPECT_EQ(device().callsOf(Call::devicePrimaryCtxSetFlags), 1);
}

TEST_F(Devices, LimitsTakeIntegersOfBothKinds) {
  EXPECT_EQ(cufort_cudaDeviceSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, wide(int64_t(6) << 32)), cudaSuccess);
  EXPECT_EQ(recorded().bytes, size_t(6) << 32);
  EXPECT_EQ(recorded().limit, CU_LIMIT_MALLOC_HEAP_SIZE);
  EXPECT_EQ(cufort_cudaDeviceSetLimit(CU_LIMIT_STACK_SIZE, narrow(4096)), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 4096u);
  EXPECT_EQ(cufort_cudaDeviceSetLimit(CU_LIMIT_STACK_SIZE, narrow(-1)), cudaErrorInvalidValue);
}

TEST_F(Devices, SynchronizeReturnsTheFaultOfAKernel) {
  EXPECT_EQ(cufort_cudaDeviceSynchronize(), cudaSuccess);
  device().fail(Call::ctxSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cufort_cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cufort_cudaThreadSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(Devices, AttributeNumbersAreTheDrivers) {
  int value = 0;
  EXPECT_EQ(cufort_cudaDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1), cudaSuccess);
  EXPECT_EQ(value, 132);
}

} // namespace
