#include "runtime/Module/Module.h"
#include "test/unit/cudafor/CudaForTest.h"
#include "test/unit/runtime/TestImage.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

class Execution : public CudaForTest {
protected:
  Execution() {
    stub = reinterpret_cast<Kernel>(const_cast<void *>(image.kernel("increment")));
    image.add();
  }
  TestImage image;
  Kernel stub;
};

TEST_F(Execution, AttributesOfAKernel) {
  FunctionAttributes attributes;
  EXPECT_EQ(cufort_cudaFuncGetAttributes(&attributes, stub), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 * 1024);
  EXPECT_EQ(attributes.numRegs, 0);
}

/// With a version of the kernel.
class ExecutionOfVersions : public CudaForTest {
protected:
  ExecutionOfVersions() {
    FatBinaryBuilder builder;
    builder.add(CufortFatPTX, 50, "ptx50");
    builder.add(CufortFatVersions, 50, record({}, {"increment_", "increment_$usual"}));
    image.fatBinary = builder.build();
    stub = reinterpret_cast<Kernel>(const_cast<void *>(image.kernel("increment")));
    image.add();
  }
  TestImage image;
  Kernel stub;
};

TEST_F(ExecutionOfVersions, AttributesAreSetForAll) {
  EXPECT_EQ(cufort_cudaFuncSetAttribute(stub, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::funcSetAttribute), 2);
  EXPECT_EQ(cufort_cudaFuncSetCacheConfig(stub, CU_FUNC_CACHE_PREFER_L1), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::funcSetCacheConfig), 2);
  EXPECT_EQ(cufort_cudaFuncSetSharedMemConfig(stub, 1), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::funcSetSharedMemConfig), 2);
  device().fail(Call::funcSetCacheConfig, CUDA_ERROR_INVALID_VALUE, 1);
  EXPECT_EQ(cufort_cudaFuncSetCacheConfig(stub, CU_FUNC_CACHE_PREFER_L1), cudaErrorInvalidValue);
}

TEST_F(ExecutionOfVersions, AttributesAreThoseOfTheUsualVersion) {
  Current current;
  LoadedKernel *kernel = nullptr;
  ASSERT_TRUE(currentContext(current));
  ASSERT_TRUE(findKernel(current, reinterpret_cast<const void *>(stub), kernel));
  KernelFunction &usual = usualCode(current, *kernel);
  reinterpret_cast<Function *>(usual.function.load())->attributes[CU_FUNC_ATTRIBUTE_NUM_REGS] = 40;
  reinterpret_cast<Function *>(kernel->general.function.load())->attributes[CU_FUNC_ATTRIBUTE_NUM_REGS] = 50;
  FunctionAttributes attributes;
  EXPECT_EQ(cufort_cudaFuncGetAttributes(&attributes, stub), cudaSuccess);
  EXPECT_EQ(attributes.numRegs, 40);
}

TEST_F(ExecutionOfVersions, OccupancyIsTheLeastOfAll) {
  static int blocks;
  blocks = 5;
  static DriverTable decreasing;
  decreasing = fake::table();
  decreasing.occupancyMaxActiveBlocksWithFlags = [](int *result, CUfunction, int, size_t, unsigned) {
    *result = blocks--;
    return CUDA_SUCCESS;
  };
  installDriverForTest(&decreasing);
  int least = 0;
  EXPECT_EQ(cufort_cudaOccupancyMaxActiveBlocks(&least, stub, 256, narrow(0)), cudaSuccess);
  EXPECT_EQ(least, 4);
}

TEST_F(Execution, WhatIsNoKernel) {
  FunctionAttributes attributes;
  auto other = reinterpret_cast<Kernel>(uintptr_t(0x77));
  EXPECT_EQ(cufort_cudaFuncGetAttributes(&attributes, other), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cufort_cudaFuncSetAttribute(other, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1),
            cudaErrorInvalidDeviceFunction);
}

