// Copies between arrays of any strides, against copies made element by element.
#include "runtime/Memory/Copy.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/CopyPlan.h"
#include "test/unit/runtime/FakeDriver.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace cufort::rt;
using fake::Call;

namespace {

std::mt19937 random_(12345);

int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

/// An array section in memory of its own, on the host or the device.
struct Section {
  StridedArray array;
  char *memory = nullptr;
  size_t bytes = 0;
  bool onDevice = false;
};

class Copies : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    ASSERT_TRUE(currentContext(current).ok());
  }
  void TearDown() override {
    for (Section *section : made)
      if (!section->onDevice)
        std::free(section->memory);
    for (Section *section : made)
      delete section;
  }

  char *memory(size_t bytes, bool onDevice) {
    void *address = nullptr;
    if (onDevice)
      EXPECT_TRUE(allocateMemory(MemoryKind::Device, bytes, address).ok());
    else
      address = std::malloc(bytes);
    for (size_t i = 0; i < bytes; ++i)
      static_cast<char *>(address)[i] = static_cast<char>(random_());
    return static_cast<char *>(address);
  }

  /// A section of a parent array: in each dimension of the parent, `extent` elements `step` apart.
  Section &section(size_t elementBytes, std::vector<int64_t> extent, std::vector<int64_t> step, bool onDevice,
                   std::vector<int> order = {}) {
    auto *made_ = new Section;
    made.push_back(made_);
    Section &s = *made_;
    s.array.elementBytes = elementBytes;
    s.array.rank = static_cast<int>(extent.size());
    int64_t stride = static_cast<int64_t>(elementBytes), offset = 0;
    for (size_t i = 0; i < extent.size(); ++i) {
      size_t d = order.empty() ? i : static_cast<size_t>(order[i]);
      int64_t parent = (extent[d] - 1) * std::abs(step[d]) + 1 + pick(0, 2);
      s.array.extent[d] = extent[d];
      s.array.stride[d] = stride * step[d];
      if (step[d] < 0)
        offset += (extent[d] - 1) * -step[d] * stride;
      stride *= parent > 0 ? parent : 1;
    }
    s.bytes = static_cast<size_t>(stride);
    s.onDevice = onDevice;
    s.memory = memory(s.bytes, onDevice);
    s.array.base = s.memory + offset;
    return s;
  }

  static char *element(const StridedArray &array, const std::vector<int64_t> &at) {
    char *address = array.base;
    for (int i = 0; i < array.rank; ++i)
      address += at[i] * array.stride[i];
    return address;
  }

  /// What the target's memory must be after the copy.
  std::vector<char> reference(const Section &dst, const StridedArray &src) {
    std::vector<char> expected(dst.memory, dst.memory + dst.bytes);
    std::vector<int64_t> at(dst.array.rank, 0);
    if (dst.array.elements() == 0)
      return expected;
    for (;;) {
      std::memcpy(expected.data() + (element(dst.array, at) - dst.memory), element(src, at), src.elementBytes);
      int i = 0;
      while (i < dst.array.rank && ++at[i] == dst.array.extent[i])
        at[i++] = 0;
      if (i == dst.array.rank)
        return expected;
    }
  }

  void check(const Section &dst, const StridedArray &src, CopyMode mode, int64_t stream = 0) {
    std::vector<char> expected = reference(dst, src);
    Result result = copyArray(current, dst.array, src, mode, stream);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(std::memcmp(dst.memory, expected.data(), dst.bytes), 0);
  }

  int copies() {
    int count = 0;
    for (Call call : {Call::memcpy, Call::memcpyAsync, Call::memcpy2DUnaligned, Call::memcpy2DAsync, Call::memcpy3D,
                      Call::memcpy3DAsync})
      count += fake::device().callsOf(call);
    return count;
  }

  Current current;
  std::vector<Section *> made;
};

CopyMode modeOf(bool toDevice, bool fromDevice) {
  return toDevice ? (fromDevice ? CopyMode::DeviceToDevice : CopyMode::HostToDevice)
                  : (fromDevice ? CopyMode::DeviceToHost : CopyMode::HostToHost);
}

} // namespace

