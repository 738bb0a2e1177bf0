#include "runtime/CudaFor/CopyShape.h"
#include "gtest/gtest.h"

using namespace cufort::rt;

namespace {

/// A 4 by 3 by 2 array of 8-byte elements with gaps after each column and each plane.
StridedArray gappy() {
  StridedArray array;
  array.base = reinterpret_cast<char *>(0x1000);
  array.elementBytes = 8;
  array.rank = 3;
  array.extent[0] = 4;
  array.extent[1] = 3;
  array.extent[2] = 2;
  array.stride[0] = 8;
  array.stride[1] = 100;
  array.stride[2] = 1000;
  return array;
}

TEST(CopyShape, WholeArrayIsOneSection) {
  auto sections = leadingSections(gappy(), 24);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].rank, 3);
  EXPECT_EQ(sections[0].extent[2], 2);
}

TEST(CopyShape, RestIsCutByRank) {
  auto sections = leadingSections(gappy(), 12 + 4 + 3);
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].rank, 3);
  EXPECT_EQ(sections[0].extent[2], 1);
  EXPECT_EQ(sections[1].rank, 2);
  EXPECT_EQ(sections[1].base, gappy().base + 1000);
  EXPECT_EQ(sections[1].extent[1], 1);
  EXPECT_EQ(sections[2].rank, 1);
  EXPECT_EQ(sections[2].base, gappy().base + 1100);
  EXPECT_EQ(sections[2].extent[0], 3);
}

TEST(CopyShape, FewElementsAndNone) {
  auto sections = leadingSections(gappy(), 2);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].rank, 1);
  EXPECT_EQ(sections[0].base, gappy().base);
  EXPECT_TRUE(leadingSections(gappy(), 0).empty());
}

TEST(CopyShape, Scalar) {
  StridedArray scalar = gappy();
  scalar.rank = 0;
  EXPECT_EQ(leadingSections(scalar, 1).size(), 1u);
}

} // namespace
