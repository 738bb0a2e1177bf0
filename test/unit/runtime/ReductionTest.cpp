#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace cufort::rt;
using fake::Call;
using testing::ExitedWithCode;

namespace {

class Reduction : public ::testing::Test {
protected:
  void SetUp() override { fake::install(); }
};

} // namespace

TEST_F(Reduction, scratchIsZeroAndFetched) {
  auto *scratch = static_cast<int *>(cufortReductionScratch(40, 0, "x.cuf", 1));
  ASSERT_NE(scratch, nullptr);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(scratch[i], 0);
  scratch[9] = 42;
  int host[10] = {};
  cufortReductionFetch(host, scratch, sizeof host, 7, "x.cuf", 2);
  EXPECT_EQ(host[9], 42);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(7)});
}

TEST_F(Reduction, scratchIsUsedAgain) {
  int host = 0;
  void *first = cufortReductionScratch(8, 0, "x.cuf", 1);
  void *other = cufortReductionScratch(8, 0, "x.cuf", 1);
  EXPECT_NE(first, other);
  std::memset(first, 1, 8);
  cufortReductionFetch(&host, first, sizeof host, 0, "x.cuf", 1);
  void *again = cufortReductionScratch(8, 0, "x.cuf", 1);
  EXPECT_EQ(again, first);
  EXPECT_EQ(*static_cast<int64_t *>(again), 0);
  void *large = cufortReductionScratch(100000, 0, "x.cuf", 1);
  EXPECT_TRUE(fake::device().holds(reinterpret_cast<CUdeviceptr>(large), 100000));
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 3);
}

TEST_F(Reduction, scratchGoesWithTheDevice) {
  int host = 0;
  void *first = cufortReductionScratch(8, 0, "x.cuf", 1);
  cufortReductionFetch(&host, first, sizeof host, 0, "x.cuf", 1);
  ASSERT_TRUE(resetCurrentDevice().ok());
  cufortReductionScratch(8, 0, "x.cuf", 1);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 2);
}

TEST_F(Reduction, usesTheThreadsStream) {
  setThreadDefaultStream(5);
  int host = 0;
  void *scratch = cufortReductionScratch(8, 0, "x.cuf", 1);
  cufortReductionFetch(&host, scratch, sizeof host, 0, "x.cuf", 1);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(5)});
}

TEST_F(Reduction, withoutMemoryTheKernelDoesNotRun) {
  fake::TestImage image;
  void *stub = image.kernel("loop");
  image.add();
  fake::device().fail(Call::memAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cufortReductionScratch(8, 0, "x.cuf", 30), nullptr);
  cufortLaunchKernel(stub, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 30);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernel), 0);
  int host = 0;
  EXPECT_EXIT(cufortReductionFetch(&host, nullptr, sizeof host, 0, "x.cuf", 30), ExitedWithCode(1),
              "^cufort: x.cuf:30: no memory for a reduction: cudaErrorMemoryAllocation \\(2\\)");
  // Only that one launch is left out.
  cufortLaunchKernel(stub, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 31);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernel), 1);
  takeLastError();
}

TEST_F(Reduction, failuresEndTheProgram) {
  int host = 0;
  void *scratch = cufortReductionScratch(8, 0, "x.cuf", 1);
  fake::device().fail(Call::streamSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EXIT(cufortReductionFetch(&host, scratch, sizeof host, 0, "x.cuf", 30), ExitedWithCode(1),
              "^cufort: x.cuf:30: reduction: cudaErrorIllegalAddress");
  fake::device().fail(Call::memsetD8Async, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cufortReductionScratch(8, 0, "x.cuf", 1), nullptr);
  takeLastError();
}

TEST_F(Reduction, releasedScratchIsForLaterLaunchesOnTheStream) {
  void *first = cufortReductionScratch(8, 5, "x.cuf", 1);
  cufortReductionRelease(first, 5, /*wait=*/0, "x.cuf", 1);
  EXPECT_TRUE(fake::device().synchronized.empty());
  void *ofOtherStream = cufortReductionScratch(8, 6, "x.cuf", 2);
  EXPECT_NE(ofOtherStream, first);
  EXPECT_EQ(cufortReductionScratch(8, 5, "x.cuf", 3), first);
}

TEST_F(Reduction, waitsForResultsThatTheHostMayRead) {
  void *scratch = cufortReductionScratch(8, 5, "x.cuf", 1);
  cufortReductionRelease(scratch, 5, /*wait=*/1, "x.cuf", 1);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(5)});
}
