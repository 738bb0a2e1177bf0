#include "runtime/ABI/ReductionScratch.h"
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

CufortReductionResult *resultsIn(void *scratch) { return *static_cast<CufortReductionResult **>(scratch); }

void setResult(void *scratch, int index, int64_t value) {
  std::memcpy(resultsIn(scratch)[index].value, &value, sizeof value);
}

} // namespace

TEST_F(Reduction, countersAreZero) {
  auto *scratch = static_cast<uint64_t *>(cufortReductionScratch(3, 20, 0, "x.cuf", 1));
  ASSERT_NE(scratch, nullptr);
  for (int i = 1; i <= 2 * 3; ++i)
    EXPECT_EQ(scratch[-i], 0u);
  EXPECT_TRUE(fake::device().holds(reinterpret_cast<CUdeviceptr>(scratch - 2 * 3), 16 * (3 + 1 + 3 * 20)));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(resultsIn(scratch)[i].isThere, 0u);
}

TEST_F(Reduction, waitsForResults) {
  void *scratch = cufortReductionScratch(2, 4, 0, "x.cuf", 1);
  setResult(scratch, 1, 42);
  int64_t host[4] = {};
  cufortReductionFetch(host, scratch, 2, 7, "x.cuf", 2);
  EXPECT_EQ(host[2], 42);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(7)});
}

TEST_F(Reduction, takesResultsThatAreThereWithoutWaiting) {
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS] = 1;
  void *scratch = cufortReductionScratch(1, 4, 0, "x.cuf", 1);
  setResult(scratch, 0, 42);
  resultsIn(scratch)->isThere = 1;
  int64_t host[2] = {};
  cufortReductionFetch(host, scratch, 1, 7, "x.cuf", 2);
  EXPECT_EQ(host[0], 42);
  EXPECT_TRUE(fake::device().synchronized.empty());
  // The next launch starts without them.
  EXPECT_EQ(cufortReductionScratch(1, 4, 0, "x.cuf", 3), scratch);
  EXPECT_EQ(resultsIn(scratch)->isThere, 0u);
}

TEST_F(Reduction, waitsAsTheProgramHasAskedFor) {
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS] = 1;
  fake::device().contextFlags = CU_CTX_SCHED_BLOCKING_SYNC;
  void *scratch = cufortReductionScratch(1, 4, 0, "x.cuf", 1);
  resultsIn(scratch)->isThere = 1;
  int64_t host[2] = {};
  cufortReductionFetch(host, scratch, 1, 7, "x.cuf", 2);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(7)});
}

TEST_F(Reduction, scratchIsUsedAgain) {
  int64_t host[2] = {};
  void *first = cufortReductionScratch(1, 1, 0, "x.cuf", 1);
  void *other = cufortReductionScratch(1, 1, 0, "x.cuf", 1);
  EXPECT_NE(first, other);
  cufortReductionFetch(host, first, 1, 0, "x.cuf", 1);
  EXPECT_EQ(cufortReductionScratch(1, 1, 0, "x.cuf", 1), first);
  void *large = cufortReductionScratch(1, 10000, 0, "x.cuf", 1);
  EXPECT_TRUE(fake::device().holds(reinterpret_cast<CUdeviceptr>(large), 160000));
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 3);
  // Enough memory, but for the results of fewer reductions.
  cufortReductionFetch(host, large, 1, 0, "x.cuf", 1);
  EXPECT_NE(cufortReductionScratch(65, 1, 0, "x.cuf", 1), large);
}

TEST_F(Reduction, scratchGoesWithTheDevice) {
  int64_t host[2] = {};
  void *first = cufortReductionScratch(1, 1, 0, "x.cuf", 1);
  cufortReductionFetch(host, first, 1, 0, "x.cuf", 1);
  ASSERT_TRUE(resetCurrentDevice().ok());
  cufortReductionScratch(1, 1, 0, "x.cuf", 1);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 2);
}

TEST_F(Reduction, usesTheThreadsStream) {
  setThreadDefaultStream(5);
  int64_t host[2] = {};
  void *scratch = cufortReductionScratch(1, 1, 0, "x.cuf", 1);
  cufortReductionFetch(host, scratch, 1, 0, "x.cuf", 1);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(5)});
}

TEST_F(Reduction, withoutMemoryTheKernelDoesNotRun) {
  fake::TestImage image;
  void *stub = image.kernel("loop");
  image.add();
  fake::device().fail(Call::memAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cufortReductionScratch(1, 1, 0, "x.cuf", 30), nullptr);
  cufortLaunchKernel(stub, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 30);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernel), 0);
  int64_t host[2] = {};
  EXPECT_EXIT(cufortReductionFetch(host, nullptr, 1, 0, "x.cuf", 30), ExitedWithCode(1),
              "^cufort: x.cuf:30: no memory for a reduction: cudaErrorMemoryAllocation \\(2\\)");
  // Only that one launch is left out.
  cufortLaunchKernel(stub, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 31);
  EXPECT_EQ(fake::device().callsOf(Call::launchKernel), 1);
  takeLastError();
}

TEST_F(Reduction, failuresEndTheProgram) {
  int64_t host[2] = {};
  void *scratch = cufortReductionScratch(1, 1, 0, "x.cuf", 1);
  fake::device().fail(Call::streamSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EXIT(cufortReductionFetch(host, scratch, 1, 0, "x.cuf", 30), ExitedWithCode(1),
              "^cufort: x.cuf:30: reduction: cudaErrorIllegalAddress");
  fake::device().fail(Call::memsetD8Async, CUDA_ERROR_INVALID_VALUE);
  size_t memory = fake::device().memory.size();
  EXPECT_EQ(cufortReductionScratch(1, 10000, 0, "x.cuf", 1), nullptr);
  EXPECT_EQ(fake::device().memory.size(), memory);
  takeLastError();
}

TEST_F(Reduction, releasedScratchIsForLaterLaunchesOnTheStream) {
  void *first = cufortReductionScratch(1, 1, 5, "x.cuf", 1);
  cufortReductionRelease(first, 5, /*wait=*/0, "x.cuf", 1);
  EXPECT_TRUE(fake::device().synchronized.empty());
  void *ofOtherStream = cufortReductionScratch(1, 1, 6, "x.cuf", 2);
  EXPECT_NE(ofOtherStream, first);
  EXPECT_EQ(cufortReductionScratch(1, 1, 5, "x.cuf", 3), first);
}

TEST_F(Reduction, waitsForResultsThatTheHostMayRead) {
  void *scratch = cufortReductionScratch(1, 1, 5, "x.cuf", 1);
  cufortReductionRelease(scratch, 5, /*wait=*/1, "x.cuf", 1);
  EXPECT_EQ(fake::device().synchronized, std::vector<CUstream>{toStream(5)});
}
