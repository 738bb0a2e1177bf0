#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/Copy.h"
#include "runtime/Stream/DefaultStream.h"
#include "test/unit/runtime/FakeDriver.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace cufort::rt;
using fake::Call;

namespace {

class Fill : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    ASSERT_TRUE(currentContext(current).ok());
  }

  char *deviceMemory(size_t bytes) {
    void *address = nullptr;
    EXPECT_TRUE(allocateMemory(MemoryKind::Device, bytes, address).ok());
    return static_cast<char *>(address);
  }

  static StridedArray vector(char *base, size_t elementBytes, int64_t count, int64_t step = 1) {
    StridedArray array;
    array.base = base;
    array.elementBytes = elementBytes;
    array.rank = 1;
    array.extent[0] = count;
    array.stride[0] = step * static_cast<int64_t>(elementBytes);
    return array;
  }

  /// Fills every `step`th element of an array and checks that these, and no others, have the value.
  void check(const std::string &value, int64_t count, int64_t step, int64_t stream = 0, size_t offset = 0) {
    size_t bytes = value.size() * static_cast<size_t>(count * step);
    char *memory = deviceMemory(bytes + offset) + offset;
    std::memset(memory, 0x77, bytes);
    Result result = fillArray(current, vector(memory, value.size(), count, step), value.data(), true, stream);
    ASSERT_TRUE(result.ok()) << result.message();
    std::string untouched(value.size(), 0x77);
    for (int64_t i = 0; i < count * step; ++i)
      ASSERT_EQ(std::string(memory + i * static_cast<int64_t>(value.size()), value.size()),
                i % step ? untouched : value)
          << "element " << i << " of size " << value.size();
  }

  Current current;
};

} // namespace

TEST_F(Fill, everyElementSize) {
  const std::string pattern = "abcdefghijklmnopqrstuvwxyz012345";
  for (size_t size = 1; size <= 32; ++size)
    for (int64_t step : {1, 2, 3})
      for (int64_t stream : {0, 4}) {
        check(pattern.substr(0, size), 100, step, stream);
        check(std::string(size, '\0'), 100, step, stream);
      }
}

TEST_F(Fill, largeArraysOfEightBytes) {
  for (int64_t count : {1, 8191, 8192, 8193, 100000})
    check("12345678", count, 1);
  // The first piece, and then no more than one copy per doubling.
  EXPECT_LT(fake::device().callsOf(Call::memcpyDtoD), 16);
}

TEST_F(Fill, usesTheWidestSetThatFits) {
  check(std::string("\1\2\3\4", 4), 10, 1);
  EXPECT_EQ(fake::device().callsOf(Call::memsetD32), 1);
  check(std::string("\1\2", 2), 10, 1);
  check(std::string("\1\2\1\2", 4), 10, 1);
  EXPECT_EQ(fake::device().callsOf(Call::memsetD16), 2);
  check(std::string(8, '\0'), 10, 1);
  EXPECT_EQ(fake::device().callsOf(Call::memsetD8), 1);
  check(std::string("\1\2\3\4\1\2\3\4", 8), 10, 1);
  EXPECT_EQ(fake::device().callsOf(Call::memsetD32), 2);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyHtoD), 0);
}

TEST_F(Fill, stridedIsOneSet) {
  check(std::string("\1\2\3\4", 4), 1000, 2);
  EXPECT_EQ(fake::device().callsOf(Call::memsetD2D32), 1);
}

TEST_F(Fill, unalignedMemory) { check(std::string("\1\2\3\4", 4), 100, 1, 0, 1); }

TEST_F(Fill, emptyNeedsNoDriver) {
  char *memory = deviceMemory(4);
  EXPECT_TRUE(fillArray(current, vector(memory, 4, 0), "abcd", true, 0).ok());
  EXPECT_TRUE(fillElements(current, reinterpret_cast<CUdeviceptr>(memory), "abcd", 4, 0, 0).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memsetD32), 0);
}

TEST_F(Fill, hostArrays) {
  char host[40];
  std::memset(host, 0, sizeof host);
  ASSERT_TRUE(fillArray(current, vector(host, 4, 5, 2), "abcd", false, 0).ok());
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(std::string(host + 4 * i, 4), i % 2 ? std::string(4, '\0') : "abcd");
}

TEST_F(Fill, managedMemoryIsCompleteOnReturn) {
  void *managed = nullptr;
  ASSERT_TRUE(allocateMemory(MemoryKind::Managed, 40, managed).ok());
  ASSERT_TRUE(fillArray(current, vector(static_cast<char *>(managed), 4, 10), "abcd", true, 0).ok());
  EXPECT_EQ(fake::device().synchronized.size(), 1u);
}

TEST_F(Fill, errorsAreReturned) {
  char *memory = deviceMemory(800);
  fake::device().fail(Call::memsetD32, CUDA_ERROR_ILLEGAL_ADDRESS);
  fake::device().fail(Call::memcpyHtoD, CUDA_ERROR_ILLEGAL_ADDRESS);
  fake::device().fail(Call::memsetD2D32, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(fillArray(current, vector(memory, 4, 10), "abcd", true, 0).code(), cudaErrorIllegalAddress);
  EXPECT_EQ(fillArray(current, vector(memory, 8, 10), "abcdefgh", true, 0).code(), cudaErrorIllegalAddress);
  EXPECT_EQ(fillArray(current, vector(memory, 4, 10, 2), "abcd", true, 0).code(), cudaErrorIllegalAddress);
  EXPECT_EQ(fillArray(current, vector(nullptr, 4, 10, 2), "abcd", true, 0).code(), cudaErrorInvalidValue);
}

TEST_F(Fill, capturedStreamsGetNoHostMemory) {
  DriverTable captured = *current.table;
  captured.streamIsCapturing = [](CUstream stream, CUstreamCaptureStatus *status) {
    *status = stream == toStream(8) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  current.table = &captured;
  for (size_t size : {1, 2, 3, 4, 8, 12, 16, 31})
    for (int64_t step : {1, 2, 3})
      for (size_t offset : {0, 1, 2})
        check(std::string("abcdefghijklmnopqrstuvwxyz012345", size), 1001, step, 8, offset * size);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyHtoDAsync), 0);
  EXPECT_EQ(fake::device().callsOf(Call::streamSynchronize), 0);
  check("12345678", 1001, 1, 4);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyHtoDAsync), 1);
}

TEST_F(Fill, memoryOfAnotherDeviceIsFilledByThatDevice) {
  ASSERT_TRUE(setCurrentDevice(1).ok());
  char *memory = deviceMemory(8000);
  ASSERT_TRUE(setCurrentDevice(0).ok());
  ASSERT_TRUE(currentContext(current).ok());
  for (int64_t stream : {0, 4})
    for (size_t size : {1, 2, 4, 8})
      for (int64_t step : {1, 2}) {
        std::memset(memory, 0x77, 8000);
        Result result = fillArray(current, vector(memory, size, 400, step), "abababab", true, stream);
        ASSERT_TRUE(result.ok()) << result.message();
        for (int64_t i = 0; i < 400 * step; ++i)
          ASSERT_EQ(memory[i * static_cast<int64_t>(size)], i % step ? 0x77 : 'a') << "element " << i << " of " << size;
        int device = -1;
        ASSERT_TRUE(currentDevice(device).ok());
        EXPECT_EQ(device, 0);
      }
  // What the memory's own device refuses is an error.
  fake::device().fail(Call::memsetD32, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fillArray(current, vector(memory, 4, 10), "abcd", true, 0).code(), cudaErrorInvalidValue);
}
