#include "driver/Options/GpuTargets.h"
#include "driver/Toolchain/DeviceTargets.h"
#include <gtest/gtest.h>

using namespace cufort::driver;

namespace {

TEST(GpuNames, UnderstandsAllSpellings) {
  for (const char *name : {"cc90", "sm_90", "compute_90", "sm90", "hopper", "cc90+"}) {
    std::optional<GpuName> parsed = parseGpuName(name);
    ASSERT_TRUE(parsed.has_value()) << name;
    EXPECT_EQ(parsed->arch, 90u) << name;
    EXPECT_EQ(parsed->suffix, 0) << name;
    EXPECT_FALSE(parsed->tooOld) << name;
  }
  EXPECT_EQ(parseGpuName("cc100a")->suffix, 'a');
  EXPECT_EQ(parseGpuName("cc103f")->suffix, 'f');
  EXPECT_EQ(parseGpuName("cc103f")->arch, 103u);
}

TEST(GpuNames, RefusesWhatDoesNotExist) {
  for (const char *name : {"cc33", "cc", "cc9O", "90", "cc80a", "cc90f", "sm_", "cc-90", "ccall", "fastmath", ""})
    EXPECT_FALSE(parseGpuName(name).has_value()) << name;
  EXPECT_TRUE(looksLikeGpuName("cc33"));
  EXPECT_TRUE(looksLikeGpuName("sm_999a"));
  EXPECT_FALSE(looksLikeGpuName("ccall"));
  EXPECT_FALSE(looksLikeGpuName("cc9O"));
}

TEST(GpuNames, ReplacesWhatIsTooOld) {
  for (const char *name : {"cc20", "cc35", "cc3x", "tesla", "fermi", "kepler", "cc13"}) {
    std::optional<GpuName> parsed = parseGpuName(name);
    ASSERT_TRUE(parsed.has_value()) << name;
    EXPECT_TRUE(parsed->tooOld) << name;
    EXPECT_EQ(parsed->arch, 50u) << name;
  }
}

TEST(GpuNames, PtxasKnowsWhatItsVersionKnew) {
  EXPECT_TRUE(ptxasSupports(11080, 90));
  EXPECT_FALSE(ptxasSupports(11070, 90));
  EXPECT_TRUE(ptxasSupports(12090, 60));
  EXPECT_FALSE(ptxasSupports(13000, 60));
  EXPECT_TRUE(ptxasSupports(13000, 75));
  EXPECT_FALSE(ptxasSupports(13000, 101));
  EXPECT_FALSE(ptxasSupports(13000, 33));
}

class DeviceTargetsTest : public ::testing::Test {
protected:
  DeviceTargetsTest() : stream(text), messages("test", stream) {
    toolkit.ptxas = "/cuda/bin/ptxas";
    toolkit.version = 12090;
  }

  /// Returns the targets as "80 ptx, 90 ptx cubin".
  std::string resolve(const GpuRequest &request, bool withToolkit, std::vector<NativeGpu> gpus = {}) {
    auto ask = [&] {
      ++questions;
      return gpus;
    };
    std::string result;
    for (const DeviceTarget &target : resolveTargets(request, withToolkit ? &toolkit : nullptr, ask, messages))
      result += (result.empty() ? "" : ", ") + std::to_string(target.arch) + (target.ptx ? " ptx" : "") +
                (target.cubin ? " cubin" : "");
    return result;
  }

  std::string text;
  llvm::raw_string_ostream stream;
  Messages messages;
  CudaToolkit toolkit;
  unsigned questions = 0;
};

TEST_F(DeviceTargetsTest, DefaultIsPtxForCc80AndCodeForTheMachine) {
  EXPECT_EQ(resolve({}, false), "80 ptx");
  EXPECT_EQ(resolve({}, true), "80 ptx");
  EXPECT_EQ(resolve({}, true, {{90, ""}, {90, ""}}), "80 ptx, 90 cubin");
  EXPECT_EQ(resolve({}, true, {{80, ""}}), "80 ptx cubin");
  EXPECT_EQ(resolve({}, false, {{90, ""}}), "80 ptx");
}

TEST_F(DeviceTargetsTest, DefaultRunsOnOlderGpusOfTheMachine) {
  EXPECT_EQ(resolve({}, true, {{75, ""}, {90, ""}}), "75 ptx cubin, 90 cubin");
  EXPECT_EQ(resolve({}, false, {{75, ""}}), "75 ptx");
}

TEST_F(DeviceTargetsTest, NamedTargetsHaveCodeAndTheHighestHasPtx) {
  GpuRequest request;
  request.targets = {{90}, {80}, {90}};
  EXPECT_EQ(resolve(request, true), "80 cubin, 90 ptx cubin");
  EXPECT_EQ(resolve(request, false), "80 ptx, 90 ptx");
  EXPECT_EQ(questions, 0u) << "the GPUs in the machine do not matter here";
}

TEST_F(DeviceTargetsTest, WhatPtxasDoesNotKnowIsPtx) {
  GpuRequest request;
  request.targets = {{75}, {110}};
  EXPECT_EQ(resolve(request, true), "75 cubin, 110 ptx");
}

TEST_F(DeviceTargetsTest, ATargetForOneArchitectureIsNoPtxForOthers) {
  GpuRequest request;
  request.targets = {{80}, {90, 'a'}};
  EXPECT_EQ(resolve(request, true), "80 ptx cubin, 90 cubin");
}

TEST_F(DeviceTargetsTest, NativeWithoutGpuWarns) {
  GpuRequest request;
  request.native = true;
  EXPECT_EQ(resolve(request, true), "80 ptx cubin");
  EXPECT_NE(text.find("no GPU was found"), std::string::npos);
}

} // namespace
