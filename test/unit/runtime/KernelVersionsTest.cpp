#include "runtime/Module/KernelVersions.h"
#include "runtime/FlangEntries/Sync.h"
#include "runtime/Launch/Launch.h"
#include "runtime/Module/Module.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FortranArray.h"
#include "test/unit/runtime/TestImage.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace cufort::rt;
using fake::Call;
using fake::record;

namespace {

constexpr uint32_t plainBit = 0x80000000u;

/// Whether a version with `tests` serves a launch.
bool serves(std::vector<CufortTest> tests, void **params, std::vector<int32_t> strides = {},
            std::array<int64_t, 3> block = {32, 8, 1}, std::array<int64_t, 3> grid = {4, 2, -1}) {
  std::deque<std::atomic<int32_t>> values;
  KernelVersion version;
  version.record = {"", {}, tests.data(), static_cast<unsigned>(tests.size()), {}};
  for (int32_t number : strides)
    version.strides.push_back(&values.emplace_back(number));
  LaunchParameters parameters(params);
  return version.serves(parameters, grid.data(), block.data());
}

TEST(KernelVersion, ServesWhereAllTestsHold) {
  int32_t numbers[2] = {5, 12};
  void *params[] = {&numbers[0], numbers};
  EXPECT_TRUE(serves({}, params));
  EXPECT_TRUE(serves({{CufortTestParameter, 0, 0, ~0u, 5}, {CufortTestParameter, 1, 4, 3, 0}}, params));
  EXPECT_FALSE(serves({{CufortTestParameter, 0, 0, ~0u, 5}, {CufortTestParameter, 1, 4, 7, 0}}, params));
  EXPECT_FALSE(serves({{CufortTestParameter, 0, 0, ~0u, 4}}, params));
  EXPECT_TRUE(serves({{CufortTestEqual, 0, 4, 1, 4}}, params));
  EXPECT_FALSE(serves({{CufortTestEqual, 0, 0, 1, 4}}, params));
  EXPECT_TRUE(
      serves({{CufortTestBlock, 0, 0, 0, 32}, {CufortTestBlock, 1, 0, 0, 8}, {CufortTestBlock, 2, 0, 0, 1}}, params));
  EXPECT_FALSE(serves({{CufortTestBlock, 0, 0, 0, 32}, {CufortTestBlock, 1, 0, 0, 4}}, params));
}

TEST(KernelVersion, ServesWhereTheGridHasEnoughThreads) {
  constexpr uint32_t none = CUFORT_NO_PARAMETER;
  int32_t numbers[3] = {128, 129, -5};
  void *params[] = {&numbers[0], &numbers[1], &numbers[2]};
  EXPECT_TRUE(serves({{CufortTestThreads, 0, none, none, 128}, {CufortTestThreads, 1, none, none, 16}}, params));
  EXPECT_FALSE(serves({{CufortTestThreads, 0, none, none, 129}}, params));
  EXPECT_TRUE(serves({{CufortTestThreads, 0, none, none, static_cast<uint32_t>(-1)}}, params));
  EXPECT_TRUE(serves({{CufortTestThreads, 0, none, 0, 0}, {CufortTestThreads, 0, none, 2, 0}}, params));
  EXPECT_FALSE(serves({{CufortTestThreads, 0, none, 1, 0}}, params));
  EXPECT_TRUE(serves({{CufortTestThreads, 0, none, 1, static_cast<uint32_t>(-1)}}, params));
  EXPECT_TRUE(serves({{CufortTestThreads, 1, 0, 1, 15}}, params)); // 129 - 128 + 15
  EXPECT_FALSE(serves({{CufortTestThreads, 1, 0, 1, 16}}, params));
  EXPECT_FALSE(serves({{CufortTestThreads, 2, none, none, 1}}, params)); // as many blocks as fit
  EXPECT_FALSE(serves({{CufortTestThreads, 2, none, none, 0}}, params));
}

TEST(KernelVersion, LooksAtTheStridesOfVariables) {
  const int32_t plain = INT32_MIN;
  const CufortTest isPlain = {CufortTestStrides, 0, 0, plainBit, plainBit}, same = {CufortTestSame, 0, 1, 0, 0};
  EXPECT_TRUE(serves({isPlain}, nullptr, {plain + 7}));
  EXPECT_FALSE(serves({isPlain}, nullptr, {0}));
  EXPECT_TRUE(serves({isPlain, same}, nullptr, {plain + 7, plain + 7}));
  EXPECT_FALSE(serves({isPlain, same}, nullptr, {plain + 7, plain + 8}));
}

TEST(KernelVersions, AreReadInOrder) {
  std::string bytes = record({{CufortTestSame, 0, 1, 0, 0}}, {"k", "k$same", "a", "b"}) +
                      record({}, {"other", "other$"}) + record({}, {"k", "k$plain"});
  std::vector<VersionRecord> records = readVersions(bytes.data(), bytes.size(), "k");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_STREQ(records[0].symbol, "k$same");
  ASSERT_EQ(records[0].variables.size(), 2u);
  EXPECT_STREQ(records[0].variables[1], "b");
  EXPECT_STREQ(records[1].symbol, "k$plain");
  EXPECT_TRUE(readVersions(nullptr, 0, "k").empty());
}

TEST(KernelVersions, WhatIsNoRecordIsLeftOut) {
  std::string good = record({}, {"k", "k$good"});
  auto readBehind = [&](std::string bad) {
    std::string bytes = good + bad + good;
    return readVersions(bytes.data(), bytes.size(), "k").size();
  };
  EXPECT_EQ(readBehind(""), 2u);
  EXPECT_EQ(readBehind(record({{CufortTestStrides, 1, 0, 0, 0}}, {"k", "k$", "a"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestSame, 0, 1, 0, 0}}, {"k", "k$", "a"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestBlock, 3, 0, 0, 0}}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestThreads, 3, 0, 0, 0}}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestAlternative + 1, 0, 0, 0, 0}}, {"k", "k$"})), 1u);
  // An alternative has no conditions, variables and steps.
  const CufortTest alternative = {CufortTestAlternative, 0, 1, 0, 0};
  EXPECT_EQ(readBehind(record({alternative}, {"k", "k$"})), 3u);
  EXPECT_EQ(readBehind(record({{CufortTestAlternative, 2, 2, CufortMaxVersionParameters, 0}}, {"k", "k$"})), 3u);
  EXPECT_EQ(readBehind(record({{CufortTestAlternative, 3, 2, 0, 0}}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestAlternative, 0, 0, 0, 0}}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestAlternative, 0, 3, 0, 0}}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({{CufortTestAlternative, 0, 2, CufortMaxVersionParameters + 1, 0}}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({alternative, alternative}, {"k", "k$"})), 1u);
  EXPECT_EQ(readBehind(record({alternative}, {"k", "k$", "a"})), 1u);
  EXPECT_EQ(readBehind(record({alternative}, {"k", "k$"}, {{{CufortStepConstant, 32, 0, 0, 0, 1}}, {}, 0, 0})), 1u);
  for (uint32_t bytes : {0u, 6u, 9u, 4096u}) {
    std::string bad = record({}, {"k", "k$"});
    std::memcpy(bad.data(), &bytes, sizeof bytes);
    EXPECT_EQ(readBehind(bad), 1u) << bytes;
  }
  std::string manyTests = record({}, {"k", "k$"});
  manyTests[4] = 100;
  EXPECT_EQ(readBehind(manyTests), 1u);
  for (size_t bytes = 0; bytes < good.size(); ++bytes)
    EXPECT_TRUE(readVersions(good.data(), bytes, "k").empty());
}

