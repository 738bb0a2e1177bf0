// Cooperative launches: all blocks are resident, and the grid barrier orders all their threads.
#include "test/unit/emulated/EmulatedTest.h"
#include <atomic>

namespace cufort::rt::emulated {
namespace {

class Cooperative : public EmulatedTest {};

Shape cooperative(unsigned blocks, unsigned threads) {
  Shape shape{blocks, threads};
  shape.cooperative = true;
  return shape;
}

/// Smooths a ring of numbers, one per thread of the grid, `rounds` times.
void smooth(void **params) {
  auto *from = param<int64_t *>(params, 0), *to = param<int64_t *>(params, 1);
  int rounds = param<int>(params, 2);
  unsigned size = cufortEmuThread->gridDim[0] * cufortEmuThread->blockDim[0];
  unsigned me = blockNumber() * cufortEmuThread->blockDim[0] + threadNumber();
  for (int i = 0; i < rounds; ++i) {
    to[me] = from[(me + size - 1) % size] + from[me] * 2 + from[(me + 77) % size];
    cufortEmuGridBarrier("smooth:1");
    std::swap(from, to);
  }
}

void checkSmooth(unsigned blocks, unsigned threads, int rounds,
                 const std::function<CUresult(std::vector<void *>)> &run) {
  unsigned size = blocks * threads;
  std::vector<int64_t> a(size), b(size), x(size), y(size);
  for (unsigned i = 0; i < size; ++i)
    a[i] = x[i] = i % 13;
  int64_t *from = a.data(), *to = b.data();
  ASSERT_EQ(run({&from, &to, &rounds}), CUDA_SUCCESS);
  for (int round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < size; ++i)
      y[i] = x[(i + size - 1) % size] + x[i] * 2 + x[(i + 77) % size];
    x.swap(y);
  }
  EXPECT_EQ(rounds % 2 ? b : a, x);
}

TEST_F(Cooperative, GridBarrierOrdersAllThreads) {
  for (const char *workers : {"1", "2", "5"}) {
    set("CUFORT_EMULATED_THREADS", workers);
    unsigned blocks = std::string(workers) == "1" ? 7 : 13;
    checkSmooth(blocks, 65, 20,
                [&](std::vector<void *> params) { return launch(smooth, cooperative(blocks, 65), std::move(params)); });
  }
}

TEST_F(Cooperative, LargestNumberOfBlocks) {
  set("CUFORT_EMULATED_THREADS", "2");
  checkSmooth(64, 64, 5,
              [&](std::vector<void *> params) { return launch(smooth, cooperative(64, 64), std::move(params)); });
  EXPECT_EQ(launch(smooth, cooperative(65, 64)), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

void someThreadsLeave(void **params) {
  auto *count = param<std::atomic<int> *>(params, 0);
  if (threadNumber() % 2)
    return;
  ++count[0];
  cufortEmuGridBarrier("leave:1");
  if (count[0] == int(cufortEmuThread->gridDim[0]) * 16)
    ++count[1];
  cufortEmuBarrier("leave:2");
  cufortEmuGridBarrier("leave:3");
  if (count[1] == count[0])
    ++count[2];
}

TEST_F(Cooperative, EndedThreadsOfABlockDoNotCount) {
  std::atomic<int> count[3] = {}, *pointer = count;
  ASSERT_EQ(launch(someThreadsLeave, cooperative(9, 32), {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(count[2], 9 * 16);
}

// Each block has shared memory of its own while all are resident.
void keepInShared(void **params) {
  auto *out = param<int *>(params, 0);
  auto *mine = reinterpret_cast<int *>(cufortEmuThread->dynamicShared);
  mine[threadNumber()] = int(blockNumber() * 100 + threadNumber());
  cufortEmuGridBarrier("keep:1");
  out[blockNumber() * 32 + threadNumber()] = mine[31 - threadNumber()];
}

TEST_F(Cooperative, EachResidentBlockHasItsSharedMemory) {
  std::vector<int> out(20 * 32);
  int *data = out.data();
  Shape shape = cooperative(20, 32);
  shape.dynamicShared = 128;
  ASSERT_EQ(launch(keepInShared, shape, {&data}), CUDA_SUCCESS);
  for (int i = 0; i < 20 * 32; ++i)
    EXPECT_EQ(out[i], i / 32 * 100 + 31 - i % 32);
}

void withoutGridBarrier(void **params) { ++*param<std::atomic<int> *>(params, 0); }

TEST_F(Cooperative, MayEndWithoutABarrier) {
  std::atomic<int> count{0}, *pointer = &count;
  ASSERT_EQ(launch(withoutGridBarrier, cooperative(30, 128), {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(count, 30 * 128);
}

} // namespace
} // namespace cufort::rt::emulated