TEST_F(Copies, randomShapes) {
  const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16};
  for (int round = 0; round < 1500; ++round) {
    int rank = static_cast<int>(pick(0, 5));
    std::vector<int64_t> extent, dstStep, srcStep;
    std::vector<int> dstOrder, srcOrder;
    for (int i = 0; i < rank; ++i) {
      extent.push_back(pick(0, 19) ? pick(1, rank > 2 ? 5 : 40) : 0);
      dstStep.push_back(pick(0, 2) ? 1 : pick(0, 1) ? pick(1, 3) : -pick(1, 3));
      srcStep.push_back(pick(0, 2) ? 1 : pick(0, 1) ? pick(1, 3) : -pick(1, 3));
      dstOrder.push_back(i);
      srcOrder.push_back(i);
    }
    if (pick(0, 4) == 0)
      std::shuffle(srcOrder.begin(), srcOrder.end(), random_);
    if (pick(0, 4) == 0)
      std::shuffle(dstOrder.begin(), dstOrder.end(), random_);
    bool toDevice = pick(0, 1), fromDevice = pick(0, 1);
    size_t bytes = sizes[pick(0, 6)];
    Section &dst = section(bytes, extent, dstStep, toDevice, dstOrder);
    Section &src = section(bytes, extent, srcStep, fromDevice, srcOrder);
    check(dst, src.array, modeOf(toDevice, fromDevice), pick(0, 3) ? 0 : 9);
    if (HasFailure()) {
      FAIL() << "round " << round << " rank " << rank << " mode " << int(modeOf(toDevice, fromDevice));
    }
  }
}

TEST_F(Copies, contiguousArraysAreOneCopy) {
  Section &dst = section(4, {1000}, {1}, true), &src = section(4, {1000}, {1}, false);
  check(dst, src.array, CopyMode::HostToDevice);
  EXPECT_EQ(fake::device().callsOf(Call::memcpy), 1);
  EXPECT_EQ(copies(), 1);
}

TEST_F(Copies, columnsAreOneCopy) {
  // a(2:9, :) of a(10, 50)
  Section &dst = section(8, {8, 50}, {1, 1}, true), &src = section(8, {8, 50}, {1, 1}, false);
  dst.array.stride[1] = 80;
  src.array.stride[1] = 64;
  dst.array.base = dst.memory = memory(80 * 50, true);
  dst.bytes = 80 * 50;
  src.array.base = memory(64 * 50, true);
  check(dst, src.array, CopyMode::DeviceToDevice);
  EXPECT_EQ(fake::device().callsOf(Call::memcpy2DUnaligned), 1);
  EXPECT_EQ(copies(), 1);
}

TEST_F(Copies, interiorOfACubeIsOneCopy) {
  StridedArray src;
  src.elementBytes = 4;
  src.rank = 3;
  src.base = memory(4 * 10 * 10 * 10, true) + 4 * 111;
  for (int i = 0; i < 3; ++i)
    src.extent[i] = 8;
  src.stride[0] = 4;
  src.stride[1] = 40;
  src.stride[2] = 400;
  Section &dst = section(4, {512}, {1}, false);
  dst.array = packedLike(src, dst.array.base);
  check(dst, src, CopyMode::DeviceToHost);
  EXPECT_EQ(fake::device().callsOf(Call::memcpy3D), 1);
  EXPECT_EQ(copies(), 1);
}

TEST_F(Copies, scatteredElementsArePacked) {
  // Reversed on either side, which no driver copy can do: the driver must not be called per element.
  for (int step : {1, -1}) {
    int before = copies();
    Section &dst = section(4, {1000}, {step}, true), &src = section(4, {1000}, {-step}, false);
    check(dst, src.array, CopyMode::HostToDevice);
    Section &back = section(4, {1000}, {-step}, false);
    check(back, dst.array, CopyMode::DeviceToHost);
    EXPECT_EQ(copies(), before + 2);
    Section &other = section(4, {1000}, {-step}, true);
    check(other, dst.array, CopyMode::DeviceToDevice);
    EXPECT_EQ(copies(), before + 4);
  }
}

TEST_F(Copies, scatteredElementsOfPinnedMemoryAreNotPacked) {
  constexpr int64_t count = 4096;
  Section &device = section(4, {count}, {1}, true);
  void *pinned = nullptr;
  ASSERT_EQ(current.table->memHostAlloc(&pinned, 8 * count, 0), CUDA_SUCCESS);
  StridedArray host = device.array;
  host.base = static_cast<char *>(pinned);
  host.stride[0] = 8;
  check(device, host, CopyMode::HostToDevice);
  EXPECT_EQ(fake::device().callsOf(Call::memcpy2DUnaligned), 1);
  EXPECT_EQ(copies(), 1);
  ASSERT_TRUE(copyArray(current, host, device.array, CopyMode::DeviceToHost, 0).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memcpy2DUnaligned), 2);
}

TEST_F(Copies, transposedArraysArePacked) {
  Section &dst = section(4, {50, 40}, {1, 1}, true), &src = section(4, {50, 40}, {1, 1}, false, {1, 0});
  check(dst, src.array, CopyMode::HostToDevice);
  EXPECT_EQ(copies(), 1);
  Section &back = section(4, {50, 40}, {1, 1}, false, {1, 0});
  check(back, dst.array, CopyMode::DeviceToHost);
  EXPECT_EQ(copies(), 2);
}

