#include "test/unit/emulated/EmulatedTest.h"
#include "runtime/Emulated/Settings.h"
#include <cstdlib>

namespace cufort::rt::emulated {

TestImage::TestImage(ThreadFunction thread, const KernelTraits &traits, std::vector<CufortEmuVariable> theVariables)
    : paramSizes(traits.paramSizes), kernel{"k",
                                            thread,
                                            traits.blocks,
                                            paramSizes.data(),
                                            uint32_t(paramSizes.size()),
                                            traits.staticShared,
                                            traits.maxThreads,
                                            0,
                                            {traits.cluster[0], traits.cluster[1], traits.cluster[2]},
                                            0,
                                            traits.resume,
                                            traits.phaseBytes},
      variables(std::move(theVariables)), description{} {
  description.abiVersion = CUFORT_ABI_VERSION;
  description.emuKernelsBegin = &kernel;
  description.emuKernelsEnd = &kernel + 1;
  description.emuVariablesBegin = variables.data();
  description.emuVariablesEnd = variables.data() + variables.size();
}

void EmulatedTest::SetUp() {
  set("CUFORT_EMULATED_THREADS", "2");
  restart();
}

void EmulatedTest::TearDown() {
  driver.devicePrimaryCtxRelease(0);
  for (const std::string &name : changed)
    unsetenv(name.c_str());
  reloadSettings();
}

void EmulatedTest::set(const char *name, const std::string &value) {
  setenv(name, value.c_str(), 1);
  changed.push_back(name);
  reloadSettings();
}

void EmulatedTest::restart() {
  driver.devicePrimaryCtxRelease(0);
  CUcontext context;
  ASSERT_EQ(driver.devicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver.ctxSetCurrent(context), CUDA_SUCCESS);
}

CUresult EmulatedTest::launchWithCluster(CUfunction function, const Shape &shape, std::vector<void *> &params) {
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = shape.cooperative;
  CUlaunchConfig config = {shape.gridX, shape.gridY,         shape.gridZ, shape.blockX, shape.blockY,
                           shape.blockZ, shape.dynamicShared, nullptr,     attributes,   2};
  return driver.launchKernelEx(&config, function, params.data(), nullptr);
}

CUresult EmulatedTest::launchLoaded(CUfunction function, const Shape &shape, std::vector<void *> params) {
  CUresult result =
      shape.cluster[0] ? launchWithCluster(function, shape, params)
      : shape.cooperative
          ? driver.launchCooperativeKernel(function, shape.gridX, shape.gridY, shape.gridZ, shape.blockX, shape.blockY,
                                           shape.blockZ, shape.dynamicShared, nullptr, params.data())
          : driver.launchKernel(function, shape.gridX, shape.gridY, shape.gridZ, shape.blockX, shape.blockY,
                                shape.blockZ, shape.dynamicShared, nullptr, params.data(), nullptr);
  return result == CUDA_SUCCESS ? driver.ctxSynchronize() : result;
}

CUresult EmulatedTest::launch(ThreadFunction thread, const Shape &shape, std::vector<void *> params,
                              const KernelTraits &traits) {
  images.push_back(std::make_unique<TestImage>(thread, traits));
  CUmodule module;
  CUfunction function;
  if (CUresult result = driver.moduleLoadDataEx(&module, images.back()->image(), 0, nullptr, nullptr))
    return result;
  if (CUresult result = driver.moduleGetFunction(&function, module, "k"))
    return result;
  if (shape.dynamicShared > 48 << 10)
    if (CUresult result = driver.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  int(shape.dynamicShared)))
      return result;
  return launchLoaded(function, shape, std::move(params));
}

CUresult EmulatedTest::launchAndCapture(std::string &output, ThreadFunction thread, const Shape &shape,
                                        std::vector<void *> params, const KernelTraits &traits) {
  testing::internal::CaptureStderr();
  CUresult result = launch(thread, shape, std::move(params), traits);
  output = testing::internal::GetCapturedStderr();
  return result;
}

} // namespace cufort::rt::emulated
