// Which code launches run of which there are alternatives.
#include "runtime/Launch/Launch.h"
#include "runtime/Module/Alternatives.h"
#include "runtime/Module/Module.h"
#include "runtime/Support/Environment.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace cufort::rt;
using fake::Call;
using fake::record;

namespace {

const std::vector<CufortTest> alternative = {{CufortTestAlternative, 0, 1, 0, 0}};

/// A kernel k with the alternatives k$few and k$many, and with a version for blocks of 64 that has the alternative
/// k$block$few.
class LaunchOfAlternatives : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    image.versions(record(alternative, {"k_", "k$few"}) + record(alternative, {"k_", "k$many"}) +
                   record({{CufortTestBlock, 0, 0, 0, 64}}, {"k_", "k$block"}) +
                   record(alternative, {"k_", "k$block$few"}) +
                   record({{CufortTestStrides, 0, 0, 0, 0}}, {"k_", "k$unknown", "c_"}) +
                   record(alternative, {"k_", "k$unknown$few"}));
    stub = image.kernel("k");
    image.add();
    fake::device().milliseconds = {{"k_", 0.5f}, {"k$few", 0.3f}, {"k$many", 0.6f}, {"k$block", 0.5f}};
    fake::device().milliseconds["k$block$few"] = 0.2f;
    config.block[0] = 32;
  }

  void TearDown() override {
    unsetenv("CUFORT_TRIALS");
    unsetenv("CUFORT_ALTERNATIVE");
    reloadEnvironment();
  }

  std::string launched() {
    Result result = launchKernel(stub, config, nullptr, "x.cuf", 12);
    return result.ok() ? fake::device().launches.back().kernel : result.message();
  }

  /// What `count` launches run, in their order.
  std::vector<std::string> launchedAll(int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i)
      all.push_back(launched());
    return all;
  }

  /// What runs when enough launches have been.
  std::string settled() { return launchedAll(20).back(); }

  fake::TestImage image;
  LaunchConfig config;
  void *stub = nullptr;
};

TEST_F(LaunchOfAlternatives, TheFastestRunsInTheEnd) {
  std::vector<std::string> all = launchedAll(20);
  EXPECT_EQ(all.front(), "k_");
  EXPECT_EQ(all.back(), "k$few");
  // The first is not measured; two of three are slow by far.
  EXPECT_EQ(std::count(all.begin(), all.end(), "k_"), 2);
  EXPECT_EQ(std::count(all.begin(), all.end(), "k$many"), 1);
  EXPECT_TRUE(fake::device().events.empty());
  int records = fake::device().callsOf(Call::eventRecord);
  EXPECT_EQ(records, 2 * (1 + 1 + 2));
  EXPECT_EQ(launched(), "k$few");
  EXPECT_EQ(fake::device().callsOf(Call::eventRecord), records);
}

TEST_F(LaunchOfAlternatives, CloseOnesAreMeasuredTwice) {
  fake::device().milliseconds = {{"k_", 0.5f}, {"k$few", 0.485f}, {"k$many", 0.5f}};
  std::vector<std::string> all = launchedAll(20);
  EXPECT_EQ(all.back(), "k$few");
  EXPECT_EQ(std::count(all.begin(), all.end(), "k_"), 3);
  EXPECT_EQ(std::count(all.begin(), all.end(), "k$many"), 2);
}

TEST_F(LaunchOfAlternatives, LongOnesAreMeasuredOnce) {
  fake::device().milliseconds = {{"k_", 5}, {"k$few", 4.8f}, {"k$many", 5.1f}};
  EXPECT_EQ(launchedAll(5), (std::vector<std::string>{"k_", "k_", "k$few", "k$many", "k$few"}));
}

TEST_F(LaunchOfAlternatives, AreNotTakenForLittle) {
  fake::device().milliseconds = {{"k_", 0.5f}, {"k$few", 0.495f}, {"k$many", 0.494f}};
  EXPECT_EQ(settled(), "k_");
}

TEST_F(LaunchOfAlternatives, ShortKernelsAreNotWorthIt) {
  fake::device().milliseconds = {{"k_", 0.007f}, {"k$few", 0.001f}, {"k$many", 0.001f}};
  EXPECT_EQ(launchedAll(3), (std::vector<std::string>{"k_", "k_", "k_"}));
}

TEST_F(LaunchOfAlternatives, LaunchesDoNotWait) {
  fake::device().isBusy = true;
  std::vector<std::string> all = launchedAll(30);
  for (const char *kernel : {"k$few", "k$many"})
    EXPECT_EQ(std::count(all.begin(), all.end(), kernel), 2);
  EXPECT_EQ(all.back(), "k_");
  EXPECT_EQ(fake::device().callsOf(Call::eventSynchronize), 0);
  EXPECT_EQ(fake::device().events.size(), 2u * 6u);
  fake::device().isBusy = false;
  EXPECT_EQ(launched(), "k$few");
  EXPECT_TRUE(fake::device().events.empty());
}

