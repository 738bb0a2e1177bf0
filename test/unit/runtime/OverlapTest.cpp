// Whether sections of one array share memory, against all pairs of their elements.
#include "runtime/Memory/Overlap.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace cufort::rt;

namespace {

std::mt19937 random_(4711);

int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

/// A triplet of subscripts within an extent.
struct Triplet {
  int64_t first, count, step;
};

Triplet pickTriplet(int64_t extent) {
  int64_t step = pick(1, 3), count = pick(1, (extent - 1) / step + 1), first = pick(0, extent - 1 - (count - 1) * step);
  if (pick(0, 4) == 0)
    return {first + (count - 1) * step, count, -step};
  return {first, count, step};
}

char memory[4096];

/// The section of an array with these extents.
StridedArray section(const std::vector<int64_t> &extents, const std::vector<Triplet> &triplets, size_t elementBytes) {
  StridedArray result;
  result.base = memory;
  result.elementBytes = elementBytes;
  result.rank = static_cast<int>(extents.size());
  auto stride = static_cast<int64_t>(elementBytes);
  for (int i = 0; i < result.rank; ++i) {
    result.base += triplets[i].first * stride;
    result.extent[i] = triplets[i].count;
    result.stride[i] = triplets[i].step * stride;
    stride *= extents[i];
  }
  return result;
}

std::set<const char *> elementsOf(const StridedArray &array, int rank, const char *base) {
  if (rank == 0)
    return {base};
  std::set<const char *> all;
  for (int64_t i = 0; i < array.extent[rank - 1]; ++i)
    all.merge(elementsOf(array, rank - 1, base + i * array.stride[rank - 1]));
  return all;
}

bool doOverlap(const StridedArray &a, const StridedArray &b) {
  std::set<const char *> elements = elementsOf(a, a.rank, a.base);
  for (const char *element : elementsOf(b, b.rank, b.base))
    if (elements.count(element))
      return true;
  return false;
}

} // namespace

TEST(Overlap, SectionsWithTheSameStridesAreComparedExactly) {
  int counts[2] = {};
  for (int round = 0; round < 20000; ++round) {
    std::vector<int64_t> extents(pick(1, 3));
    std::vector<Triplet> left, right;
    for (int64_t &extent : extents) {
      extent = pick(2, 6);
      Triplet triplet = pickTriplet(extent), other = triplet;
      int64_t reach = std::abs(triplet.step) * (triplet.count - 1), free = extent - 1 - reach;
      other.first = pick(0, free) + (triplet.step < 0 ? reach : 0);
      left.push_back(triplet);
      right.push_back(other);
    }
    StridedArray a = section(extents, left, 8), b = section(extents, right, 8);
    bool want = doOverlap(a, b);
    ++counts[want];
    ASSERT_EQ(mayOverlap(a, b), want) << "round " << round;
    ASSERT_EQ(mayOverlap(b, a), want) << "round " << round;
  }
  EXPECT_GT(counts[0], 1000);
  EXPECT_GT(counts[1], 1000);
}

TEST(Overlap, NoOverlapIsMissedBetweenOthers) {
  for (int round = 0; round < 20000; ++round) {
    std::vector<int64_t> extents(pick(1, 3));
    std::vector<Triplet> left, right;
    for (int64_t &extent : extents) {
      extent = pick(2, 6);
      left.push_back(pickTriplet(extent));
      right.push_back(pickTriplet(extent));
    }
    StridedArray a = section(extents, left, 4), b = section(extents, right, 4);
    if (doOverlap(a, b)) {
      ASSERT_TRUE(mayOverlap(a, b)) << "round " << round;
    }
  }
}

TEST(Overlap, ElementsThatAreHalfOnEachOtherDo) {
  StridedArray a = section({10, 10}, {{0, 5, 2}, {0, 3, 1}}, 8), b = a;
  b.base += 8;
  EXPECT_FALSE(mayOverlap(a, b));
  b.base -= 4;
  EXPECT_TRUE(mayOverlap(a, b));
  b.base += 8;
  EXPECT_TRUE(mayOverlap(a, b));
}

TEST(Overlap, DimensionsWithinEachOtherAreNotTakenApart) {
  // Steps of 16 and 24 bytes: elements of one are between those of the other.
  StridedArray a;
  a.base = memory;
  a.elementBytes = 8;
  a.rank = 2;
  a.extent[0] = a.extent[1] = 3;
  a.stride[0] = 16;
  a.stride[1] = 24;
  StridedArray b = a;
  b.base += 8;
  EXPECT_TRUE(mayOverlap(a, b));
}