TEST_F(Copies, manySmallRowsArePackedInTheDevice) {
  for (int64_t stream : {0, 9}) {
    int allocations = fake::device().callsOf(Call::memAlloc);
    Section &dst = section(4, {70000}, {2}, true), &src = section(4, {70000}, {1}, false);
    check(dst, src.array, CopyMode::HostToDevice, stream);
    Section &back = section(4, {70000}, {1}, false);
    check(back, dst.array, CopyMode::DeviceToHost, stream);
    // One array, two buffers.
    EXPECT_EQ(fake::device().callsOf(Call::memAlloc), allocations + 3);
  }
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 4);
}

TEST_F(Copies, withoutMemoryForABufferRowsAreCopied) {
  Section &dst = section(4, {70000}, {2}, true), &src = section(4, {70000}, {1}, false);
  fake::device().fail(Call::memAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  check(dst, src.array, CopyMode::HostToDevice);
  Section &back = section(4, {70000}, {1}, false);
  check(back, dst.array, CopyMode::DeviceToHost);
  EXPECT_EQ(fake::device().callsOf(Call::memcpy2DUnaligned), 2);
}

TEST_F(Copies, slicesMayShareRows) {
  // Rows 0 to 3, 2 to 5 and 4 to 7: no 3-D copy, whose slices lie one behind the other.
  Section &src = section(4, {8, 2}, {1, 1}, false);
  StridedArray windows = src.array;
  windows.extent[0] = 4;
  windows.stride[0] = 8;
  windows.extent[1] = 3;
  windows.stride[1] = 16;
  Section &dst = section(4, {8, 3}, {1, 1}, true);
  dst.array = windows;
  dst.array.base = dst.memory = memory(dst.bytes = 96, true);
  dst.array.stride[1] = 32;
  check(dst, windows, CopyMode::HostToDevice);
}

TEST_F(Copies, overlappingDeviceSectionsAreRight) {
  // a(2:100) = a(1:99)
  Section &whole = section(4, {100}, {1}, true);
  std::vector<char> before(whole.memory, whole.memory + whole.bytes);
  StridedArray dst = whole.array, src = whole.array;
  dst.extent[0] = src.extent[0] = 99;
  dst.base += 4;
  ASSERT_TRUE(copyArray(current, dst, src, CopyMode::DeviceToDevice, 0).ok());
  EXPECT_EQ(std::memcmp(dst.base, before.data(), 99 * 4), 0);
  // a(100:1:-1) = a
  before.assign(whole.memory, whole.memory + whole.bytes);
  dst = whole.array;
  dst.base += 99 * 4;
  dst.stride[0] = -4;
  ASSERT_TRUE(copyArray(current, dst, whole.array, CopyMode::DeviceToDevice, 0).ok());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::memcmp(whole.memory + 4 * (99 - i), before.data() + 4 * i, 4), 0);
  // A buffer for each, in the order of the stream: nothing waits for the device.
  EXPECT_EQ(fake::device().callsOf(Call::memAllocAsync), 2);
  EXPECT_EQ(fake::device().callsOf(Call::memFreeAsync), 2);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 1);
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 0);
}

TEST_F(Copies, overlappingDeviceSectionsNeedMemoryForABuffer) {
  Section &whole = section(4, {100}, {1}, true);
  std::vector<char> before(whole.memory, whole.memory + whole.bytes);
  StridedArray dst = whole.array, src = whole.array;
  dst.extent[0] = src.extent[0] = 99;
  dst.base += 4;
  fake::device().fail(Call::memAllocAsync, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(copyArray(current, dst, src, CopyMode::DeviceToDevice, 0).code(), cudaErrorMemoryAllocation);
  EXPECT_EQ(std::memcmp(whole.memory, before.data(), 400), 0);
  // On another stream.
  constexpr int64_t stream = 77;
  ASSERT_TRUE(copyArray(current, dst, src, CopyMode::DeviceToDevice, stream).ok());
  EXPECT_EQ(std::memcmp(dst.base, before.data(), 99 * 4), 0);
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 1);
  std::memcpy(whole.memory, before.data(), whole.bytes);
  fake::device().fail(Call::memAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(copyArray(current, dst, src, CopyMode::DeviceToDevice, stream).code(), cudaErrorMemoryAllocation);
}

TEST_F(Copies, rowsOfOneDeviceArrayNeedNoBuffer) {
  // a(1, :, :) = a(5, :, :): elements of one row are between those of the other.
  Section &whole = section(8, {6, 7, 4}, {1, 1, 1}, true);
  StridedArray dst = whole.array, src = whole.array;
  dst.extent[0] = src.extent[0] = 1;
  src.base += 4 * src.stride[0];
  std::vector<char> expected = reference({dst, whole.memory, whole.bytes, true}, src);
  ASSERT_TRUE(copyArray(current, dst, src, CopyMode::DeviceToDevice, 0).ok());
  EXPECT_EQ(std::memcmp(whole.memory, expected.data(), whole.bytes), 0);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 1);
  EXPECT_EQ(copies(), 1);
}

