// Kernels that run in phases: the memory between them, votes, and blocks whose threads part.
#include "test/unit/emulated/EmulatedTest.h"
#include <numeric>
#include <random>

namespace cufort::rt::emulated {
namespace {

class Phases : public EmulatedTest {};

constexpr unsigned size = 70;

/// What a compiler makes of: value = 3 * thread; barrier; if this thread is odd, it ends; barrier; out = the value of
/// the next thread but one, plus the number of rounds that all threads share.
struct PhaseData {
  int32_t next[1024];
  int value[1024];
};

constexpr uint8_t kindsOfTwo[] = {CufortEmuStartsTogether, CufortEmuStartsTogether, CufortEmuStartsTogether};

/// Hands block `block`, all of whose threads know the next of two phases, to the runtime. They share `kept`.
int32_t part(const CufortEmuBlocks *range, uint64_t block, int32_t *next, int kept) {
  CufortEmuPhases kinds = {3, sizeof kept, kindsOfTwo};
  struct {
    CufortEmuThreads threads;
    int kept;
  } all = {{0, range->blockDim[0], nullptr, nullptr}, kept};
  return cufortEmuNextPhase(range, block, &kinds, next, -1, &all.threads);
}

void startRounds(void **params, const CufortEmuBlocks *range) {
  auto *in = param<const int *>(params, 0);
  auto &data = *reinterpret_cast<PhaseData *>(range->memory);
  for (uint64_t block = range->first; block < range->end; ++block) {
    for (unsigned thread = 0; thread < range->blockDim[0]; ++thread)
      data.value[thread] = in[block * size + thread];
    for (unsigned thread = 0; thread < range->blockDim[0]; ++thread)
      data.next[thread] = thread % 2 ? 0 : 2;
    EXPECT_EQ(part(range, block, data.next, int(block) + 5), 0);
  }
}

void finishRounds(void **params, const CufortEmuBlocks *range, int64_t thread, int32_t phase, const void *shared) {
  auto *out = param<int *>(params, 1);
  const auto &data = *reinterpret_cast<const PhaseData *>(range->memory);
  EXPECT_EQ(thread, threadNumber());
  EXPECT_EQ(phase, 2);
  auto *row = reinterpret_cast<int *>(cufortEmuThread->sharedBase);
  row[thread] = data.value[thread];
  cufortEmuBarrier("rounds:2");
  out[blockNumber() * size + thread] = row[(thread + 2) % size] + *static_cast<const int *>(shared);
}

TEST_F(Phases, ThreadsThatPartFinishOnTheirOwn) {
  constexpr unsigned blocks = 41;
  std::vector<int> in(blocks * size), out(blocks * size, -1);
  std::iota(in.begin(), in.end(), 1000);
  const int *inData = in.data();
  int *outData = out.data();
  KernelTraits traits;
  traits.blocks = startRounds;
  traits.resume = finishRounds;
  traits.phaseBytes = sizeof(PhaseData);
  traits.staticShared = size * sizeof(int);
  for (const char *workers : {"1", "3"}) {
    set("CUFORT_EMULATED_THREADS", workers);
    std::fill(out.begin(), out.end(), -1);
    ASSERT_EQ(launch(nullptr, {blocks, size}, {&inData, &outData}, traits), CUDA_SUCCESS);
    for (unsigned i = 0; i < out.size(); ++i) {
      unsigned block = i / size, thread = i % size;
      EXPECT_EQ(out[i], thread % 2 ? -1 : in[block * size + (thread + 2) % size] + int(block) + 5) << i;
    }
  }
}

/// What a compiler makes of: warp w meets w times, in phase 1, then all threads meet in phase 2. Counts, for each
/// thread, the meetings of its warp; each warp keeps a number of its own.
void goOnAlone(void **params, const CufortEmuBlocks *range) {
  constexpr uint8_t starts[] = {CufortEmuStartsTogether, CufortEmuStartsInWarps, CufortEmuStartsTogether};
  CufortEmuPhases kinds = {3, sizeof(int), starts};
  auto *out = param<int *>(params, 0);
  for (uint64_t block = range->first; block < range->end; ++block) {
    struct {
      CufortEmuThreads threads;
      int rounds;
    } all = {{0, range->blockDim[0], nullptr, nullptr}, 0};
    std::vector<int32_t> next(1024);
    for (unsigned thread = 0; thread < size; ++thread)
      next[thread] = thread < 32 ? 2 : 1;
    int32_t phase = cufortEmuNextPhase(range, block, &kinds, next.data(), -1, &all.threads);
    while (phase == 1) {
      auto warp = int(all.threads.first / 32);
      EXPECT_EQ(all.threads.end, std::min<int64_t>(all.threads.first + 32, size));
      for (int64_t thread = all.threads.first; thread < all.threads.end; ++thread)
        ++out[int64_t(block) * size + thread];
      phase = cufortEmuNextPhase(range, block, &kinds, next.data(), ++all.rounds == warp ? 2 : 1, &all.threads);
    }
    EXPECT_EQ(phase, 2);
    EXPECT_EQ(all.threads.first, 0);
    EXPECT_EQ(all.threads.end, int64_t(size));
  }
}

TEST_F(Phases, WarpsGoOnAloneUntilAllMeet) {
  constexpr unsigned blocks = 5;
  std::vector<int> out(blocks * size, 0);
  int *outData = out.data();
  KernelTraits traits;
  traits.blocks = goOnAlone;
  traits.resume = finishRounds;
  traits.phaseBytes = 1;
  ASSERT_EQ(launch(nullptr, {blocks, size}, {&outData}, traits), CUDA_SUCCESS);
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], int(i % size / 32)) << i;
}