/// A kernel with a version for a parameter that is 1, one for plain strides of two variables, and one for blocks of 64.
class LaunchOfVersions : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    image.versions(record({{CufortTestParameter, 0, 0, ~0u, 1}}, {"increment_", "increment_$one"}) +
                   record({{CufortTestStrides, 0, 0, plainBit, plainBit}, {CufortTestSame, 0, 1, 0, 0}},
                          {"increment_", "increment_$same", "a_", "b_"}) +
                   record({{CufortTestBlock, 0, 0, 0, 64}}, {"increment_", "increment_$block"}) +
                   record({{CufortTestStrides, 0, 0, 0, 0}}, {"increment_", "increment_$unknown", "c_"}));
    stub = image.kernel("increment");
    for (auto [name, array] : {std::pair("a", &a), std::pair("b", &b)}) {
      fake::device().sizes[std::string(name) + "_"] = array->sizeInBytes() + 8;
      image.variable(name, array, array->sizeInBytes(), CufortEntryDescriptor);
    }
    image.add();
  }

  LoadedKernel &loaded() {
    LoadedKernel *kernel = nullptr;
    EXPECT_TRUE(currentContext(current) && findKernel(current, stub, kernel));
    return *kernel;
  }

  /// The function that a launch with blocks of `threads` runs.
  std::string launched(int32_t parameter, int64_t threads, int64_t stream = 0) {
    LaunchConfig config;
    config.block[0] = threads;
    config.stream = stream;
    void *params[] = {&parameter};
    Result result = launchKernel(stub, config, params, "x.cuf", 12);
    return result.ok() ? fake::device().launches.back().kernel : result.message();
  }

  void reshape(FortranDescriptor &array, int64_t columnBytes) {
    array.dim[1].byteStride = columnBytes;
    syncIfGlobal(array, "x.cuf", 1);
  }

  Current current;
  alignas(8) char memory[8] = {};
  FortranDescriptor a = fake::describe(memory, 4, {8, 8}, 2), b = a;
  fake::TestImage image;
  void *stub = nullptr;
};