TEST_F(LaunchOfAlternatives, VersionsHaveTheirOwn) {
  config.block[0] = 64;
  std::vector<std::string> all = launchedAll(20);
  EXPECT_EQ(all.front(), "k$block");
  EXPECT_EQ(all.back(), "k$block$few");
  EXPECT_EQ(std::count(all.begin(), all.end(), "k$few"), 0);
}

TEST_F(LaunchOfAlternatives, ThoseOfVersionsThatAreLeftOutAreLeftOut) {
  Current current;
  LoadedKernel *kernel = nullptr;
  ASSERT_TRUE(currentContext(current) && findKernel(current, stub, kernel));
  ASSERT_EQ(kernel->versions.size(), 1u);
  EXPECT_EQ(kernel->general.alternatives->codes.size(), 2u);
  EXPECT_EQ(kernel->versions[0].code.alternatives->codes.size(), 1u);
  EXPECT_EQ(withAlternatives(current, *kernel, allCode(current, *kernel)).size(), 5u);
}

TEST_F(LaunchOfAlternatives, EachShapeIsTriedForItself) {
  EXPECT_EQ(settled(), "k$few");
  fake::device().milliseconds = {{"k_", 0.5f}, {"k$few", 0.6f}, {"k$many", 0.3f}};
  config.grid[0] = 7;
  EXPECT_EQ(settled(), "k$many");
  config.sharedBytes = 50000;
  EXPECT_EQ(settled(), "k$many");
  EXPECT_EQ(fake::device().launches.back().sharedBytes, 50000u);
  config.grid[0] = 1;
  config.sharedBytes = 0;
  EXPECT_EQ(settled(), "k$few");
}

TEST_F(LaunchOfAlternatives, ManyShapesRunTheUsualCode) {
  for (int shape = 1; shape <= 32; ++shape) {
    config.grid[0] = shape;
    ASSERT_EQ(settled(), "k$few") << shape;
  }
  config.grid[0] = 33;
  EXPECT_EQ(settled(), "k_");
  config.grid[0] = 32;
  EXPECT_EQ(launched(), "k$few");
}

TEST_F(LaunchOfAlternatives, WithoutTheirCodeAreLeftOut) {
  fake::device().missing = {"k$few"};
  fake::device().milliseconds["k_"] = 0.7f;
  EXPECT_EQ(settled(), "k$many");
}

TEST_F(LaunchOfAlternatives, WhatCannotBeLaunchedIsReplaced) {
  fake::device().refused = {"k$few"};
  for (const std::string &kernel : launchedAll(20))
    EXPECT_TRUE(kernel == "k_" || kernel == "k$many") << kernel;
  EXPECT_EQ(launched(), "k_");
  EXPECT_TRUE(fake::device().events.empty());
}

TEST_F(LaunchOfAlternatives, FailuresOfTheUsualCodeAreReported) {
  EXPECT_EQ(launched(), "k_");
  fake::device().refused = {"k_"};
  EXPECT_NE(launched(), "k_");
  // Nothing to compare with is left.
  fake::device().refused = {};
  EXPECT_EQ(settled(), "k_");
  EXPECT_TRUE(fake::device().events.empty());
}

TEST_F(LaunchOfAlternatives, NoneHelpsCodeThatCannotHaveTheThreads) {
  Current current;
  LoadedKernel *kernel = nullptr;
  ASSERT_TRUE(currentContext(current) && findKernel(current, stub, kernel));
  config.block[0] = 512;
  kernel->general.maxThreads = 256;
  EXPECT_EQ(settled(), "k_");
}

TEST_F(LaunchOfAlternatives, ThoseThatTakeFewerThreadsAreNotForLargeBlocks) {
  EXPECT_EQ(settled(), "k$few");
  Current current;
  LoadedKernel *kernel = nullptr;
  ASSERT_TRUE(currentContext(current) && findKernel(current, stub, kernel));
  kernel->general.alternatives->codes[0].maxThreads = 256;
  config.block[0] = 512;
  EXPECT_EQ(settled(), "k_");
}

TEST_F(LaunchOfAlternatives, FailuresOfEventsAreNotThoseOfLaunches) {
  for (Call call : {Call::eventCreate, Call::eventRecord, Call::eventQuery, Call::eventElapsedTime})
    for (int after : {0, 1, 3}) {
      fake::device().fail(call, CUDA_ERROR_UNKNOWN, after);
      ++config.grid[0];
      std::string last = settled();
      EXPECT_TRUE(last == "k_" || last == "k$few") << last;
      fake::device().fail(call, CUDA_SUCCESS);
      launchedAll(20);
      EXPECT_TRUE(fake::device().events.empty()) << int(call) << " after " << after;
    }
}

