#include "runtime/Support/Environment.h"
#include "runtime/Support/Result.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace cufort::rt;

TEST(CudaError, hasTheNamesAndTextsOfCuda) {
  EXPECT_STREQ(cudaErrorName(0), "cudaSuccess");
  EXPECT_STREQ(cudaErrorText(0), "no error");
  EXPECT_STREQ(cudaErrorName(9), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaErrorText(700), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaErrorName(10000), "cudaErrorApiFailureBase");
  EXPECT_STREQ(cudaErrorName(10), "unrecognized error code");
  EXPECT_STREQ(cudaErrorText(-1), "unrecognized error code");
}

TEST(CudaError, tableIsInAscendingOrder) {
  const struct {
    int value;
    const char *name;
  } errors[] = {
#define CUFORT_CUDA_ERROR(name, value, text) {value, #name},
#include "runtime/Support/CudaErrors.def"
  };
  int last = -1;
  for (const auto &error : errors) {
    EXPECT_LT(last, error.value) << error.name;
    EXPECT_STREQ(cudaErrorName(error.value), error.name);
    last = error.value;
  }
}

TEST(CudaError, mapsDriverResults) {
  EXPECT_EQ(toCudaError(CUDA_SUCCESS), cudaSuccess);
  EXPECT_EQ(toCudaError(CUDA_ERROR_OUT_OF_MEMORY), cudaErrorMemoryAllocation);
  EXPECT_EQ(toCudaError(CUDA_ERROR_NOT_READY), cudaErrorNotReady);
  // The runtime API has no code for this one.
  EXPECT_EQ(toCudaError(CUDA_ERROR_CONTEXT_ALREADY_CURRENT), cudaErrorUnknown);
  EXPECT_EQ(toCudaError(static_cast<CUresult>(12345)), cudaErrorUnknown);
}

TEST(CudaError, knowsWhatSticks) {
  EXPECT_TRUE(isStickyError(cudaErrorIllegalAddress));
  EXPECT_FALSE(isStickyError(cudaErrorInvalidConfiguration));
  EXPECT_FALSE(isStickyError(cudaErrorMemoryAllocation));
}

TEST(Result, saysWhatFailed) {
  EXPECT_TRUE(Result().ok());
  EXPECT_TRUE(Result(CUDA_SUCCESS, "cuInit").ok());
  Result plain(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc");
  EXPECT_FALSE(plain);
  EXPECT_EQ(plain.message(), "cudaErrorMemoryAllocation (2): out of memory");
  EXPECT_STREQ(plain.operation(), "cuMemAlloc");
  Result detailed(cudaErrorInvalidPtx, "cuModuleLoadDataEx", "line 3: unknown opcode");
  EXPECT_EQ(detailed.message(), "cudaErrorInvalidPtx (218): a PTX JIT compilation failed: line 3: unknown opcode");
}

namespace {

/// Sets a variable for one test.
struct WithVariable {
  WithVariable(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
    reloadEnvironment();
  }
  ~WithVariable() {
    unsetenv(name);
    reloadEnvironment();
  }
  const char *name;
};

} // namespace

TEST(Environment, readsTheDevice) {
  EXPECT_EQ(environment().device, DeviceChoice::Automatic);
  {
    WithVariable gpu("CUFORT_DEVICE", "gpu");
    EXPECT_EQ(environment().device, DeviceChoice::Gpu);
  }
  {
    WithVariable emulated("CUFORT_DEVICE", "emulated");
    EXPECT_EQ(environment().device, DeviceChoice::Emulated);
  }
  WithVariable other("CUFORT_DEVICE", "cpu");
  EXPECT_STREQ(environment().unknownDevice, "cpu");
}

TEST(Environment, synchronousIsABitField) {
  for (const char *value : {"2", "4", "6", "7"}) {
    WithVariable synchronous("NVCOMPILER_ACC_SYNCHRONOUS", value);
    EXPECT_TRUE(environment().synchronousLaunch) << value;
  }
  for (const char *value : {"", "0", "1", "8"}) {
    WithVariable synchronous("NVCOMPILER_ACC_SYNCHRONOUS", value);
    EXPECT_FALSE(environment().synchronousLaunch) << value;
  }
}

TEST(Environment, zeroIsOff) {
  WithVariable debug("CUFORT_DEBUG", "0");
  EXPECT_FALSE(environment().debug);
  WithVariable managed("NVCOMPILER_CUDAFOR_DEVICE_IS_MANAGED", "1");
  EXPECT_TRUE(environment().deviceIsManaged);
}
