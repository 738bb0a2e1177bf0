#include "runtime/Launch/Launch.h"
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Support/Environment.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FortranArray.h"
#include "test/unit/runtime/TestImage.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace cufort::rt;
using fake::Call;

namespace {

class Launch : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    stub = image.kernel("increment");
    cooperative = image.kernel("whole", CufortEntryCooperative);
    image.add();
  }

  Result launch(LaunchConfig config) { return launchKernel(stub, config, nullptr, "x.cuf", 12); }
  const fake::Launch &last() { return fake::device().launches.back(); }

  fake::TestImage image;
  void *stub = nullptr, *cooperative = nullptr;
};

LaunchConfig shape(int64_t gx, int64_t gy, int64_t gz, int64_t bx, int64_t by = 1, int64_t bz = 1) {
  LaunchConfig config;
  config.grid[0] = gx;
  config.grid[1] = gy;
  config.grid[2] = gz;
  config.block[0] = bx;
  config.block[1] = by;
  config.block[2] = bz;
  return config;
}

#define EXPECT_LAUNCHED(config, gx, gy, gz)                                                                            \
  do {                                                                                                                 \
    Result result = launch(config);                                                                                    \
    ASSERT_TRUE(result.ok()) << result.message();                                                                      \
    EXPECT_EQ(last().grid[0], unsigned(gx));                                                                           \
    EXPECT_EQ(last().grid[1], unsigned(gy));                                                                           \
    EXPECT_EQ(last().grid[2], unsigned(gz));                                                                           \
  } while (false)

} // namespace

TEST_F(Launch, passesTheConfigurationOn) {
  LaunchConfig config = shape(3, 4, 5, 6, 7, 8);
  config.sharedBytes = 100;
  config.stream = 0x5555;
  EXPECT_LAUNCHED(config, 3, 4, 5);
  EXPECT_EQ(last().kernel, "increment_");
  EXPECT_EQ(last().block[0], 6u);
  EXPECT_EQ(last().block[1], 7u);
  EXPECT_EQ(last().block[2], 8u);
  EXPECT_EQ(last().sharedBytes, 100u);
  EXPECT_EQ(last().stream, toStream(0x5555));
  EXPECT_FALSE(last().cooperative);
}

TEST_F(Launch, takesTheLargestExtents) {
  EXPECT_LAUNCHED(shape(0x7fffffff, 65535, 65535, 1024), 0x7fffffff, 65535, 65535);
  EXPECT_LAUNCHED(shape(1, 1, 1, 1, 1024, 1), 1, 1, 1);
  EXPECT_LAUNCHED(shape(1, 1, 1, 4, 4, 64), 1, 1, 1);
}

TEST_F(Launch, wrongExtentsDoNotReachTheDriver) {
  const LaunchConfig wrong[] = {
      shape(0, 1, 1, 1),
      shape(1, 0, 1, 1),
      shape(1, 1, 0, 1),
      shape(-2, 1, 1, 1),
      shape(0x80000000, 1, 1, 1),
      shape(1, 65536, 1, 1),
      shape(1, 1, 65536, 1),
      shape(1, 1, 1, 0),
      shape(1, 1, 1, 1025),
      shape(1, 1, 1, -1),
      shape(1, 1, 1, 1, 1, 65),
      shape(1, 1, 1, 32, 33, 1),
      shape(1, 1, 1, int64_t(1) << 32),
  };
  for (const LaunchConfig &config : wrong)
    EXPECT_EQ(launch(config).code(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernel), 0);
}

TEST_F(Launch, saysWhatIsWrongWithTheExtents) {
  EXPECT_NE(launch(shape(1, 1, 1, 32, 33)).detail().find("1056 threads"), std::string::npos);
  EXPECT_NE(launch(shape(1, 70000, 1, 1)).detail().find("(1,70000,1)"), std::string::npos);
}

TEST_F(Launch, threadsAtOnce) { EXPECT_EQ(cufortThreadsAtOnce(), 132 * 2048); }

