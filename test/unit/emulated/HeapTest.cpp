// Memory that device code allocates, and its other services.
#include "test/unit/emulated/EmulatedTest.h"
#include <cstring>

namespace cufort::rt::emulated {
namespace {

class Heap : public EmulatedTest {};

void keep(void **params) {
  auto **slots = param<int **>(params, 0);
  unsigned me = blockNumber() * cufortEmuThread->blockDim[0] + threadNumber();
  slots[me] = static_cast<int *>(cufortEmuMalloc(64));
  if (slots[me])
    memset(slots[me], int(me), 64);
}

void giveBack(void **params) {
  auto **slots = param<int **>(params, 0);
  unsigned me = blockNumber() * cufortEmuThread->blockDim[0] + threadNumber();
  if (slots[me] && reinterpret_cast<unsigned char *>(slots[me])[63] != (me & 0xff))
    cufortEmuTrap("lost", nullptr);
  cufortEmuFree(slots[me]);
}

TEST_F(Heap, MemoryLivesOnBetweenKernels) {
  std::vector<int *> slots(200 * 64);
  int **data = slots.data();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(launch(keep, {200, 64}, {&data}), CUDA_SUCCESS);
    for (int *slot : slots)
      ASSERT_NE(slot, nullptr);
    ASSERT_EQ(launch(giveBack, {200, 64}, {&data}), CUDA_SUCCESS);
  }
}

TEST_F(Heap, HasTheLimitOfTheDevice) {
  size_t limit = 0;
  ASSERT_EQ(driver.ctxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(limit, 8u << 20);
  ASSERT_EQ(driver.ctxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 640), CUDA_SUCCESS);
  std::vector<int *> slots(32);
  int **data = slots.data();
  ASSERT_EQ(launch(keep, {1, 32}, {&data}), CUDA_SUCCESS);
  EXPECT_EQ(std::count(slots.begin(), slots.end(), nullptr), 22);
  ASSERT_EQ(launch(giveBack, {1, 32}, {&data}), CUDA_SUCCESS);
}

void strangeSizes(void **params) {
  auto *ok = param<int *>(params, 0);
  *ok = !cufortEmuMalloc(0) && !cufortEmuMalloc(-1) && !cufortEmuMalloc(INT64_MAX);
  cufortEmuFree(nullptr);
}

TEST_F(Heap, SizesThatCannotBe) {
  int ok = 0, *pointer = &ok;
  ASSERT_EQ(launch(strangeSizes, {1, 1}, {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(ok, 1);
}

void freeTwice(void **) {
  void *memory = cufortEmuMalloc(10);
  cufortEmuFree(memory);
  cufortEmuFree(memory);
}

TEST_F(Heap, FreeingTwiceIsReported) {
  std::string message;
  EXPECT_EQ(launchAndCapture(message, freeTwice, {1, 1}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(message, "cufort: kernel 'k': device code freed memory that it has not allocated\n");
}

void clockAndSleep(void **params) {
  auto *times = param<int64_t *>(params, 0);
  times[0] = cufortEmuClock64();
  cufortEmuNanosleep(500000);
  times[1] = cufortEmuClock64();
}

TEST_F(Heap, ClockCountsNanoseconds) {
  int64_t times[2], *pointer = times;
  ASSERT_EQ(launch(clockAndSleep, {1, 1}, {&pointer}), CUDA_SUCCESS);
  EXPECT_GE(times[1] - times[0], 500000);
  EXPECT_LT(times[1] - times[0], 1000000000);
}

} // namespace
} // namespace cufort::rt::emulated
