// Modules: finding kernels and variables, initial values, and questions about kernels.
#include "test/unit/emulated/EmulatedTest.h"

namespace cufort::rt::emulated {
namespace {

int zeroVariable[4];
double setVariable = 2.5;

void useVariables(void **) {
  __atomic_fetch_add(&zeroVariable[2], 1, __ATOMIC_RELAXED);
  if (threadNumber() == 0)
    setVariable = 7;
}

class Module : public EmulatedTest {
protected:
  TestImage image{useVariables,
                  {nullptr, 1024, 256},
                  {{"zeros", zeroVariable, sizeof zeroVariable, 0}, {"set", &setVariable, sizeof setVariable, 0}}};

  CUmodule load() {
    CUmodule module = nullptr;
    EXPECT_EQ(driver.moduleLoadDataEx(&module, image.image(), 0, nullptr, nullptr), CUDA_SUCCESS);
    return module;
  }
  CUfunction kernelOf(CUmodule module) {
    CUfunction function = nullptr;
    EXPECT_EQ(driver.moduleGetFunction(&function, module, "k"), CUDA_SUCCESS);
    return function;
  }
};

TEST_F(Module, FindsKernelsAndVariablesByName) {
  CUmodule module = load();
  CUfunction function;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  EXPECT_EQ(driver.moduleGetFunction(&function, module, "other"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.moduleGetGlobal(&address, &bytes, module, "set"), CUDA_SUCCESS);
  EXPECT_EQ(address, reinterpret_cast<CUdeviceptr>(&setVariable));
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(driver.moduleGetGlobal(nullptr, nullptr, module, "k"), CUDA_ERROR_NOT_FOUND);
  double value = 1.25;
  EXPECT_EQ(driver.memcpyHtoD(address, &value, 8), CUDA_SUCCESS);
  EXPECT_EQ(setVariable, 1.25);
  EXPECT_EQ(driver.moduleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(driver.moduleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.memcpyHtoD(address, &value, 8), CUDA_ERROR_INVALID_VALUE) << "gone with the module";
}

TEST_F(Module, VariablesStartWithTheirInitialValues) {
  for (int i = 0; i < 2; ++i) {
    CUfunction function = kernelOf(load());
    EXPECT_EQ(zeroVariable[2], 0);
    EXPECT_EQ(setVariable, 2.5);
    ASSERT_EQ(launchLoaded(function, {4, 10}, {}), CUDA_SUCCESS);
    EXPECT_EQ(zeroVariable[2], 40);
    EXPECT_EQ(setVariable, 7);
    restart();
  }
  EXPECT_EQ(driver.moduleUnload(load()), CUDA_SUCCESS);
  EXPECT_EQ(setVariable, 2.5);
}

TEST_F(Module, ImagesOfAnotherAbiAreRefused) {
  CufortImage other = *image.image();
  ++other.abiVersion;
  CUmodule module;
  EXPECT_EQ(driver.moduleLoadDataEx(&module, &other, 0, nullptr, nullptr), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(Module, KernelAttributes) {
  CUfunction function = kernelOf(load());
  auto attribute = [&](CUfunction_attribute which) {
    int value = -7;
    EXPECT_EQ(driver.funcGetAttribute(&value, which, function), CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 256);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1024);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION), 90);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), (48 << 10) - 1024);
  EXPECT_EQ(driver.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (227 << 10) - 1024),
            CUDA_SUCCESS);
  EXPECT_EQ(driver.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 << 10),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 3), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Module, Occupancy) {
  CUfunction function = kernelOf(load());
  auto blocks = [&](int threads, size_t shared) {
    int value = -7;
    EXPECT_EQ(driver.occupancyMaxActiveBlocks(&value, function, threads, shared), CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(blocks(256, 0), 8) << "2048 threads";
  EXPECT_EQ(blocks(33, 0), 32) << "32 blocks";
  EXPECT_EQ(blocks(65, 0), 21) << "whole warps";
  EXPECT_EQ(blocks(64, 100 << 10), 2) << "228 KB of shared memory";
  EXPECT_EQ(blocks(257, 0), 0) << "launch bounds";
  int value;
  EXPECT_EQ(driver.occupancyMaxActiveBlocks(&value, function, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Module, MessagesUseTheFortranName) {
  CufortEntry entry{nullptr, "k", "mykernel", 0, CufortEntryKernel, 0};
  CufortImage named = *image.image();
  CufortEmuKernel kernel = *named.emuKernelsBegin;
  kernel.thread = [](void **) { cufortEmuTrap("stop", nullptr); };
  named.entriesBegin = &entry;
  named.entriesEnd = &entry + 1;
  named.emuKernelsBegin = &kernel;
  named.emuKernelsEnd = &kernel + 1;
  named.emuVariablesEnd = named.emuVariablesBegin;
  CUmodule module;
  ASSERT_EQ(driver.moduleLoadDataEx(&module, &named, 0, nullptr, nullptr), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launchLoaded(kernelOf(module), {1, 1}, {}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cufort: kernel 'mykernel': stop (block (1,1,1), thread (1,1,1))\n");
}

TEST_F(Module, LaunchWithAttributes) {
  CUfunction function = kernelOf(load());
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config{2, 1, 1, 8, 1, 1, 0, nullptr, attributes, 2};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[0].value.cooperative = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {1, 1, 1};
  EXPECT_EQ(driver.launchKernelEx(&config, function, nullptr, nullptr), CUDA_SUCCESS);
  attributes[1].value.clusterDim = {2, 1, 1};
  EXPECT_EQ(driver.launchKernelEx(&config, function, nullptr, nullptr), CUDA_SUCCESS);
  attributes[1].value.clusterDim = {2, 0, 1};
  EXPECT_EQ(driver.launchKernelEx(&config, function, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace cufort::rt::emulated