TEST_F(LaunchOfVersions, RunTheFirstThatServes) {
  EXPECT_EQ(launched(1, 32), "increment_$one");
  EXPECT_EQ(launched(0, 32), "increment_$same");
  reshape(b, 40);
  EXPECT_EQ(launched(1, 64), "increment_$one");
  EXPECT_EQ(launched(0, 64), "increment_$block");
  EXPECT_EQ(launched(0, 32), "increment_");
  reshape(a, 40);
  EXPECT_EQ(launched(0, 32), "increment_$same");
}

TEST_F(LaunchOfVersions, StridesThatDidNotReachTheDeviceAreNone) {
  EXPECT_EQ(launched(0, 32), "increment_$same");
  LoadedVariable variable;
  ASSERT_TRUE(currentContext(current) && findVariable(current, &a, variable));
  fake::device().fail(Call::memcpyHtoD, CUDA_ERROR_UNKNOWN);
  DeviceDescriptor descriptor(&a, a.sizeInBytes(), a.sizeInBytes() + 8);
  EXPECT_NE(pushDescriptor(current, variable, descriptor), CUDA_SUCCESS);
  EXPECT_EQ(launched(0, 32), "increment_");
}

TEST_F(LaunchOfVersions, GraphsDoNotDependOnStrides) {
  static DriverTable captured;
  captured = fake::table();
  captured.streamIsCapturing = [](CUstream, CUstreamCaptureStatus *status) {
    *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  };
  installDriverForTest(&captured);
  EXPECT_EQ(launched(0, 32, 0x5555), "increment_");
  EXPECT_EQ(launched(1, 32, 0x5555), "increment_$one");
  installDriverForTest(&fake::table());
  EXPECT_EQ(launched(0, 32, 0x5555), "increment_$same");
}

TEST_F(LaunchOfVersions, WithoutTheirCodeTheGeneralOneRuns) {
  fake::device().missing = {"increment_$one", "increment_$same"};
  EXPECT_EQ(launched(1, 32), "increment_");
  EXPECT_EQ(launched(1, 64), "increment_$block");
}

TEST_F(LaunchOfVersions, VersionsThatTakeFewerThreadsAreNotForLargeBlocks) {
  LoadedKernel &kernel = loaded();
  usualCode(current, kernel).maxThreads = 512;
  EXPECT_EQ(launched(1, 512), "increment_$one");
  EXPECT_EQ(launched(1, 513), "increment_$same");
}

TEST_F(LaunchOfVersions, EachHasItsLimitOfSharedMemory) {
  LoadedKernel &kernel = loaded();
  EXPECT_EQ(allCode(current, kernel).size(), 4u);
  EXPECT_STREQ(usualCode(current, kernel).symbol, "increment_$one");
  LaunchConfig config;
  config.sharedBytes = 60000;
  int32_t parameter = 1;
  void *params[] = {&parameter};
  ASSERT_TRUE(launchKernel(stub, config, params, "x.cuf", 12));
  EXPECT_EQ(usualCode(current, kernel).dynamicSharedLimit, 60000);
  EXPECT_EQ(kernel.general.dynamicSharedLimit, 48 * 1024);
}

} // namespace
