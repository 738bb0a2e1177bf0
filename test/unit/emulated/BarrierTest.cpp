// Block barriers: what they order, what they reduce, and who counts.
#include "test/unit/emulated/EmulatedTest.h"
#include <numeric>

namespace cufort::rt::emulated {
namespace {

class Barrier : public EmulatedTest {};

/// Each block sums its part of the input by a tree in dynamic shared memory.
void treeSum(void **params) {
  auto *in = param<const int *>(params, 0);
  auto *out = param<int *>(params, 1);
  auto *shared = reinterpret_cast<int *>(cufortEmuThread->dynamicShared);
  unsigned thread = threadNumber(), size = cufortEmuThread->blockDim[0];
  shared[thread] = in[blockNumber() * size + thread];
  cufortEmuBarrier("tree:1");
  for (unsigned half = size / 2; half > 0; half /= 2) {
    if (thread < half)
      shared[thread] += shared[thread + half];
    cufortEmuBarrier("tree:2");
  }
  if (thread == 0)
    out[blockNumber()] = shared[0];
}

TEST_F(Barrier, TreeReductionIn1024ThreadBlocks) {
  constexpr int blocks = 37, size = 1024;
  std::vector<int> in(blocks * size), out(blocks);
  std::iota(in.begin(), in.end(), 7);
  const int *inData = in.data();
  int *outData = out.data();
  Shape shape{blocks, size};
  shape.dynamicShared = size * sizeof(int);
  ASSERT_EQ(launch(treeSum, shape, {&inData, &outData}), CUDA_SUCCESS);
  for (int block = 0; block < blocks; ++block)
    EXPECT_EQ(out[block], std::accumulate(&in[block * size], &in[block * size] + size, 0));
}

void rotate(void **params) {
  auto *out = param<int *>(params, 0);
  int rounds = param<int>(params, 1);
  auto *shared = reinterpret_cast<int *>(cufortEmuThread->sharedBase);
  unsigned thread = threadNumber(), size = cufortEmuThread->blockDim[0] * cufortEmuThread->blockDim[1];
  int value = int(thread);
  for (int i = 0; i < rounds; ++i) {
    shared[thread] = value;
    cufortEmuBarrier("rotate:1");
    value = shared[(thread + 1) % size];
    cufortEmuBarrier("rotate:2");
  }
  out[blockNumber() * size + thread] = value;
}

TEST_F(Barrier, KeepsLoopIterationsApart) {
  constexpr unsigned size = 96, blocks = 5;
  constexpr int rounds = 250;
  std::vector<int> out(size * blocks);
  int *outData = out.data(), roundCount = rounds;
  Shape shape{blocks, 48};
  shape.blockY = 2;
  KernelTraits traits;
  traits.staticShared = size * sizeof(int);
  ASSERT_EQ(launch(rotate, shape, {&outData, &roundCount}, traits), CUDA_SUCCESS);
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], int((i + rounds) % size)) << i;
}

void reduce(void **params) {
  auto *out = param<int *>(params, 0);
  unsigned thread = threadNumber();
  int32_t count = cufortEmuBarrierCount(thread % 3 == 0 ? 5 : 0, "count");
  int32_t all = cufortEmuBarrierAnd(-1, "and"), notAll = cufortEmuBarrierAnd(thread != 17, "and");
  int32_t any = cufortEmuBarrierOr(thread == 17, "or"), none = cufortEmuBarrierOr(0, "or");
  int *mine = out + thread * 5;
  mine[0] = count;
  mine[1] = all;
  mine[2] = notAll;
  mine[3] = any;
  mine[4] = none;
}

TEST_F(Barrier, Reductions) {
  constexpr unsigned size = 100;
  std::vector<int> out(size * 5);
  int *outData = out.data();
  ASSERT_EQ(launch(reduce, {1, size}, {&outData}), CUDA_SUCCESS);
  for (unsigned i = 0; i < size; ++i)
    EXPECT_EQ(std::vector<int>(&out[i * 5], &out[i * 5] + 5), (std::vector<int>{34, 1, 0, 1, 0})) << i;
}

void someLeaveEarly(void **params) {
  auto *out = param<int *>(params, 0);
  unsigned thread = threadNumber();
  if (thread % 4 == 3)
    return;
  for (unsigned i = 0; i < 3; ++i) {
    out[thread] = cufortEmuBarrierCount(1, "left");
    if (thread % 4 == i)
      return;
  }
}

TEST_F(Barrier, ThreadsThatHaveEndedNoLongerCount) {
  std::vector<int> out(64, -1);
  int *outData = out.data();
  ASSERT_EQ(launch(someLeaveEarly, {1, 64}, {&outData}), CUDA_SUCCESS);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], (std::vector<int>{48, 32, 16, -1})[i % 4]) << i;
}

// The last thread to end completes the barrier for those that wait.
void oneLeavesLate(void **params) {
  auto *out = param<int *>(params, 0);
  if (threadNumber() == 31)
    return;
  cufortEmuBarrier("late");
  out[threadNumber()] = 1;
}

TEST_F(Barrier, CompletesWhenTheMissingThreadEnds) {
  std::vector<int> out(32);
  int *outData = out.data();
  ASSERT_EQ(launch(oneLeavesLate, {1, 32}, {&outData}), CUDA_SUCCESS);
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), 31);
}

void sameNameElsewhere(void **) {
  static const char first[] = "file:1";
  static const char second[] = "file:1";
  if (threadNumber() % 2)
    cufortEmuBarrier(first);
  else
    cufortEmuBarrier(second);
}

TEST_F(Barrier, PlacesAreComparedByText) { EXPECT_EQ(launch(sameNameElsewhere, {1, 64}), CUDA_SUCCESS); }

void withoutPlace(void **) { cufortEmuBarrier(nullptr); }

TEST_F(Barrier, PlaceMayBeNull) { EXPECT_EQ(launch(withoutPlace, {3, 64}), CUDA_SUCCESS); }

} // namespace
} // namespace cufort::rt::emulated