TEST_F(Launch, withoutDeviceThereAreThreadsForEverything) {
  fake::device().fail(Call::deviceGetAttribute, CUDA_ERROR_NO_DEVICE);
  EXPECT_GT(cufortThreadsAtOnce(), int64_t(1) << 40);
}

TEST_F(Launch, starAsksForResidentBlocks) {
  // 2048 / 256 blocks on each of 132 multiprocessors.
  EXPECT_LAUNCHED(shape(-1, 1, 1, 256), 8 * 132, 1, 1);
  EXPECT_LAUNCHED(shape(1, -1, 1, 256), 1, 8 * 132, 1);
  EXPECT_LAUNCHED(shape(4, -1, 1, 256), 4, 2 * 132, 1);
  EXPECT_LAUNCHED(shape(4, 1, -1, 256), 4, 1, 2 * 132);
  EXPECT_LAUNCHED(shape(100000, -1, 1, 256), 100000, 1, 1);
  EXPECT_EQ(launch(shape(-1, -1, 1, 256)).code(), cudaErrorInvalidConfiguration);
}

TEST_F(Launch, starIsAMultipleOfTheCluster) {
  LaunchConfig config = shape(-1, 1, 1, 256);
  config.cluster[0] = 5;
  config.cluster[1] = config.cluster[2] = 1;
  EXPECT_LAUNCHED(config, 8 * 132 / 5 * 5, 1, 1);
  EXPECT_EQ(last().cluster[0], 5u);
  EXPECT_EQ(last().cluster[2], 1u);
}

TEST_F(Launch, starIsAMultipleOfTheClusterOnItsAxis) {
  LaunchConfig config = shape(2, -1, 1, 256);
  config.cluster[0] = config.cluster[2] = 1;
  config.cluster[1] = 7;
  EXPECT_LAUNCHED(config, 2, 8 * 132 / 2 / 7 * 7, 1);
}

TEST_F(Launch, refusedClustersAreExplained) {
  LaunchConfig config = shape(9, 1, 1, 32);
  config.cluster[0] = 9;
  config.cluster[1] = config.cluster[2] = 1;
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH] = 1;
  auto refusal = [&] {
    fake::device().fail(Call::launchKernelEx, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    Result result = launch(config);
    EXPECT_EQ(result.code(), cudaErrorInvalidClusterSize);
    return std::string(result.detail());
  };
  EXPECT_NE(refusal().find("a cluster of 9 blocks, more than 8, needs cudaFuncSetAttribute"), std::string::npos);
  config.grid[0] = 10;
  EXPECT_NE(refusal().find("the grid (10,1,1) is no multiple of the cluster (9,1,1)"), std::string::npos);
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH] = 0;
  EXPECT_NE(refusal().find("thread block clusters need compute capability 9.0"), std::string::npos);
}

TEST_F(Launch, moreSharedMemoryIsAskedForOnce) {
  LaunchConfig config = shape(1, 1, 1, 32);
  config.sharedBytes = 48 * 1024;
  EXPECT_TRUE(launch(config).ok());
  EXPECT_EQ(fake::device().callsOf(Call::funcSetAttribute), 0);
  config.sharedBytes = 100 * 1024;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(launch(config).ok());
  EXPECT_EQ(fake::device().callsOf(Call::funcSetAttribute), 1);
  config.sharedBytes = 64 * 1024;
  EXPECT_TRUE(launch(config).ok());
  EXPECT_EQ(fake::device().callsOf(Call::funcSetAttribute), 1);
}

