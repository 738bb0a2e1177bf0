#include "runtime/Module/DeviceDescriptor.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace cufort::rt;

namespace {

/// a(-1:3, 5:8) of real(8) at `base`.
FortranDescriptor plane(uintptr_t base) {
  FortranDescriptor array = {};
  array.base = reinterpret_cast<void *>(base);
  array.elementBytes = 8;
  array.rank = 2;
  array.attribute = FortranDescriptor::allocatable;
  array.dim[0] = {-1, 5, 8};
  array.dim[1] = {5, 4, 40};
  return array;
}

uint64_t lastEightBytes(const DeviceDescriptor &descriptor) {
  uint64_t number;
  std::memcpy(&number, static_cast<const char *>(descriptor.data()) + descriptor.size() - 8, 8);
  return number;
}

int32_t versionIn(const DeviceDescriptor &descriptor) {
  return static_cast<const FortranDescriptor *>(descriptor.data())->version;
}

TEST(DeviceDescriptor, EndsWithTheOriginIfThereIsRoom) {
  FortranDescriptor array = plane(4096);
  DeviceDescriptor descriptor(&array, 72, 80);
  EXPECT_EQ(descriptor.size(), 80u);
  array.version = versionIn(descriptor);
  EXPECT_EQ(std::memcmp(descriptor.data(), &array, 72), 0);
  EXPECT_EQ(lastEightBytes(descriptor), 4096u + 8 - 5 * 40);
}

TEST(DeviceDescriptor, OriginsMayBeBelowAllMemory) {
  FortranDescriptor array = plane(64);
  DeviceDescriptor descriptor(&array, 72, 80);
  EXPECT_EQ(lastEightBytes(descriptor), static_cast<uint64_t>(64 + 8 - 5 * 40));
}

TEST(DeviceDescriptor, IsAsLongAsTheVariableOtherwise) {
  FortranDescriptor array = plane(4096);
  EXPECT_EQ(DeviceDescriptor(&array, 72, 72).size(), 72u);
  EXPECT_EQ(DeviceDescriptor(&array, 72, 48).size(), 48u);
  EXPECT_EQ(DeviceDescriptor(&array, 72, 96).size(), 72u);
}

TEST(DeviceDescriptor, HasTheNumberOfTheStrides) {
  FortranDescriptor array = plane(4096), other = plane(8192), wider = plane(4096);
  other.dim[0].lowerBound = 1;
  wider.dim[1].byteStride = 48;
  int32_t number = versionIn(DeviceDescriptor(&array, 72, 80));
  EXPECT_LT(number, 0);
  EXPECT_EQ(versionIn(DeviceDescriptor(&other, 72, 80)), number);
  EXPECT_LT(versionIn(DeviceDescriptor(&wider, 72, 80)), 0);
  EXPECT_NE(versionIn(DeviceDescriptor(&wider, 72, 80)), number);
}

TEST(DeviceDescriptor, KeepsTheVersionOtherwise) {
  FortranDescriptor huge = plane(4096), absent = plane(0), array = plane(4096);
  huge.dim[1].byteStride = int64_t(1) << 31;
  for (FortranDescriptor *descriptor : {&huge, &absent, &array})
    descriptor->version = 20240719;
  EXPECT_EQ(versionIn(DeviceDescriptor(&huge, 72, 80)), 20240719);
  EXPECT_EQ(versionIn(DeviceDescriptor(&absent, 72, 80)), 20240719);
  EXPECT_EQ(versionIn(DeviceDescriptor(&array, 72, 72)), 20240719);
}

TEST(DeviceDescriptor, NumbersAreNotUsedAgain) {
  FortranDescriptor array = plane(4096);
  int32_t first = versionIn(DeviceDescriptor(&array, 72, 80));
  for (int64_t rows = 1000; rows < 7000; ++rows) {
    FortranDescriptor other = plane(4096);
    other.dim[1].byteStride = 8 * rows;
    int32_t number = versionIn(DeviceDescriptor(&other, 72, 80));
    ASSERT_LT(number, 0);
    ASSERT_NE(number, first);
  }
}

} // namespace