TEST_F(LaunchOfAlternatives, GraphsRunWhatIsKnown) {
  static CUstreamCaptureStatus now;
  static DriverTable table;
  table = fake::table();
  table.streamIsCapturing = [](CUstream, CUstreamCaptureStatus *status) {
    *status = now;
    return CUDA_SUCCESS;
  };
  installDriverForTest(&table);
  config.stream = 0x5555;
  now = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_EQ(settled(), "k_");
  EXPECT_EQ(fake::device().callsOf(Call::eventRecord), 0);
  now = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(settled(), "k$few");
  now = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_EQ(launched(), "k$few");
}

TEST_F(LaunchOfAlternatives, CooperativeLaunchesAndClustersAreNotTried) {
  config.cooperative = true;
  EXPECT_EQ(settled(), "k_");
  config.cooperative = false;
  config.cluster[0] = config.cluster[1] = config.cluster[2] = 1;
  EXPECT_EQ(settled(), "k_");
}

TEST_F(LaunchOfAlternatives, TheEnvironmentTurnsThemOff) {
  setenv("CUFORT_TRIALS", "0", 1);
  reloadEnvironment();
  EXPECT_EQ(settled(), "k_");
  EXPECT_EQ(fake::device().callsOf(Call::eventCreate), 0);
}

TEST_F(LaunchOfAlternatives, TheEnvironmentChoosesOne) {
  setenv("CUFORT_ALTERNATIVE", "many", 1);
  reloadEnvironment();
  EXPECT_EQ(launchedAll(3), (std::vector<std::string>{"k$many", "k$many", "k$many"}));
  EXPECT_EQ(fake::device().callsOf(Call::eventCreate), 0);
  config.block[0] = 64;
  EXPECT_EQ(launched(), "k$block");
  setenv("CUFORT_ALTERNATIVE", "few", 1);
  reloadEnvironment();
  EXPECT_EQ(launched(), "k$block$few");
  fake::device().missing = {"k$few"};
  config.block[0] = 32;
  EXPECT_EQ(launched(), "k_");
}

TEST_F(LaunchOfAlternatives, SeveralThreadsMayLaunch) {
  fake::device().recordLaunches = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j)
        EXPECT_TRUE(launchKernel(stub, config, nullptr, "x.cuf", 12));
    });
  for (std::thread &thread : threads)
    thread.join();
  fake::device().recordLaunches = true;
  EXPECT_TRUE(fake::device().events.empty());
}

/// A kernel with one parameter, and an alternative whose blocks do two of the grid on y.
class LaunchOfPairs : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    image.versions(record({{CufortTestAlternative, 1, 2, 1, 0}}, {"p_", "p$pairs"}));
    stub = image.kernel("p");
    image.add();
    fake::device().milliseconds = {{"p_", 0.5f}, {"p$pairs", 0.3f}};
    fake::device().parametersOf = {{"p_", 1}, {"p$pairs", 2}};
  }

  fake::Launch settled(int64_t x, int64_t y) {
    LaunchConfig config;
    config.grid[0] = x;
    config.grid[1] = y;
    uint32_t parameter = 77;
    void *params[] = {&parameter};
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(launchKernel(stub, config, params, "x.cuf", 12));
    return fake::device().launches.back();
  }

  fake::TestImage image;
  void *stub = nullptr;
};

TEST_F(LaunchOfPairs, HaveHalfAsManyBlocksAndKnowHowManyThereWere) {
  for (unsigned blocks : {2u, 3u, 8u, 65535u}) {
    fake::Launch launch = settled(5, blocks);
    EXPECT_EQ(launch.kernel, "p$pairs");
    EXPECT_EQ(launch.grid[0], 5u);
    EXPECT_EQ(launch.grid[1], (blocks + 1) / 2);
    EXPECT_EQ(launch.parameters, (std::vector<uint32_t>{77, blocks}));
  }
}

TEST_F(LaunchOfPairs, AreNotForOneBlock) {
  fake::Launch launch = settled(5, 1);
  EXPECT_EQ(launch.kernel, "p_");
  EXPECT_EQ(launch.grid[1], 1u);
  EXPECT_EQ(launch.parameters, std::vector<uint32_t>{77});
}

TEST_F(LaunchOfPairs, OtherLaunchesHaveTheirGrid) {
  fake::device().milliseconds["p$pairs"] = 0.7f;
  fake::Launch launch = settled(5, 9);
  EXPECT_EQ(launch.kernel, "p_");
  EXPECT_EQ(launch.grid[1], 9u);
}

} // namespace
