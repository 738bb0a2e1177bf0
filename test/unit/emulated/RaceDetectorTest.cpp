// What orders two accesses to shared memory, and what does not. Threads 0 and 1 are of one warp, 40 is of another.
#include "runtime/Emulated/RaceDetector.h"
#include <gtest/gtest.h>

using namespace cufort::rt::emulated;

namespace {

struct RaceDetectorTest : testing::Test {
  void SetUp() override {
    races.prepare(64, sizeof memory);
    races.begin();
  }

  bool read(uint32_t thread, size_t offset, size_t size = 1) {
    return races.access(thread, offset, size, AccessKind::Read, memory + offset, "read").has_value();
  }
  bool write(uint32_t thread, size_t offset, char value) {
    memory[offset] = value;
    return races.access(thread, offset, 1, AccessKind::Write, memory + offset, "write").has_value();
  }
  bool update(uint32_t thread, size_t offset) {
    ++memory[offset];
    return races.access(thread, offset, 1, AccessKind::Atomic, memory + offset, "atomic").has_value();
  }

  RaceDetector races;
  char memory[16] = {};
};

TEST_F(RaceDetectorTest, OneThreadDoesNotRace) {
  EXPECT_FALSE(write(0, 3, 1) || read(0, 3) || write(0, 3, 2) || update(0, 3));
}

TEST_F(RaceDetectorTest, ReadsDoNotRace) { EXPECT_FALSE(read(0, 3) || read(1, 3) || read(40, 3)); }

TEST_F(RaceDetectorTest, EveryPairWithAWriteRaces) {
  EXPECT_FALSE(write(0, 0, 1));
  EXPECT_TRUE(read(40, 0));
  EXPECT_FALSE(write(0, 1, 1));
  EXPECT_TRUE(write(1, 1, 2));
  EXPECT_FALSE(read(0, 2));
  EXPECT_TRUE(write(1, 2, 2));
  EXPECT_FALSE(read(0, 3) || read(1, 3));
  EXPECT_TRUE(write(0, 3, 2)) << "the second reader is another thread";
}

TEST_F(RaceDetectorTest, BytesAreToldApart) {
  EXPECT_FALSE(write(0, 4, 1) || write(1, 5, 1) || read(40, 6, 4));
  EXPECT_TRUE(read(40, 2, 4));
}

TEST_F(RaceDetectorTest, NamesBothSides) {
  write(40, 7, 1);
  auto race = races.access(1, 6, 4, AccessKind::Read, memory + 6, "here");
  ASSERT_TRUE(race);
  EXPECT_EQ(race->earlier, 40u);
  EXPECT_EQ(race->later, 1u);
  EXPECT_TRUE(race->earlierWrites);
  EXPECT_FALSE(race->laterWrites);
  EXPECT_STREQ(race->earlierPlace, "write");
  EXPECT_STREQ(race->laterPlace, "here");
}

TEST_F(RaceDetectorTest, BarriersOrder) {
  write(0, 3, 1);
  races.passBarrier();
  EXPECT_FALSE(read(40, 3));
  races.passBarrier();
  EXPECT_FALSE(write(0, 3, 2));
  races.begin();
  EXPECT_FALSE(read(40, 3)) << "of the next block";
}

TEST_F(RaceDetectorTest, WarpsThatMeetOrderTheirLanes) {
  write(0, 3, 1);
  write(0, 4, 1);
  write(0, 5, 1);
  races.meet(0, 0b1101);
  EXPECT_TRUE(read(1, 3)) << "was not there";
  EXPECT_FALSE(read(2, 4));
  EXPECT_TRUE(read(40, 5)) << "of another warp";
}

TEST_F(RaceDetectorTest, OrderPassesOnFromLaneToLane) {
  write(0, 3, 1);
  races.meet(0, 0b011);
  races.meet(0, 0b110);
  EXPECT_FALSE(read(2, 3));
  write(0, 4, 1);
  EXPECT_TRUE(read(2, 4)) << "after they met";
}

TEST_F(RaceDetectorTest, AtomicOperationsDoNotRaceWithEachOther) {
  EXPECT_FALSE(update(0, 3) || update(40, 3));
  EXPECT_TRUE(read(1, 3));
  EXPECT_FALSE(write(0, 4, 1));
  EXPECT_TRUE(update(40, 4));
}

TEST_F(RaceDetectorTest, AtomicOperationsHandOver) {
  write(0, 3, 1);
  races.noteAtomic(0);
  EXPECT_TRUE(read(40, 3)) << "has not looked";
  write(0, 4, 1);
  races.noteAtomic(0);
  races.noteAtomic(40);
  EXPECT_FALSE(read(40, 4));
  write(0, 5, 1);
  EXPECT_TRUE(read(40, 5)) << "written afterwards";
}

TEST_F(RaceDetectorTest, WritingTheSameValueIsNoRace) {
  EXPECT_FALSE(write(0, 3, 1) || write(40, 3, 1) || write(1, 3, 1));
  EXPECT_FALSE(read(1, 3));
  EXPECT_TRUE(read(2, 3)) << "did not write it";
}

} // namespace
