// What cufortPermute tells the kernels, and when it leaves the copy to the program. The kernels here are loops that
// follow what they are told, on host memory; the real ones run in test/execution/cutensorex/permutations.cuf.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/PermutedShape.h"
#include "test/unit/runtime/FortranArray.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace cufort::rt;

namespace {

PermutedShape told; ///< to the last kernel
size_t copiedBytes; ///< of an element, by the last kernel; 0 if none was launched

void copy(size_t bytes, void *to, const void *from, const PermutedShape &shape) {
  told = shape;
  copiedBytes = bytes;
  for (int32_t other = 0; other < shape.others; ++other) {
    int64_t source = 0, result = 0;
    int32_t rest = other;
    for (int32_t d = 0; d < shape.dimensions; rest /= shape.extents[d++]) {
      source += rest % shape.extents[d] * shape.fromOther[d];
      result += rest % shape.extents[d] * shape.toOther[d];
    }
    for (int64_t row = 0; row < shape.rows; ++row)
      for (int64_t column = 0; column < shape.columns; ++column)
        std::memcpy(static_cast<char *>(to) + (result + row * shape.toRow + column * shape.toColumn) * int64_t(bytes),
                    static_cast<const char *>(from) +
                        (source + row * shape.fromRow + column * shape.fromColumn) * int64_t(bytes),
                    bytes);
  }
}

} // namespace

extern "C" {
void cufortPermute1(void *to, const void *from, const PermutedShape *shape) { copy(1, to, from, *shape); }
void cufortPermute2(void *to, const void *from, const PermutedShape *shape) { copy(2, to, from, *shape); }
void cufortPermute4(void *to, const void *from, const PermutedShape *shape) { copy(4, to, from, *shape); }
void cufortPermute8(void *to, const void *from, const PermutedShape *shape) { copy(8, to, from, *shape); }
void cufortPermute16(void *to, const void *from, const PermutedShape *shape) { copy(16, to, from, *shape); }
}

namespace {

/// Dimension d of the source becomes dimension order[d] of the copy, both counted from 1.
int64_t packed(const std::vector<int> &order) {
  int64_t bits = 0;
  for (size_t d = 0; d < order.size(); ++d)
    bits |= int64_t(order[d]) << 4 * d;
  return bits;
}

std::vector<int64_t> permuted(const std::vector<int64_t> &extents, const std::vector<int> &order) {
  std::vector<int64_t> result(extents.size());
  for (size_t d = 0; d < extents.size(); ++d)
    result[order[d] - 1] = extents[d];
  return result;
}

int64_t product(const std::vector<int64_t> &extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

/// Copies an array of `extents` and compares every element with the one that it should be.
void expectCopied(const std::vector<int64_t> &extents, const std::vector<int> &order) {
  const int64_t count = product(extents);
  std::vector<int32_t> source(count), result(count, -1);
  std::iota(source.begin(), source.end(), 0);
  FortranDescriptor from = fake::describe(source.data(), 4, extents, 0, FlangDevice);
  FortranDescriptor to = fake::describe(result.data(), 4, permuted(extents, order), 0, FlangDevice);
  ASSERT_TRUE(cufortPermute(&to, &from, packed(order)));
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number, place = 0;
    for (size_t d = 0; d < extents.size(); rest /= extents[d++])
      place += rest % extents[d] * (to.dim[order[d] - 1].byteStride / 4);
    ASSERT_EQ(result[place], source[number]);
  }
}

/// Whether an array of elements of `bytes` is copied by a kernel.
bool isCopied(size_t bytes, const std::vector<int64_t> &extents, const std::vector<int> &order,
              std::vector<int64_t> result = {}) {
  if (result.empty())
    result = permuted(extents, order);
  std::vector<char> source(bytes * std::max<int64_t>(product(extents), 1)), copy(source.size());
  FortranDescriptor from = fake::describe(source.data(), bytes, extents, 0, FlangDevice);
  FortranDescriptor to = fake::describe(copy.data(), bytes, result, 0, FlangDevice);
  copiedBytes = 0;
  const bool says = cufortPermute(&to, &from, packed(order));
  EXPECT_EQ(says, copiedBytes == bytes);
  return says;
}

} // namespace

TEST(Permutation, matrix) {
  expectCopied({37, 50}, {2, 1});
  EXPECT_EQ(told.turned, 1);
  EXPECT_EQ(told.rows, 37);
  EXPECT_EQ(told.columns, 50);
}

TEST(Permutation, eachOrderOfFourDimensions) {
  std::vector<int> order{1, 2, 3, 4};
  do
    expectCopied({70, 17, 18, 16}, order);
  while (std::next_permutation(order.begin(), order.end()));
}

TEST(Permutation, fifteenDimensions) {
  expectCopied({64, 2, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 1, 2, 2}, {1, 15, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 14});
  expectCopied({16, 2, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 1, 2, 16}, {15, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1});
}

TEST(Permutation, elementSizes) {
  for (size_t bytes : {1, 2, 4, 8, 16})
    EXPECT_TRUE(isCopied(bytes, {20, 20}, {2, 1}));
  EXPECT_FALSE(isCopied(3, {20, 20}, {2, 1}));
  EXPECT_FALSE(isCopied(10, {20, 20}, {2, 1}));
}

TEST(Permutation, stridesOfSectionsAndPointers) {
  std::vector<int64_t> source(40 * 40), result(20 * 40);
  std::iota(source.begin(), source.end(), 0);
  FortranDescriptor from = fake::describe(&source[39], 8, {20, 40}, 0, FlangDevice);
  from.dim[0].byteStride = -16; // (40:1:-2, :)
  from.dim[1].byteStride = 40 * 8;
  FortranDescriptor to = fake::describe(result.data(), 8, {40, 20}, 0, FlangDevice);
  ASSERT_TRUE(cufortPermute(&to, &from, packed({2, 1})));
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 40; ++j)
      ASSERT_EQ(result[j + 40 * i], source[39 - 2 * i + 40 * j]);
  from.dim[0].byteStride = 12;
  EXPECT_FALSE(cufortPermute(&to, &from, packed({2, 1})));
}

TEST(Permutation, whatKernelsForEachElementDo) {
  EXPECT_FALSE(isCopied(8, {3, 1000}, {2, 1}));          // tiles would be almost empty
  EXPECT_FALSE(isCopied(8, {10, 20, 30}, {1, 3, 2}));    // rows shorter than a warp's part
  EXPECT_FALSE(isCopied(8, {1000, 1000}, {1, 2}));       // nothing moves
  EXPECT_FALSE(isCopied(8, {20, 30}, {2, 1}, {20, 30})); // RESHAPE to another shape
  EXPECT_FALSE(isCopied(8, {20, 30}, {2, 1}, {600}));
  EXPECT_FALSE(isCopied(8, {600}, {1}));
  EXPECT_FALSE(isCopied(8, {20, 30}, {3, 0}, {30, 20})); // no order of two dimensions
}

TEST(Permutation, nothing) {
  EXPECT_FALSE(isCopied(8, {0, 1000}, {2, 1}));
  EXPECT_FALSE(isCopied(8, {100, 0, 100}, {1, 3, 2}));
  EXPECT_FALSE(isCopied(8, {100, 100, 0}, {3, 2, 1}));
}
