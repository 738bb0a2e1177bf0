// Device threads that give way, or wake each other up, while another thread of their block has to run first. None of
// this needs the watchdog.
#include "test/unit/emulated/EmulatedTest.h"
#include <atomic>

namespace cufort::rt::emulated {
namespace {

class Fairness : public EmulatedTest {
protected:
  void SetUp() override {
    EmulatedTest::SetUp();
    set("CUFORT_EMULATED_TIMEOUT", "1000");
  }
};

void sleepUntilFlag(void **params) {
  auto *flag = param<std::atomic<int> *>(params, 0);
  if (threadNumber() + 1 < cufortEmuThread->blockDim[0])
    while (!*flag)
      cufortEmuNanosleep(100);
  *flag = 1;
}

TEST_F(Fairness, SleepingGivesWayAtOnce) {
  std::atomic<int> flag{0}, *pointer = &flag;
  ASSERT_EQ(launch(sleepUntilFlag, {3, 256}, {&pointer}), CUDA_SUCCESS);
}

// Two threads keep waking each other up at a warp barrier until one that has not started yet sets the flag.
void wakeEachOther(void **params) {
  auto *flag = param<std::atomic<int> *>(params, 0);
  if (threadNumber() < 32)
    while (!*flag)
      cufortEmuWarpBarrier(-1, "wake:1");
  *flag = 1;
}

TEST_F(Fairness, ThreadsThatHaveNotStartedAreNotForgotten) {
  std::atomic<int> flag{0}, *pointer = &flag;
  ASSERT_EQ(launch(wakeEachOther, {1, 40}, {&pointer}), CUDA_SUCCESS);
}

// One thread looks again and again for what the others, stuck at two barriers, will never do.
void looksForStuckThreads(void **params) {
  auto *flag = param<std::atomic<int> *>(params, 0);
  if (threadNumber() == 0)
    while (!*flag)
      cufortEmuNanosleep(100);
  cufortEmuBarrier(threadNumber() % 2 ? "x.cuf:1" : "x.cuf:2");
  *flag = 1;
}

TEST_F(Fairness, DifferentBarriersAreReportedAlthoughAThreadRuns) {
  std::atomic<int> flag{0}, *pointer = &flag;
  std::string message;
  EXPECT_EQ(launchAndCapture(message, looksForStuckThreads, {1, 20}, {&pointer}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(message, "cufort: kernel 'k': threads of block (1,1,1) wait at different barriers: 10 at x.cuf:1, 9 at "
                     "x.cuf:2; 1 still runs\n");
}

} // namespace
} // namespace cufort::rt::emulated