TEST_F(Execution, RaisedSharedMemoryIsKnownToLaunches) {
  EXPECT_EQ(cufort_cudaFuncSetAttribute(stub, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000), cudaSuccess);
  Current current;
  LoadedKernel *kernel = nullptr;
  ASSERT_TRUE(currentContext(current));
  ASSERT_TRUE(findKernel(current, reinterpret_cast<const void *>(stub), kernel));
  EXPECT_EQ(kernel->general.dynamicSharedLimit.load(), 100000);
  device().fail(Call::funcSetAttribute, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cufort_cudaFuncSetAttribute(stub, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30),
            cudaErrorInvalidValue);
  EXPECT_EQ(kernel->general.dynamicSharedLimit.load(), 100000);
}

TEST_F(Execution, CacheConfigurationByStubAndByName) {
  EXPECT_EQ(cufort_cudaFuncSetCacheConfig(stub, CU_FUNC_CACHE_PREFER_L1), cudaSuccess);
  char name[] = "increment  ", wrong[] = "decrement";
  EXPECT_EQ(cudaforSetNamedCacheConfig(describe(name, 11, {}), CU_FUNC_CACHE_PREFER_L1), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::funcSetCacheConfig), 2);
  EXPECT_EQ(cudaforSetNamedCacheConfig(describe(wrong, 9, {}), CU_FUNC_CACHE_PREFER_L1),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaforSetNamedSharedMemConfig(describe(name, 11, {}), 1), cudaSuccess);
  EXPECT_EQ(cufort_cudaFuncSetSharedMemConfig(stub, 1), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::funcSetSharedMemConfig), 2);
}

TEST_F(Execution, OccupancyOfBlocks) {
  int blocks = 0;
  EXPECT_EQ(cufort_cudaOccupancyMaxActiveBlocks(&blocks, stub, 256, narrow(1024)), cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(recorded().bytes, 1024u);
  EXPECT_EQ(cufort_cudaOccupancyMaxActiveBlocksWithFlags(&blocks, stub, 128, wide(0), 1), cudaSuccess);
  EXPECT_EQ(recorded().flags, 1u);
  EXPECT_EQ(cufort_cudaOccupancyMaxActiveBlocks(&blocks, stub, 256, narrow(-1)), cudaErrorInvalidValue);
}

TEST_F(Execution, OccupancyOfClusters) {
  ClusterConfig config = {{64, 1, 1}, {256, 1, 1}, {2, 2, 1}, 4096, 0x5000};
  int clusters = 0;
  EXPECT_EQ(cufort_cudaOccupancyMaxActiveClusters(&clusters, stub, &config), cudaSuccess);
  EXPECT_EQ(clusters, 7);
  EXPECT_EQ(recorded().launch.gridDimX, 64u);
  EXPECT_EQ(recorded().launch.blockDimX, 256u);
  EXPECT_EQ(recorded().launch.sharedMemBytes, 4096u);
  EXPECT_EQ(recorded().launch.numAttrs, 1u);
  EXPECT_EQ(recorded().launchAttribute.value.clusterDim.y, 2u);
  config.clusterDim = {1, 1, 1};
  EXPECT_EQ(cufort_cudaOccupancyMaxPotentialClusterSize(&clusters, stub, &config), cudaSuccess);
  EXPECT_EQ(recorded().launch.numAttrs, 0u);
  device().fail(Call::occupancyMaxActiveClusters, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cufort_cudaOccupancyMaxActiveClusters(&clusters, stub, &config), cudaErrorNotSupported);
}

TEST_F(Execution, DoublesAreLeftAlone) {
  double value = 2.5;
  EXPECT_EQ(cufort_cudaSetDoubleForDevice(&value), cudaSuccess);
  EXPECT_EQ(cufort_cudaSetDoubleForHost(&value), cudaSuccess);
  EXPECT_EQ(value, 2.5);
}

} // namespace
