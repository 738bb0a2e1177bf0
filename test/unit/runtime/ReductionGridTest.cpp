#include "runtime/Launch/ReductionGrid.h"
#include "runtime/ABI/RuntimeABI.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace cufort::rt;
using fake::Call;

namespace {

int64_t blocksOf(const ReductionGrid &grid) { return grid.extent[0] * grid.extent[1] * grid.extent[2]; }

/// Steps that each block has over the iterations.
int64_t stepsOf(const ReductionShape &shape, const ReductionGrid &grid) {
  int64_t steps = 1;
  for (int axis = 0; axis < 3; ++axis)
    steps *= (shape.needed[axis] + grid.extent[axis] - 1) / grid.extent[axis];
  return steps;
}

class ReductionGrids : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    image.versions(fake::record({{CufortTestParameter, 0, 0, ~0u, 2},
                                 {CufortTestThreads, 0, CUFORT_NO_PARAMETER, CUFORT_NO_PARAMETER, 8192}},
                                {"sum_", "sum_$rows"}) +
                   fake::record({{CufortTestParameter, 0, 0, ~0u, 1}}, {"sum_", "sum_$one"}));
    stub = image.kernel("sum");
    image.add();
  }

  int64_t extent(int64_t packed, int axis) {
    return packed >> axis * CUFORT_GRID_EXTENT_BITS & ((1 << CUFORT_GRID_EXTENT_BITS) - 1);
  }

  fake::TestImage image;
  void *stub = nullptr;
  int32_t parameter = 0;
  void *params[1] = {&parameter};
};

} // namespace

TEST(ReductionGrid, fewIterationsHaveAThreadEach) {
  ReductionGrid grid = chooseReductionGrid({{4, 1, 1}, 1, 1056, 1, 20, false});
  EXPECT_EQ(blocksOf(grid), 4);
  EXPECT_EQ(grid.extent[0], 4);
}

TEST(ReductionGrid, nestsFillTheDevice) {
  // 256**3 iterations in blocks of 64 by 4, five variables: 660 blocks at once.
  ReductionShape shape = {{4, 64, 256}, 1, 660, 5, 20, false};
  ReductionGrid grid = chooseReductionGrid(shape);
  EXPECT_LE(blocksOf(grid), 660);
  EXPECT_LE(stepsOf(shape, grid) * 660, 4 * 64 * 256 * 1.05);
}

TEST(ReductionGrid, aFewLongRowsAreDoneSideBySide) {
  // Rows share what they read: one after the other, they would read it from memory again.
  ReductionShape shape = {{11719, 8, 1}, 1, 1056, 2, 20, false};
  ReductionGrid grid = chooseReductionGrid(shape);
  EXPECT_EQ(grid.extent[1], 8);
  EXPECT_LE(blocksOf(grid), 1056);
  EXPECT_LE(stepsOf(shape, grid) * 1056, 11719 * 8 * 1.05);
}

TEST(ReductionGrid, stepsAreTheSameForAllBlocks) {
  // 1024 rows over 792 blocks would be two steps for 232 of them, and one for the others.
  ReductionShape shape = {{64, 1024, 1}, 1, 792, 3, 20, false};
  ReductionGrid grid = chooseReductionGrid(shape);
  EXPECT_LE(stepsOf(shape, grid) * blocksOf(grid), 64 * 1024 * 1.05);
}

TEST(ReductionGrid, rowsAreCoveredWhereThatSavesALoop) {
  // An image of 8192 x 8192 in blocks of 128 by 2, five variables. A thread for each place of a row is best only if the
  // kernel takes it as such.
  ReductionShape shape = {{64, 4096, 1}, 1, 792, 5, 20, false};
  EXPECT_LT(chooseReductionGrid(shape).extent[0], 64);
  shape.residentOfRows = 792;
  ReductionGrid grid = chooseReductionGrid(shape);
  EXPECT_EQ(grid.extent[0], 64);
  EXPECT_LE(blocksOf(grid), 792);
  EXPECT_LE(stepsOf(shape, grid) * 792, 64 * 4096 * 1.05);
  // Also where others would fill the device a little better.
  ReductionShape square = {{64, 1024, 1}, 1, 1056, 1, 60, false, 1056};
  EXPECT_EQ(chooseReductionGrid(square).extent[0], 64);
  // Nor if few blocks of that version run at once.
  shape.residentOfRows = 132;
  EXPECT_LT(chooseReductionGrid(shape).extent[0], 64);
}

TEST(ReductionGrid, planesAreDoneOneAfterTheOther) {
  // A cube of 166 in blocks of 64 by 4: all rows of some planes, not some rows of all planes.
  ReductionShape shape = {{3, 42, 166}, 1, 660, 1, 100, false};
  ReductionGrid grid = chooseReductionGrid(shape);
  EXPECT_EQ(grid.extent[1], 42);
  EXPECT_LT(grid.extent[2], 42);
}

TEST(ReductionGrid, unevenIterationsHaveSeveralBlocksForEachPlace) {
  ReductionShape shape = {{16384, 1, 1}, 1, 660, 2, 1600, true};
  int64_t uneven = blocksOf(chooseReductionGrid(shape));
  EXPECT_GE(uneven, 2 * 660);
  EXPECT_LE(uneven, 6 * 660);
  shape.cost = 20;
  EXPECT_LE(blocksOf(chooseReductionGrid(shape)), 660);
}