TEST_F(Copies, overlappingHostSectionsAreRight) {
  Section &whole = section(4, {100}, {1}, false);
  std::vector<char> before(whole.memory, whole.memory + whole.bytes);
  StridedArray dst = whole.array;
  dst.base += 99 * 4;
  dst.stride[0] = -4;
  ASSERT_TRUE(copyArray(current, dst, whole.array, CopyMode::HostToHost, 0).ok());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::memcmp(whole.memory + 4 * (99 - i), before.data() + 4 * i, 4), 0);
}

TEST_F(Copies, emptyAndSameArraysNeedNoDriver) {
  Section &array = section(4, {10}, {1}, true);
  StridedArray empty = array.array;
  empty.extent[0] = 0;
  EXPECT_TRUE(copyArray(current, empty, empty, CopyMode::HostToDevice, 0).ok());
  EXPECT_TRUE(copyArray(current, array.array, array.array, CopyMode::DeviceToDevice, 0).ok());
  EXPECT_EQ(copies(), 0);
  StridedArray missing = array.array;
  missing.base = nullptr;
  EXPECT_EQ(copyArray(current, array.array, missing, CopyMode::HostToDevice, 0).code(), cudaErrorInvalidValue);
}

TEST_F(Copies, streamsMakeThemAsynchronous) {
  Section &dst = section(4, {10}, {1}, true), &src = section(4, {10}, {1}, false);
  check(dst, src.array, CopyMode::HostToDevice, 5);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyAsync), 1);
  EXPECT_TRUE(fake::device().synchronized.empty());
}

TEST_F(Copies, managedTargetsAreCompleteOnReturn) {
  void *managed = nullptr;
  ASSERT_TRUE(allocateMemory(MemoryKind::Managed, 40, managed).ok());
  Section &src = section(4, {10}, {1}, true);
  ASSERT_TRUE(copyBytes(current, managed, src.memory, 40, CopyMode::DeviceToDevice, 0).ok());
  EXPECT_EQ(fake::device().synchronized.size(), 1u);
  // Device memory cannot be looked at without asking.
  Section &dst = section(4, {10}, {1}, true);
  ASSERT_TRUE(copyBytes(current, dst.memory, src.memory, 40, CopyMode::DeviceToDevice, 0).ok());
  EXPECT_EQ(fake::device().synchronized.size(), 1u);
}

TEST_F(Copies, driverErrorsAreReturned) {
  Section &dst = section(4, {10, 10}, {2, 1}, true), &src = section(4, {10, 10}, {1, 1}, false);
  Section &flat = section(4, {100}, {1}, false);
  fake::device().fail(Call::memcpy, CUDA_ERROR_ILLEGAL_ADDRESS);
  fake::device().fail(Call::memcpy2DUnaligned, CUDA_ERROR_INVALID_VALUE);
  fake::device().fail(Call::memcpy3D, CUDA_ERROR_INVALID_VALUE);
  EXPECT_FALSE(copyArray(current, dst.array, src.array, CopyMode::HostToDevice, 0));
  EXPECT_EQ(copyBytes(current, flat.memory, dst.memory, 100, CopyMode::DeviceToHost, 0).code(),
            cudaErrorIllegalAddress);
  StridedArray reversed = dst.array;
  reversed.base += 9 * dst.array.stride[1];
  reversed.stride[1] = -dst.array.stride[1];
  EXPECT_FALSE(copyArray(current, flat.array.rank == 1 ? packedLike(reversed, flat.memory) : flat.array, reversed,
                         CopyMode::DeviceToHost, 0));
}

TEST(StridedArray, knowsWhenItIsContiguous) {
  StridedArray array;
  array.elementBytes = 4;
  EXPECT_TRUE(array.isContiguous());
  EXPECT_EQ(array.elements(), 1u);
  array.rank = 2;
  array.extent[0] = 3;
  array.stride[0] = 4;
  array.extent[1] = 5;
  array.stride[1] = 12;
  EXPECT_TRUE(array.isContiguous());
  EXPECT_EQ(array.elements(), 15u);
  array.stride[1] = 16;
  EXPECT_FALSE(array.isContiguous());
  array.extent[1] = 1;
  EXPECT_TRUE(array.isContiguous());
  array.extent[1] = 0;
  EXPECT_TRUE(array.isContiguous());
  EXPECT_EQ(array.elements(), 0u);
}
