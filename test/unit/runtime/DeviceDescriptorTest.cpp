#include "runtime/Module/DeviceDescriptor.h"
#include <gtest/gtest.h>
#include <cstring>

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

TEST(DeviceDescriptor, EndsWithTheOriginIfThereIsRoom) {
  FortranDescriptor array = plane(4096);
  DeviceDescriptor descriptor(&array, 72, 80);
  EXPECT_EQ(descriptor.size(), 80u);
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

} // namespace