TEST_F(Launch, tooMuchSharedMemory) {
  LaunchConfig config = shape(1, 1, 1, 32);
  config.sharedBytes = 228 * 1024;
  Result result = launch(config);
  EXPECT_EQ(result.code(), cudaErrorInvalidValue);
  EXPECT_NE(result.detail().find("233472 bytes"), std::string::npos);
  config.sharedBytes = -1;
  EXPECT_EQ(launch(config).code(), cudaErrorInvalidConfiguration);
  fake::device().fail(Call::funcSetAttribute, CUDA_ERROR_INVALID_VALUE);
  config.sharedBytes = 100 * 1024;
  EXPECT_EQ(launch(config).code(), cudaErrorInvalidValue);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernel), 0);
}

TEST_F(Launch, cooperativeByCallOrByKernel) {
  LaunchConfig config = shape(2, 1, 1, 32);
  EXPECT_TRUE(launchKernel(cooperative, config, nullptr, "x.cuf", 1).ok());
  EXPECT_TRUE(last().cooperative);
  config.cooperative = true;
  EXPECT_TRUE(launch(config).ok());
  EXPECT_TRUE(last().cooperative);
  EXPECT_EQ(fake::device().callsOf(Call::launchCooperativeKernel), 2);
  config.cluster[0] = config.cluster[1] = config.cluster[2] = 1;
  EXPECT_TRUE(launch(config).ok());
  EXPECT_TRUE(last().cooperative);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernelEx), 1);
}

TEST_F(Launch, usesTheThreadsDefaultStream) {
  setThreadDefaultStream(0x1234);
  EXPECT_TRUE(launch(shape(1, 1, 1, 1)).ok());
  EXPECT_EQ(last().stream, toStream(0x1234));
  LaunchConfig config = shape(1, 1, 1, 1);
  config.stream = 2; // cudaStreamPerThread
  EXPECT_TRUE(launch(config).ok());
  EXPECT_EQ(last().stream, perThreadStream());
  std::thread([&] { EXPECT_TRUE(launch(shape(1, 1, 1, 1)).ok()); }).join();
  EXPECT_EQ(last().stream, nullptr);
}

TEST_F(Launch, driverErrorsAreReturned) {
  fake::device().fail(Call::launchKernel, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(shape(1, 1, 1, 1)).code(), cudaErrorLaunchOutOfResources);
  fake::device().fail(Call::occupancyMaxActiveBlocks, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(shape(-1, 1, 1, 1)).code(), cudaErrorInvalidValue);
}

