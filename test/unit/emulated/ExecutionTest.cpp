// Grids: every thread of every block runs once and knows who it is; blocks are spread over the workers; limits hold.
#include "test/unit/emulated/EmulatedTest.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <pthread.h>
#include <set>
#include <thread>

namespace cufort::rt::emulated {
namespace {

class Execution : public EmulatedTest {};

struct Seen {
  uint32_t threadIdx[3], blockIdx[3], blockDim[3], gridDim[3], laneId, dynamicSharedBytes;
  int count;
};

void whoAmI(void **params) {
  const CufortEmuThread &t = *cufortEmuThread;
  unsigned size = t.blockDim[0] * t.blockDim[1] * t.blockDim[2];
  Seen &seen = param<Seen *>(params, 0)[blockNumber() * size + threadNumber()];
  memcpy(seen.threadIdx, t.threadIdx, sizeof t.threadIdx * 4);
  seen.laneId = t.laneId;
  seen.dynamicSharedBytes = t.dynamicSharedBytes;
  __atomic_fetch_add(&seen.count, 1, __ATOMIC_RELAXED);
}

TEST_F(Execution, EveryThreadRunsOnceAndKnowsWhoItIs) {
  Shape shape{7, 5};
  shape.gridY = 3;
  shape.gridZ = 2;
  shape.blockY = 4;
  shape.blockZ = 3;
  shape.dynamicShared = 40;
  constexpr unsigned size = 5 * 4 * 3, blocks = 7 * 3 * 2;
  std::vector<Seen> seen(size * blocks);
  Seen *data = seen.data();
  ASSERT_EQ(launch(whoAmI, shape, {&data}), CUDA_SUCCESS);
  for (unsigned i = 0; i < seen.size(); ++i) {
    unsigned thread = i % size, block = i / size;
    std::vector<unsigned> expected{
        thread % 5, thread / 5 % 4, thread / 20, block % 7, block / 7 % 3, block / 21, 5, 4, 3, 7, 3,
        2,          thread % 32,    40};
    EXPECT_EQ(std::vector<unsigned>(seen[i].threadIdx, seen[i].threadIdx + 14), expected);
    EXPECT_EQ(seen[i].count, 1);
  }
}

void countAll(void **params) {
  __atomic_fetch_add(param<uint64_t *>(params, 0), 1 + blockNumber() % 3, __ATOMIC_RELAXED);
}

TEST_F(Execution, AtomicsAcrossBlocksAndWorkers) {
  set("CUFORT_EMULATED_THREADS", "7");
  uint64_t sum = 0, *pointer = &sum;
  ASSERT_EQ(launch(countAll, {3000, 96}, {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(sum, 3000u * 96 * 2);
}

// A block that waits, on its worker, until all four blocks run: only possible on four host threads.
void needsFourWorkers(void **params) {
  auto *arrived = param<std::atomic<int> *>(params, 0);
  param<pthread_t *>(params, 1)[blockNumber()] = pthread_self();
  if (threadNumber() == 0)
    ++*arrived;
  while (*arrived < 4)
    std::this_thread::yield();
}

TEST_F(Execution, BlocksRunOnAllWorkers) {
  set("CUFORT_EMULATED_THREADS", "4");
  std::atomic<int> arrived{0}, *arrivedPointer = &arrived;
  std::vector<pthread_t> threads(4);
  pthread_t *data = threads.data();
  ASSERT_EQ(launch(needsFourWorkers, {4, 1024}, {&arrivedPointer, &data}), CUDA_SUCCESS);
  EXPECT_EQ(std::set<pthread_t>(threads.begin(), threads.end()).size(), 4u);
}

void whichHostThread(void **params) { param<pthread_t *>(params, 0)[blockNumber()] = pthread_self(); }

// Unless the calling thread is held up, which a busy machine may do to it.
TEST_F(Execution, SmallLaunchesStayOnTheCallingThread) {
  std::vector<pthread_t> threads(20);
  pthread_t *data = threads.data();
  bool stayed = false;
  for (int attempt = 0; attempt < 100 && !stayed; ++attempt) {
    ASSERT_EQ(launch(whichHostThread, {20, 8}, {&data}), CUDA_SUCCESS);
    stayed = std::set<pthread_t>(threads.begin(), threads.end()) == std::set<pthread_t>{pthread_self()};
  }
  EXPECT_TRUE(stayed);
}

void twoMilliseconds(void **params) {
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (std::chrono::steady_clock::now() < end)
    ;
  whichHostThread(params);
}

TEST_F(Execution, FewButLongThreadsAreShared) {
  std::vector<pthread_t> threads(40);
  pthread_t *data = threads.data();
  ASSERT_EQ(launch(twoMilliseconds, {40, 1}, {&data}), CUDA_SUCCESS);
  EXPECT_EQ(std::set<pthread_t>(threads.begin(), threads.end()).size(), 2u);
}

void countInThread(void **) { FAIL() << "the compiled loop is there to be preferred"; }

/// What a compiler makes of a kernel that adds 1 to a counter of its own block's number, modulo 64.
void countInLoop(void **params, const CufortEmuBlocks *range) {
  auto *counters = param<uint64_t *>(params, 0);
  uint64_t local[64] = {};
  for (uint64_t block = range->first; block < range->end; ++block)
    for (uint32_t thread = 0; thread < range->blockDim[0]; ++thread)
      ++local[block % 64];
  for (int i = 0; i < 64; ++i)
    __atomic_fetch_add(&counters[i], local[i], __ATOMIC_RELAXED);
}

TEST_F(Execution, LargestGridOfOneThreadBlocks) {
  std::vector<uint64_t> counters(64);
  uint64_t *data = counters.data();
  KernelTraits traits;
  traits.blocks = countInLoop;
  auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(launch(countInThread, {2147483647, 1}, {&data}, traits), CUDA_SUCCESS);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60)) << "a few seconds, on a free machine";
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(counters[i], i < 63 ? 33554432u : 33554431u) << i;
}

void identityInLoop(void **params, const CufortEmuBlocks *range) {
  EXPECT_EQ(range->thread, cufortEmuThread);
  for (uint64_t block = range->first; block < range->end; ++block) {
    CufortEmuThread &thread = *range->thread;
    thread.blockIdx[0] = uint32_t(block % range->gridDim[0]);
    thread.blockIdx[1] = uint32_t(block / range->gridDim[0]);
    for (uint32_t y = 0; y < range->blockDim[1]; ++y)
      for (uint32_t x = 0; x < range->blockDim[0]; ++x) {
        thread.threadIdx[0] = x;
        thread.threadIdx[1] = y;
        thread.laneId = (x + y * range->blockDim[0]) % 32;
        whoAmI(params);
      }
  }
}

TEST_F(Execution, LoopKernelsGetRangesThatCoverTheGrid) {
  Shape shape{300, 3};
  shape.gridY = 7;
  shape.blockY = 11;
  KernelTraits traits;
  traits.blocks = identityInLoop;
  for (const char *workers : {"1", "2", "5"}) {
    set("CUFORT_EMULATED_THREADS", workers);
    std::vector<Seen> seen(300 * 8 * 33); // a row more than there is, to notice what lies beyond
    Seen *data = seen.data();
    ASSERT_EQ(launch(countInThread, shape, {&data}, traits), CUDA_SUCCESS);
    for (unsigned i = 0; i < seen.size(); ++i) {
      unsigned block = i / 33;
      ASSERT_EQ(seen[i].count, block < 300 * 7 ? 1 : 0) << i << " with " << workers << " workers";
      if (block >= 300 * 7)
        continue;
      ASSERT_EQ(seen[i].blockIdx[0], block % 300);
      ASSERT_EQ(seen[i].blockIdx[1], block / 300);
      ASSERT_EQ(seen[i].gridDim[1], 7u);
      ASSERT_EQ(seen[i].blockDim[1], 11u);
    }
  }
}

TEST_F(Execution, CheckRunsLoopKernelsThreadByThread) {
  set("CUFORT_CHECK", "1");
  KernelTraits traits;
  traits.blocks = countInLoop;
  uint64_t sum = 0, *pointer = &sum;
  ASSERT_EQ(launch(countAll, {30, 32}, {&pointer}, traits), CUDA_SUCCESS);
  EXPECT_EQ(sum, 30u * 32 * 2);
}

void shared(void **params) {
  auto *ok = param<int *>(params, 0);
  const CufortEmuThread &t = *cufortEmuThread;
  bool good = t.dynamicShared == t.sharedBase + 48 && reinterpret_cast<uintptr_t>(t.sharedBase) % 16 == 0;
  auto *bytes = reinterpret_cast<unsigned char *>(t.sharedBase);
  size_t size = 48 + t.dynamicSharedBytes;
  for (size_t i = threadNumber(); i < size; i += t.blockDim[0]) {
    good &= bytes[i] == 0xcb;
    bytes[i] = 1;
  }
  __atomic_fetch_add(ok, good, __ATOMIC_RELAXED);
}

TEST_F(Execution, SharedMemoryIsPoisonedForEachBlockWhenChecking) {
  set("CUFORT_CHECK", "1");
  int ok = 0, *pointer = &ok;
  Shape shape{10, 50};
  shape.dynamicShared = 30000;
  KernelTraits traits;
  traits.staticShared = 48;
  ASSERT_EQ(launch(shared, shape, {&pointer}, traits), CUDA_SUCCESS);
  EXPECT_EQ(ok, 500);
}

void nothing(void **) {}

TEST_F(Execution, LimitsOfALaunch) {
  auto outcome = [&](Shape shape, KernelTraits traits = {}) { return launch(nothing, shape, {}, traits); };
  EXPECT_EQ(outcome({1, 1024}), CUDA_SUCCESS);
  EXPECT_EQ(outcome({1, 1025}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(outcome({0, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(outcome({1, 0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(outcome({2147483648u, 1}), CUDA_ERROR_INVALID_VALUE);
  Shape shape{1, 16};
  shape.blockZ = 65;
  EXPECT_EQ(outcome(shape), CUDA_ERROR_INVALID_VALUE);
  shape.blockZ = 64;
  EXPECT_EQ(outcome(shape), CUDA_SUCCESS);
  shape = {1, 1};
  shape.gridY = 65536;
  EXPECT_EQ(outcome(shape), CUDA_ERROR_INVALID_VALUE);
  KernelTraits bounded;
  bounded.maxThreads = 128;
  EXPECT_EQ(outcome({1, 128}, bounded), CUDA_SUCCESS);
  EXPECT_EQ(outcome({1, 129}, bounded), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.ctxSynchronize(), CUDA_SUCCESS) << "a refused launch does no harm";
}

TEST_F(Execution, LimitsOfSharedMemory) {
  Shape shape;
  shape.dynamicShared = 227 << 10; // EmulatedTest::launch opts in
  EXPECT_EQ(launch(nothing, shape), CUDA_SUCCESS);
  ++shape.dynamicShared;
  EXPECT_EQ(launch(nothing, shape), CUDA_ERROR_INVALID_VALUE);
  KernelTraits traits;
  traits.staticShared = 16 << 10;
  shape.dynamicShared = 32 << 10;
  EXPECT_EQ(launch(nothing, shape, {}, traits), CUDA_SUCCESS);
  ++shape.dynamicShared;
  EXPECT_EQ(launch(nothing, shape, {}, traits), CUDA_ERROR_INVALID_VALUE) << "not without opting in";
  traits.staticShared = (48 << 10) + 16;
  shape.dynamicShared = 0;
  EXPECT_EQ(launch(nothing, shape, {}, traits), CUDA_ERROR_INVALID_VALUE);
}

// Host threads launch at the same time; they share the pool.
TEST_F(Execution, LaunchesFromSeveralHostThreads) {
  set("CUFORT_EMULATED_THREADS", "3");
  CUcontext context;
  ASSERT_EQ(driver.ctxGetCurrent(&context), CUDA_SUCCESS);
  TestImage image(countAll);
  CUmodule module;
  CUfunction function;
  ASSERT_EQ(driver.moduleLoadDataEx(&module, image.image(), 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver.moduleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  std::vector<uint64_t> sums(4);
  std::vector<std::thread> hostThreads;
  for (uint64_t &sum : sums)
    hostThreads.emplace_back([&, pointer = &sum]() mutable {
      driver.ctxSetCurrent(context);
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(launchLoaded(function, {300, 32}, {&pointer}), CUDA_SUCCESS);
    });
  for (std::thread &thread : hostThreads)
    thread.join();
  for (uint64_t sum : sums)
    EXPECT_EQ(sum, 20u * 300 * 32 * 2);
}

} // namespace
} // namespace cufort::rt::emulated