void partAtOnce(void **, const CufortEmuBlocks *range) {
  int32_t next[size]; // a vector would not be destroyed when the threads are abandoned
  for (unsigned thread = 0; thread < size; ++thread)
    next[thread] = thread < 10 ? 0 : thread < 30 ? 1 : 2;
  part(range, range->first, next, 0);
}

void waitApart(void **, const CufortEmuBlocks *, int64_t, int32_t phase, const void *) {
  cufortEmuBarrier(phase == 1 ? "x.cuf:3" : "x.cuf:8");
}

/// A kernel that parts at once.
KernelTraits parting(ResumeFunction resume) {
  KernelTraits traits;
  traits.blocks = partAtOnce;
  traits.resume = resume;
  traits.phaseBytes = 1;
  return traits;
}

TEST_F(Phases, ReportsThreadsAtDifferentBarriers) {
  KernelTraits traits = parting(waitApart);
  std::string output;
  EXPECT_EQ(launchAndCapture(output, nullptr, {3, size}, {}, traits), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_NE(output.find("wait at different barriers: 20 at x.cuf:3, 40 at x.cuf:8; 10 have ended"), std::string::npos)
      << output;
  restart();
  traits.blocks = [](void **, const CufortEmuBlocks *) {};
  EXPECT_EQ(launch(nullptr, {3, size}, {}, traits), CUDA_SUCCESS);
}

void trapInPhase(void **, const CufortEmuBlocks *, int64_t thread, int32_t, const void *) {
  if (thread == 40)
    cufortEmuTrap("stop", "x.cuf:5");
  cufortEmuBarrier("x.cuf:6");
}

TEST_F(Phases, NamesTheThreadThatStops) {
  std::string output;
  EXPECT_NE(launchAndCapture(output, nullptr, {1, size}, {}, parting(trapInPhase)), CUDA_SUCCESS);
  EXPECT_NE(output.find("(41,1,1)"), std::string::npos) << output;
}

TEST_F(Phases, MemoryIsAlignedAndAsLargeAsAsked) {
  KernelTraits traits;
  traits.phaseBytes = 3000000;
  traits.blocks = [](void **, const CufortEmuBlocks *range) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(range->memory) % 64, 0u);
    std::fill_n(range->memory, 3000000, char(1));
  };
  EXPECT_EQ(launch(nullptr, {5, 8}, {}, traits), CUDA_SUCCESS);
}

TEST_F(Phases, MoreMemoryThanThereIs) {
  KernelTraits traits;
  traits.phaseBytes = uint64_t(1) << 60;
  traits.blocks = [](void **, const CufortEmuBlocks *) { FAIL(); };
  std::string output;
  EXPECT_EQ(launchAndCapture(output, nullptr, {1, 8}, {}, traits), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_NE(output.find("no memory for the values"), std::string::npos) << output;
}

std::vector<int64_t> randomOperands(size_t count) {
  std::mt19937 random(7);
  std::vector<int64_t> operands(count);
  for (int64_t &operand : operands)
    operand = random() % 3 ? int64_t(random()) << 20 : 0;
  return operands;
}

TEST_F(Phases, CountsOperands) {
  for (size_t count : {1, 31, 64, 1023}) {
    std::vector<int64_t> operands = randomOperands(count);
    int64_t expected = 0;
    for (int64_t operand : operands)
      expected += operand != 0;
    EXPECT_EQ(cufortEmuCountTrue(operands.data(), int64_t(count)), expected);
  }
}

TEST_F(Phases, VotesCountTheLanesThatExist) {
  for (size_t count : {5, 32, 77}) {
    std::vector<int64_t> operands = randomOperands(count), all = operands, any = operands, ballot = operands;
    std::fill_n(all.begin(), std::min<size_t>(count, 32), 4);
    std::vector<int64_t> filled = all;
    cufortEmuVoteInWarps(all.data(), int64_t(count), CufortEmuVoteForAll);
    cufortEmuVoteInWarps(any.data(), int64_t(count), CufortEmuVoteForAny);
    cufortEmuVoteInWarps(ballot.data(), int64_t(count), CufortEmuVoteForBallot);
    for (size_t i = 0; i < count; ++i) {
      size_t first = i / 32 * 32, end = std::min(first + 32, count);
      int64_t mask = 0, isAll = 1;
      for (size_t lane = first; lane < end; ++lane) {
        mask |= int64_t(operands[lane] != 0) << (lane - first);
        isAll &= filled[lane] != 0;
      }
      EXPECT_EQ(ballot[i], mask);
      EXPECT_EQ(any[i], mask != 0);
      EXPECT_EQ(all[i], isAll);
    }
  }
}

} // namespace
} // namespace cufort::rt::emulated
