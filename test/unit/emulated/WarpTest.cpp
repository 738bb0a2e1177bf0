// Votes, matches, shuffles and activemask, against straightforward definitions, on random masks and values.
#include "test/unit/emulated/EmulatedTest.h"
#include <random>

namespace cufort::rt::emulated {
namespace {

class Warp : public EmulatedTest {};

constexpr unsigned lanes = 32;

/// What each lane of a warp is given, and what it answers. Lanes are divided into groups; each has its group's mask.
struct LaneCase {
  int32_t mask;
  int64_t value;
  int32_t lane, clamp;
  int64_t answers[16];
};

/// Splits the lanes of a warp at random into up to `groups` groups.
std::vector<LaneCase> randomWarp(std::mt19937 &random, unsigned groups) {
  std::vector<LaneCase> result(lanes);
  uint32_t masks[lanes] = {};
  unsigned group[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    group[i] = random() % groups;
    masks[group[i]] |= 1u << i;
  }
  for (unsigned i = 0; i < lanes; ++i) {
    result[i].mask = int32_t(masks[group[i]]);
    result[i].value = int64_t(random() % 3) - 1 + (int64_t(random() % 2) << 40);
    result[i].lane = int32_t(random());
    int32_t width = 1 << random() % 6;
    result[i].clamp = random() % 4 ? (32 - width) << 8 | (random() % 2 ? 31 : 0) : int32_t(random());
  }
  return result;
}

void everyOperation(void **params) {
  LaneCase &my = param<LaneCase *>(params, 0)[blockNumber() * lanes + threadNumber()];
  int32_t low = int32_t(my.value);
  int64_t *answer = my.answers;
  *answer++ = cufortEmuVoteAll(my.mask, low, "all");
  *answer++ = cufortEmuVoteAny(my.mask, low, "any");
  *answer++ = cufortEmuVoteBallot(my.mask, low, "ballot");
  *answer++ = cufortEmuMatchAny32(my.mask, low, "any32");
  *answer++ = cufortEmuMatchAny64(my.mask, my.value, "any64");
  int32_t equal32 = 7, equal64 = 7;
  *answer++ = cufortEmuMatchAll32(my.mask, low, &equal32, "all32");
  *answer++ = cufortEmuMatchAll64(my.mask, my.value, &equal64, "all64");
  *answer++ = equal32;
  *answer++ = equal64;
  cufortEmuWarpBarrier(my.mask, "barrier");
  for (int mode = 0; mode < 4; ++mode)
    *answer++ = mode % 2 ? cufortEmuShuffle64(mode, my.mask, my.value, my.lane, my.clamp, "shuffle")
                         : cufortEmuShuffle32(mode, my.mask, low, my.lane, my.clamp, "shuffle");
}

/// The lane that `shfl.sync` of PTX reads, by the steps of its description.
unsigned sourceLane(int mode, unsigned lane, int32_t b, int32_t c) {
  int laneId = int(lane), bval = b & 0x1f, cval = c & 0x1f, segmask = (c >> 8) & 0x1f;
  int maxLane = (laneId & segmask) | (cval & ~segmask & 0x1f);
  int minLane = laneId & segmask;
  int j = 0;
  bool inRange = false;
  if (mode == 0)
    j = minLane | (bval & ~segmask & 0x1f), inRange = j <= maxLane;
  if (mode == 1)
    j = laneId - bval, inRange = j >= maxLane;
  if (mode == 2)
    j = laneId + bval, inRange = j <= maxLane;
  if (mode == 3)
    j = laneId ^ bval, inRange = j <= maxLane;
  return inRange ? unsigned(j) : lane;
}

std::vector<int64_t> expectedAnswers(const LaneCase *warp, unsigned lane) {
  const LaneCase &my = warp[lane];
  auto in = [&](unsigned other) { return uint32_t(my.mask) >> other & 1; };
  uint32_t ballot = 0, equal32 = 0, equal64 = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    if (!in(i))
      continue;
    ballot |= uint32_t(int32_t(warp[i].value) != 0) << i;
    equal32 |= uint32_t(int32_t(warp[i].value) == int32_t(my.value)) << i;
    equal64 |= uint32_t(warp[i].value == my.value) << i;
  }
  bool all32 = equal32 == uint32_t(my.mask), all64 = equal64 == uint32_t(my.mask);
  std::vector<int64_t> result{ballot == uint32_t(my.mask),
                              ballot != 0,
                              int32_t(ballot),
                              int32_t(equal32),
                              int32_t(equal64),
                              all32 ? my.mask : 0,
                              all64 ? my.mask : 0,
                              all32,
                              all64};
  for (int mode = 0; mode < 4; ++mode) {
    unsigned source = sourceLane(mode, lane, my.lane, my.clamp);
    int64_t value = in(source) ? warp[source].value : my.value;
    result.push_back(mode % 2 ? value : int32_t(value));
  }
  return result;
}

TEST_F(Warp, OperationsOnRandomMasks) {
  std::mt19937 random(20);
  constexpr unsigned warps = 300;
  std::vector<LaneCase> cases;
  for (unsigned i = 0; i < warps; ++i)
    for (const LaneCase &lane : randomWarp(random, 1 + i % 6))
      cases.push_back(lane);
  LaneCase *data = cases.data();
  ASSERT_EQ(launch(everyOperation, {warps, lanes}, {&data}), CUDA_SUCCESS);
  for (unsigned i = 0; i < cases.size(); ++i) {
    std::vector<int64_t> expected = expectedAnswers(&cases[i / lanes * lanes], i % lanes);
    for (unsigned answer = 0; answer < expected.size(); ++answer)
      ASSERT_EQ(cases[i].answers[answer], expected[answer])
          << "warp " << i / lanes << " lane " << i % lanes << " operation " << answer;
  }
}

void butterflySum(void **params) {
  auto *out = param<int *>(params, 0);
  int value = int(threadNumber());
  for (int distance = 16; distance > 0; distance /= 2)
    value += cufortEmuShuffle32(3, -1, value, distance, 0x1f, "butterfly");
  out[threadNumber()] = value;
}

TEST_F(Warp, ButterflyReductionInEveryWarpOfALargeBlock) {
  std::vector<int> out(1024);
  int *data = out.data();
  ASSERT_EQ(launch(butterflySum, {1, 1024}, {&data}), CUDA_SUCCESS);
  for (int i = 0; i < 1024; ++i)
    EXPECT_EQ(out[i], i / 32 * 1024 + 496) << i;
}

// A block of 40 threads has a warp of 8 lanes, for which a full mask names 24 lanes that do not exist.
void fullMaskInPartOfAWarp(void **params) {
  param<int *>(params, 0)[threadNumber()] = cufortEmuVoteBallot(-1, 1, "partial");
}

TEST_F(Warp, LanesThatTheBlockDoesNotHaveAreNotWaitedFor) {
  std::vector<int> out(40);
  int *data = out.data();
  ASSERT_EQ(launch(fullMaskInPartOfAWarp, {1, 40}, {&data}), CUDA_SUCCESS);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(out[i], i < 32 ? -1 : 0xff);
}

void endedLanes(void **params) {
  if (threadNumber() < 10)
    return;
  param<int *>(params, 0)[threadNumber()] = cufortEmuVoteBallot(-1, 1, "ended");
  if (threadNumber() < 20)
    return;
  param<int *>(params, 0)[threadNumber()] = cufortEmuShuffle32(0, -1, int(threadNumber()), 5, 0x1f, "ended");
}

TEST_F(Warp, LanesThatHaveEndedAreNotWaitedFor) {
  std::vector<int> out(32, -5);
  int *data = out.data();
  ASSERT_EQ(launch(endedLanes, {1, 32}, {&data}), CUDA_SUCCESS);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 10 ? -5 : i < 20 ? int(0xfffffc00) : i) << "a shuffle from an ended lane gives the own value";
}

