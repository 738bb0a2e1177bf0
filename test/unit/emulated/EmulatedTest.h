// What the tests of the emulated device share: kernels are C++ functions written by the ABI, put into an image, and
// launched through the driver table, as the runtime does it.
#pragma once

#include "runtime/ABI/EmulatedABI.h"
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Emulated/EmulatedDriver.h"
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace cufort::rt::emulated {

using ThreadFunction = void (*)(void **params);
using BlocksFunction = void (*)(void **params, const CufortEmuBlocks *range);
using ResumeFunction = decltype(CufortEmuKernel::resume);

/// An execution configuration; what is not set is 1 or 0.
struct Shape {
  unsigned gridX = 1, blockX = 1;
  unsigned gridY = 1, gridZ = 1, blockY = 1, blockZ = 1;
  unsigned dynamicShared = 0;
  bool cooperative = false;
  unsigned cluster[3] = {0, 0, 0}; ///< all 0: the launch names none
};

/// What a test may want to say about its kernel.
struct KernelTraits {
  BlocksFunction blocks = nullptr;
  unsigned staticShared = 0;
  unsigned maxThreads = 0;
  unsigned cluster[3] = {0, 0, 0}; ///< cluster_dims
  std::vector<uint32_t> paramSizes = {}; ///< needed by graphs alone
  ResumeFunction resume = nullptr;
  uint64_t phaseBytes = 0;
};

/// An image with one kernel named "k" and any variables.
class TestImage {
public:
  TestImage(ThreadFunction thread, const KernelTraits &traits = {}, std::vector<CufortEmuVariable> variables = {});
  const CufortImage *image() const { return &description; }

private:
  std::vector<uint32_t> paramSizes;
  CufortEmuKernel kernel;
  std::vector<CufortEmuVariable> variables;
  CufortImage description;
};

/// Runs each test in a fresh context, with two worker threads unless the test asks for another number.
class EmulatedTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Sets an environment variable of the emulated device for the rest of the test.
  void set(const char *name, const std::string &value);
  /// Ends the context and begins a new one, with the settings that the environment now has.
  void restart();

  /// Launches `thread` with `params`, the addresses of its arguments, waits, and returns the outcome.
  CUresult launch(ThreadFunction thread, const Shape &shape, std::vector<void *> params = {},
                  const KernelTraits &traits = {});

  /// The same; sets `output` to what was written to stderr meanwhile.
  CUresult launchAndCapture(std::string &output, ThreadFunction thread, const Shape &shape,
                            std::vector<void *> params = {}, const KernelTraits &traits = {});

  /// The same for a kernel that is loaded.
  CUresult launchLoaded(CUfunction function, const Shape &shape, std::vector<void *> params);

  const DriverTable &driver = emulatedDriver();

private:
  CUresult launchWithCluster(CUfunction function, const Shape &shape, std::vector<void *> &params);

  std::vector<std::string> changed;
  std::vector<std::unique_ptr<TestImage>> images;
};

/// Numbers the device thread that runs, and its block, from 0.
inline unsigned threadNumber() {
  const CufortEmuThread &t = *cufortEmuThread;
  return t.threadIdx[0] + t.blockDim[0] * (t.threadIdx[1] + t.blockDim[1] * t.threadIdx[2]);
}
inline unsigned blockNumber() {
  const CufortEmuThread &t = *cufortEmuThread;
  return t.blockIdx[0] + t.gridDim[0] * (t.blockIdx[1] + t.gridDim[1] * t.blockIdx[2]);
}

/// Returns parameter `number` of a kernel.
template <typename T>
T &param(void **params, int number) {
  return *static_cast<T *>(params[number]);
}

} // namespace cufort::rt::emulated