TEST_F(Launch, mayWaitForTheKernel) {
  setenv("NVCOMPILER_ACC_SYNCHRONOUS", "4", 1);
  reloadEnvironment();
  fake::device().fail(Call::streamSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
  Result result = launch(shape(1, 1, 1, 1));
  unsetenv("NVCOMPILER_ACC_SYNCHRONOUS");
  reloadEnvironment();
  EXPECT_EQ(result.code(), cudaErrorIllegalAddress);
  EXPECT_EQ(launchesThatMayHaveFailed(), "kernel 'increment' launched at x.cuf:12");
}

TEST_F(Launch, entryTakesFortransArguments) {
  cufortLaunchKernel(stub, 2, 3, 4, 5, 6, 7, 0, 0, 0, 16, 9, 0, nullptr, "x.cuf", 12);
  EXPECT_EQ(last().grid[1], 3u);
  EXPECT_EQ(last().block[2], 7u);
  EXPECT_EQ(last().sharedBytes, 16u);
  EXPECT_EQ(last().stream, toStream(9));
  EXPECT_EQ(peekLastError(), 0);
}

TEST_F(Launch, failureIsTheThreadsLastError) {
  cufortLaunchKernel(stub, 1, 1, 1, 2000, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 12);
  int other = -1;
  std::thread([&] { other = peekLastError(); }).join();
  EXPECT_EQ(other, 0);
  EXPECT_EQ(peekLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(takeLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(takeLastError(), 0);
}

TEST_F(Launch, manyThreadsMayLaunch) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      LaunchConfig config = shape(1, 1, 1, 32);
      for (int i = 0; i < 100; ++i) {
        config.sharedBytes = 1024 * (40 + i % 50);
        (void)launch(config);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake::device().launches.size(), 800u);
}

namespace {

/// True if a kernel finds that an array with elements of `bytes` and these strides has plain ones.
bool arePlain(int64_t bytes, std::initializer_list<int64_t> strides) {
  FortranDescriptor array = fake::describe(nullptr, bytes, {});
  for (int64_t stride : strides)
    array.dim[array.rank++] = {1, 10, stride};
  cufortNoteStrides(&array, bytes);
  EXPECT_EQ(array.version & INT32_MAX, 20240719);
  return array.version < 0;
}

} // namespace

TEST(Strides, ofWholeArraysArePlain) {
  EXPECT_TRUE(arePlain(4, {4}));
  EXPECT_TRUE(arePlain(8, {8, 8 * 17, 8 * 17 * 3}));
  EXPECT_TRUE(arePlain(12, {12, 36}));
  EXPECT_TRUE(arePlain(1, {1, 3}));
  EXPECT_TRUE(arePlain(4, {4, 0}));
  EXPECT_TRUE(arePlain(4, {4, INT32_MAX - 3}));
}

TEST(Strides, ofSomeSectionsAreNotPlain) {
  EXPECT_FALSE(arePlain(4, {8}));
  EXPECT_FALSE(arePlain(4, {-4}));
  EXPECT_FALSE(arePlain(4, {4, -400}));
  EXPECT_FALSE(arePlain(4, {40, 4}));
  EXPECT_FALSE(arePlain(4, {4, int64_t(INT32_MAX) + 1}));
  EXPECT_FALSE(arePlain(4, {4, 400, int64_t(1) << 33}));
}

TEST(Strides, thatAreNoMultiplesOfTheFactorAreNotPlain) {
  EXPECT_FALSE(arePlain(8, {8, 20}));
  EXPECT_FALSE(arePlain(16, {16, 72}));
  EXPECT_TRUE(arePlain(32, {32, 48}));
  EXPECT_TRUE(arePlain(12, {12, 28}));
}

TEST(Strides, ofScalarsAreNotPlain) { EXPECT_FALSE(arePlain(4, {})); }

TEST_F(Launch, bringsDescriptorsUpToDateThatTheHostChanges) {
  struct {
    int64_t address = 1, rest[7] = {};
  } descriptor;
  fake::TestImage other;
  stub = other.kernel("reader");
  other.variable("field", &descriptor, sizeof descriptor,
                 CufortEntryManaged | CufortEntryDescriptor | CufortEntryFollowed);
  other.add();
  auto onDevice = [] { return *reinterpret_cast<int64_t *>(fake::device().globals["field_"]); };
  EXPECT_LAUNCHED(shape(1, 1, 1, 32), 1, 1, 1);
  EXPECT_EQ(onDevice(), 1);
  EXPECT_LAUNCHED(shape(1, 1, 1, 32), 1, 1, 1);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyHtoD), 1);
  descriptor.address = 2;
  EXPECT_EQ(onDevice(), 1);
  EXPECT_LAUNCHED(shape(1, 1, 1, 32), 1, 1, 1);
  EXPECT_EQ(onDevice(), 2);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyHtoD), 2);
}

TEST_F(Launch, hostReadsManagedDataWhenTheDeviceIsDone) {
  cufortWaitForManaged(nullptr, "x.cuf", 3);
  EXPECT_EQ(fake::device().callsOf(Call::ctxSynchronize), 1);
  setThreadDefaultStream(0x66);
  cufortWaitForManaged(nullptr, "x.cuf", 4);
  setThreadDefaultStream(0);
  EXPECT_EQ(fake::device().callsOf(Call::ctxSynchronize), 1);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(0x66)});
}

TEST_F(Launch, readingManagedDataReportsFailuresOfKernels) {
  fake::device().fail(Call::ctxSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EXIT(cufortWaitForManaged(nullptr, "x.cuf", 3), testing::ExitedWithCode(1),
              "x.cuf:3: array function of managed data: .*illegal");
}