TEST_F(Warp, CheckReportsEndedLanes) {
  set("CUFORT_CHECK", "1");
  std::vector<int> out(32, -5);
  int *data = out.data();
  std::string message;
  ASSERT_EQ(launchAndCapture(message, endedLanes, {1, 32}, {&data}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(message, "cufort: kernel 'k': vote with mask ffffffff at ended: lane 10 of block (1,1,1), thread (11,1,1): "
                     "the mask names a lane that has ended\n");
}

void maskWithoutMyself(void **) { cufortEmuWarpBarrier(threadNumber() == 3 ? 0x7 : -1, "x.cuf:9"); }

TEST_F(Warp, MaskMustNameTheLane) {
  std::string message;
  ASSERT_EQ(launchAndCapture(message, maskWithoutMyself, {1, 32}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(message, "cufort: kernel 'k': warp barrier with mask 00000007 at x.cuf:9: lane 3 of block (1,1,1), thread "
                     "(4,1,1): the mask does not name the lane that executes it\n");
}

// The empty assembly keeps the compiler from making one call of the two.
void branches(void **params) {
  auto *inBranch = param<uint32_t *>(params, 0), *afterwards = param<uint32_t *>(params, 1);
  unsigned thread = threadNumber();
  if (thread % 3 == 0) {
    inBranch[thread] = uint32_t(cufortEmuActiveMask());
    asm volatile("");
  } else if (thread % 3 == 1) {
    inBranch[thread] = uint32_t(cufortEmuActiveMask());
  }
  cufortEmuBarrier("branches:1");
  if (thread >= 7)
    afterwards[thread] = uint32_t(cufortEmuActiveMask());
}

// Lanes that are at the same place are active together; lanes that wait or have ended are not.
TEST_F(Warp, ActiveMaskIsTheLanesAtTheSamePlace) {
  std::vector<uint32_t> inBranch(64), afterwards(64);
  uint32_t *first = inBranch.data(), *second = afterwards.data();
  ASSERT_EQ(launch(branches, {1, 64}, {&first, &second}), CUDA_SUCCESS);
  for (unsigned i = 0; i < 64; ++i) {
    uint32_t same = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      same |= uint32_t((i / 32 * 32 + lane) % 3 == i % 3) << lane;
    EXPECT_EQ(inBranch[i], i % 3 == 2 ? 0u : same) << i;
    EXPECT_EQ(afterwards[i], i < 7 ? 0u : i < 32 ? 0xffffff80u : 0xffffffffu) << i;
  }
}

// The usual way to add once for all lanes of a branch.
void aggregatedAdd(void **params) {
  auto *counter = param<int *>(params, 0);
  auto *position = param<int *>(params, 1);
  unsigned thread = blockNumber() * cufortEmuThread->blockDim[0] + threadNumber();
  if (thread % 5 > 1)
    return;
  uint32_t mask = uint32_t(cufortEmuActiveMask());
  unsigned lane = cufortEmuThread->laneId;
  int leader = __builtin_ctz(mask), first = 0;
  if (int(lane) == leader)
    first = __atomic_fetch_add(counter, __builtin_popcount(mask), __ATOMIC_RELAXED);
  first = cufortEmuShuffle32(0, int32_t(mask), first, leader, 0x1f, "aggregate");
  position[thread] = first + __builtin_popcount(mask & ((1u << lane) - 1));
}

TEST_F(Warp, AggregatedAtomics) {
  int counter = 0, *counterPointer = &counter;
  std::vector<int> position(40 * 256, -1);
  int *data = position.data();
  ASSERT_EQ(launch(aggregatedAdd, {40, 256}, {&counterPointer, &data}), CUDA_SUCCESS);
  EXPECT_EQ(counter, 40 * 256 * 2 / 5);
  std::vector<bool> seen(size_t(counter), false);
  for (size_t i = 0; i < position.size(); ++i) {
    if (i % 5 > 1)
      continue;
    ASSERT_TRUE(position[i] >= 0 && position[i] < counter && !seen[size_t(position[i])]) << i;
    seen[size_t(position[i])] = true;
  }
}

} // namespace
} // namespace cufort::rt::emulated
