// Device threads that never wait, but need another thread of their block to run first.
#include "test/unit/emulated/EmulatedTest.h"
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace cufort::rt::emulated {
namespace {

class Preemption : public EmulatedTest {
protected:
  void SetUp() override {
    EmulatedTest::SetUp();
    set("CUFORT_EMULATED_TIMEOUT", "0.02");
  }
};

/// Thread n waits in a loop for the flag that thread n + 1 sets.
void chainOfFlags(void **params) {
  auto *flags = param<volatile int *>(params, 0);
  unsigned thread = threadNumber(), size = cufortEmuThread->blockDim[0];
  if (thread + 1 < size)
    while (!flags[thread + 1])
      ;
  flags[thread] = 1;
}

TEST_F(Preemption, LoopsThatReadAFlag) {
  std::vector<int> flags(64);
  int *data = flags.data();
  ASSERT_EQ(launch(chainOfFlags, {1, 64}, {&data}), CUDA_SUCCESS);
  EXPECT_EQ(flags, std::vector<int>(64, 1));
}

void sumWithState(void **params) {
  auto *flag = param<std::atomic<int> *>(params, 0);
  auto *sums = param<double *>(params, 1);
  unsigned thread = threadNumber();
  double a = thread, b = 1, c = 0.5, d = -3;
  long turns = 0;
  while (*flag < int(cufortEmuThread->blockDim[0]) - 1 && thread == 0)
    a = std::sqrt(a * b + c) - d, b += c, c *= 0.75, d -= a, ++turns;
  sums[thread] = thread == 0 ? double(turns) : a + b + c + d;
  // Repeats what the loop did, undisturbed.
  double a2 = thread, b2 = 1, c2 = 0.5, d2 = -3;
  for (long i = 0; i < turns; ++i)
    a2 = std::sqrt(a2 * b2 + c2) - d2, b2 += c2, c2 *= 0.75, d2 -= a2;
  sums[64 + thread] = memcmp(&a, &a2, 8) || memcmp(&b, &b2, 8) || memcmp(&c, &c2, 8) || memcmp(&d, &d2, 8);
  ++*flag;
}

// All registers of a thread that was interrupted are its own when it goes on.
TEST_F(Preemption, KeepsTheStateOfTheThread) {
  std::atomic<int> flag{0}, *flagPointer = &flag;
  std::vector<double> sums(128);
  double *data = sums.data();
  ASSERT_EQ(launch(sumWithState, {1, 64}, {&flagPointer, &data}), CUDA_SUCCESS);
  EXPECT_GT(sums[0], 1000);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(sums[size_t(64 + i)], 0) << i;
}

void spinLock(void **params) {
  auto *lock = param<std::atomic<int> *>(params, 0);
  auto *sum = param<int *>(params, 1);
  for (int i = 0; i < 10; ++i) {
    int free = 0;
    while (!lock->compare_exchange_weak(free, 1))
      free = 0;
    int before = *sum;
    cufortEmuNanosleep(1); // gives way with the lock held
    *sum = before + 1;
    *lock = 0;
  }
}

TEST_F(Preemption, LockWhoseHolderGaveWay) {
  std::atomic<int> lock{0}, *lockPointer = &lock;
  int sum = 0, *sumPointer = &sum;
  ASSERT_EQ(launch(spinLock, {1, 20}, {&lockPointer, &sumPointer}), CUDA_SUCCESS);
  EXPECT_EQ(sum, 200);
}

// A barrier of the whole grid that a program makes itself: counts arrivals, and spins.
void ownGridBarrier(void **params) {
  auto *arrived = param<std::atomic<unsigned> *>(params, 0);
  cufortEmuBarrier("own:1");
  if (threadNumber() == 0) {
    ++*arrived;
    while (*arrived < cufortEmuThread->gridDim[0])
      ;
  }
  cufortEmuBarrier("own:2");
}

TEST_F(Preemption, SpinningBlocksOfACooperativeLaunch) {
  std::atomic<unsigned> arrived{0}, *pointer = &arrived;
  Shape shape{16, 32};
  shape.cooperative = true;
  ASSERT_EQ(launch(ownGridBarrier, shape, {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(arrived, 16u);
}

// One thread spins for ever, but another one fails: the launch ends.
void spinWhileAnotherTraps(void **) {
  if (threadNumber() == 1)
    cufortEmuTrap("stop", "x.cuf:1");
  for (volatile int i = 0;; i = i + 1)
    ;
}

TEST_F(Preemption, AFailureEndsThreadsThatSpin) {
  std::string output;
  EXPECT_EQ(launchAndCapture(output, spinWhileAnotherTraps, {1, 8}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(output, "cufort: kernel 'k': stop at x.cuf:1 (block (1,1,1), thread (2,1,1))\n");
}

void spinInOneBlock(void **params) {
  if (blockNumber() == 0)
    chainOfFlags(params);
}

// The child of a fork has its own watchdog and its own pool.
TEST_F(Preemption, WorksInTheChildOfAFork) {
  std::vector<int> flags(16);
  int *data = flags.data();
  ASSERT_EQ(launch(spinInOneBlock, {300, 16}, {&data}), CUDA_SUCCESS);
  pid_t child = fork();
  if (child == 0) {
    std::fill(flags.begin(), flags.end(), 0);
    _exit(launch(spinInOneBlock, {300, 16}, {&data}) == CUDA_SUCCESS ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace cufort::rt::emulated