TEST(ReductionGrid, blocksOfLongIterationsFillTheLastWave) {
  // 8192 blocks are more than five times what the device runs at once. With six steps for each of 1366 blocks, 218 more
  // could run; three steps in two waves lose less, if reductions are short in comparison.
  ReductionShape shape = {{8192, 1, 1}, 1, 1584, 2, 20, false};
  EXPECT_LE(blocksOf(chooseReductionGrid(shape)), 1584);
  shape.cost = 2000;
  EXPECT_EQ(blocksOf(chooseReductionGrid(shape)), 2731);
}

TEST(ReductionGrid, extentsOfTheProgramCount) {
  ReductionGrid grid = chooseReductionGrid({{1, 5000, 1}, 100, 1056, 1, 20, false});
  EXPECT_LE(grid.extent[1], 20);
  EXPECT_GT(grid.extent[1], 5);
  EXPECT_EQ(blocksOf(chooseReductionGrid({{1, 5000, 1}, 100000, 1056, 1, 20, false})), 1);
}

TEST(ReductionGrid, isWithinItsLimitsForAnyShape) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t most) { return int64_t(random() % most) + 1; };
  for (int i = 0; i < 20000; ++i) {
    ReductionShape shape = {{upTo(int64_t(1) << upTo(40)), upTo(1 << upTo(20)), upTo(1 << upTo(12))},
                            upTo(3000),
                            upTo(5000),
                            int(upTo(20)),
                            int(upTo(2000)),
                            upTo(2) == 1,
                            upTo(5000) - 1};
    ReductionGrid grid = chooseReductionGrid(shape);
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_GE(grid.extent[axis], 1);
      ASSERT_LE(grid.extent[axis], shape.needed[axis]);
    }
    ASSERT_LE(blocksOf(grid), std::max<int64_t>((shape.cost >= 1200 ? 8192 : 2048) / shape.given, 1));
  }
}

TEST_F(ReductionGrids, dependOnWhatTheDeviceRunsAtOnce) {
  // 8 blocks of 256 threads on each of 132 multiprocessors.
  int64_t grid = cufortReductionGrid(stub, 10000, 1, 1, 1, 256, 1, 1, 8, 20, 0, params);
  EXPECT_LE(extent(grid, 0), 8 * 132);
  EXPECT_GT(extent(grid, 0), 7 * 132);
  EXPECT_EQ(extent(grid, 1), 1);
  EXPECT_EQ(extent(grid, 2), 1);
}

TEST_F(ReductionGrids, countTheBlocksOfTheVersionThatRuns) {
  fake::device().blocksAtOnce = {{"sum_", 5}, {"sum_$one", 6}, {"sum_$rows", 3}};
  auto blocksFor = [&](int32_t parameter) {
    void *params[] = {&parameter};
    int64_t grid = cufortReductionGrid(stub, 10000, 1, 1, 1, 256, 1, 1, 1, 20, 0, params);
    return extent(grid, 0) * extent(grid, 1) * extent(grid, 2);
  };
  EXPECT_LE(blocksFor(0), 5 * 132);
  EXPECT_GT(blocksFor(0), 4 * 132);
  EXPECT_LE(blocksFor(1), 6 * 132);
  EXPECT_GT(blocksFor(1), 5 * 132);
}

TEST_F(ReductionGrids, coverRowsWhereAVersionForThemServes) {
  auto extentFor = [&](int32_t parameter) {
    void *params[] = {&parameter};
    return extent(cufortReductionGrid(stub, 64, 4096, 1, 1, 128, 2, 1, 5, 20, 0, params), 0);
  };
  EXPECT_LT(extentFor(0), 64);
  EXPECT_EQ(extentFor(2), 64);
}

TEST_F(ReductionGrids, areChosenOnceForTheSameLoops) {
  int64_t grid = cufortReductionGrid(stub, 3000, 40, 1, 1, 256, 1, 1, 8, 20, 0, params);
  int asked = fake::device().callsOf(Call::occupancyMaxActiveBlocks);
  EXPECT_EQ(cufortReductionGrid(stub, 3000, 40, 1, 1, 256, 1, 1, 8, 20, 0, params), grid);
  EXPECT_EQ(fake::device().callsOf(Call::occupancyMaxActiveBlocks), asked);
  cufortReductionGrid(stub, 3000, 41, 1, 1, 256, 1, 1, 8, 20, 0, params);
  EXPECT_GT(fake::device().callsOf(Call::occupancyMaxActiveBlocks), asked);
}

TEST_F(ReductionGrids, areTheSameForAllThreads) {
  auto gridOf = [&](int i) { return cufortReductionGrid(stub, 1000 + i, 40, 1, 1, 256, 1, 1, 8, 20, 0, params); };
  std::vector<int64_t> expected;
  for (int i = 0; i < 10; ++i)
    expected.push_back(gridOf(i));
  std::atomic<int> wrong = 0;
  auto ask = [&] {
    for (int round = 0; round < 100; ++round)
      for (int i = 0; i < 10; ++i)
        wrong += gridOf(i) != expected[i];
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(ask);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ReductionGrids, areThereWithoutAnAnswerOfTheDriver) {
  fake::device().fail(Call::occupancyMaxActiveBlocks, CUDA_ERROR_INVALID_VALUE);
  EXPECT_GE(extent(cufortReductionGrid(stub, 5000, 1, 1, 1, 0, 1, 1, 1, 20, 0, params), 0), 1);
  int unknown = 0;
  EXPECT_GE(extent(cufortReductionGrid(&unknown, 5000, 1, 1, 1, 256, 1, 1, 1, 20, 0, params), 0), 1);
}
