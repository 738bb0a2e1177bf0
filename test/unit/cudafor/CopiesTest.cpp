#include "runtime/Stream/DefaultStream.h"
#include "test/unit/cudafor/CudaForTest.h"
#include <numeric>

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

constexpr int8_t complexType = 34, characterType = 40;

class Copies : public CudaForTest {
protected:
  /// Host values 1, 2, ... and device memory of the same size.
  Copies() {
    std::iota(host, host + count, 1.0f);
    FortranDescriptor array = allocatable(FlangDevice, 4, {0});
    cufort_cudaMallocArray(&array, narrow(count));
    memory = static_cast<float *>(array.base);
    recorded() = {};
  }
  static constexpr int count = 60;
  float host[count];
  float *memory;
};

TEST_F(Copies, CountsAreElementsOfArrays) {
  EXPECT_EQ(cufort_cudaMemcpy(describe(memory, 4, {count}), describe(host, 4, {count}), narrow(10), nullptr),
            cudaSuccess);
  EXPECT_EQ(recorded().bytes, 40u);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(memory));
  EXPECT_EQ(recorded().src, reinterpret_cast<CUdeviceptr>(host));
  EXPECT_EQ(memory[9], 10.0f);
  FortranDescriptor z = describe(host, 8, {30}), z_d = describe(memory, 8, {30});
  z.type = z_d.type = complexType;
  EXPECT_EQ(cufort_cudaMemcpy(z_d, z, wide(30), nullptr), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 240u);
}

TEST_F(Copies, AnElementIsWhereTheCopyBegins) {
  EXPECT_EQ(cufort_cudaMemcpy(describe(memory + 4, 4, {}), describe(host + 10, 4, {}), narrow(5), nullptr),
            cudaSuccess);
  EXPECT_EQ(recorded().bytes, 20u);
  EXPECT_EQ(memory[4], 11.0f);
  EXPECT_EQ(memory[8], 15.0f);
}

TEST_F(Copies, CountsAreBytesIfEitherSideIsAnAddress) {
  EXPECT_EQ(cufort_cudaMemcpy(addressArgument(memory), describe(host, 4, {count}), narrow(20), nullptr), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 20u);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(memory));
  EXPECT_EQ(cufort_cudaMemcpy(addressArgument(host, "__builtin_c_ptr"), addressArgument(memory), narrow(12), nullptr),
            cudaSuccess);
  EXPECT_EQ(recorded().bytes, 12u);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(host));
}

TEST_F(Copies, OtherDerivedTypesAreData) {
  EXPECT_EQ(cufort_cudaMemcpy(addressArgument(memory, "my_type"), addressArgument(host, "my_type"), narrow(1), nullptr),
            cudaSuccess);
  EXPECT_EQ(recorded().bytes, 8u);
  EXPECT_NE(recorded().src, reinterpret_cast<CUdeviceptr>(host));
}

TEST_F(Copies, AnAddressInDeviceMemoryIsData) {
  FortranDescriptor pointer = addressArgument(host);
  pointer.base = memory;
  EXPECT_EQ(cufort_cudaMemcpy(pointer, addressArgument(host, "my_type"), narrow(1), nullptr), cudaSuccess);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(memory));
  EXPECT_EQ(recorded().bytes, 8u);
}

TEST_F(Copies, CharactersAreCounted) {
  char text[] = "hello";
  FortranDescriptor from = describe(text, 5, {}), to = describe(memory, 1, {count});
  from.type = to.type = characterType;
  EXPECT_EQ(cufort_cudaMemcpy(to, from, narrow(5), nullptr), cudaSuccess);
  EXPECT_EQ(std::string(reinterpret_cast<char *>(memory), 5), "hello");
}

TEST_F(Copies, WhatCannotBeCopied) {
  FortranDescriptor to = describe(memory, 4, {count}), from = describe(host, 4, {count});
  FortranDescriptor doubles = describe(host, 8, {count}), none = allocatable(FlangDevice, 4, {0});
  int good = 1, bad = 7;
  EXPECT_EQ(cufort_cudaMemcpy(to, doubles, narrow(1), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpy(none, from, narrow(1), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpy(to, from, narrow(-1), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpy(to, from, narrow(1), &bad), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(device().callsOf(Call::memcpy), 0);
  EXPECT_EQ(cufort_cudaMemcpy(none, from, narrow(0), nullptr), cudaSuccess);
  EXPECT_EQ(cufort_cudaMemcpy(to, from, narrow(1), &good), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memcpy), 1);
  device().fail(Call::memcpy, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cufort_cudaMemcpy(to, from, narrow(1), nullptr), cudaErrorIllegalAddress);
}

TEST_F(Copies, AsynchronousCopiesGoToTheirStream) {
  FortranDescriptor to = describe(memory, 4, {count}), from = describe(host, 4, {count});
  int64_t stream = 0x5000;
  int direction = 1;
  EXPECT_EQ(cufort_cudaMemcpyAsync(to, from, narrow(3), &stream), cudaSuccess);
  EXPECT_EQ(recorded().stream, toStream(stream));
  EXPECT_EQ(recorded().bytes, 12u);
  EXPECT_EQ(cufort_cudaMemcpyAsync(to, from, narrow(3), nullptr), cudaSuccess);
  EXPECT_EQ(recorded().stream, nullptr);
  EXPECT_EQ(cufort_cudaMemcpyAsyncDirected(to, from, narrow(3), &direction, &wide(0x5100)), cudaSuccess);
  EXPECT_EQ(recorded().stream, toStream(0x5100));
  EXPECT_EQ(cufort_cudaMemcpyAsyncDirected(to, from, narrow(3), &direction, nullptr), cudaSuccess);
  EXPECT_EQ(recorded().stream, nullptr);
  EXPECT_EQ(device().callsOf(Call::memcpyAsync), 4);
  EXPECT_EQ(device().callsOf(Call::memcpy), 0);
}

TEST_F(Copies, AssumedSizeArraysAreContiguous) {
  FortranDescriptor to = describe(memory, 4, {-1}), from = describe(host, 4, {6, -1});
  EXPECT_EQ(cufort_cudaMemcpy(to, from, narrow(count), nullptr), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 240u);
}

TEST_F(Copies, SectionsWithGapsAreCopiedElementByElement) {
  // host(1::2) to the device and back to host(2::6).
  FortranDescriptor odd = describe(host, 4, {30}), wideGaps = describe(host + 1, 4, {10});
  odd.dim[0].byteStride = 8;
  wideGaps.dim[0].byteStride = 24;
  EXPECT_EQ(cufort_cudaMemcpy(describe(memory, 4, {count}), odd, narrow(30), nullptr), cudaSuccess);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(memory[i], 2 * i + 1);
  EXPECT_EQ(cufort_cudaMemcpy(wideGaps, describe(memory, 4, {count}), narrow(4), nullptr), cudaSuccess);
  EXPECT_EQ(host[1], 1.0f);
  EXPECT_EQ(host[19], 7.0f);
  EXPECT_EQ(host[2], 3.0f);
  EXPECT_EQ(host[25], 26.0f);
}

TEST_F(Copies, TwoSectionsOfDifferentShape) {
  // A 5 by 3 section of a 10 by 6 matrix in device memory to every fourth element of the host.
  for (int i = 0; i < count; ++i)
    memory[i] = static_cast<float>(100 + i);
  FortranDescriptor matrix = describe(memory, 4, {5, 3}), sparse = describe(host, 4, {15});
  matrix.dim[1].byteStride = 40;
  sparse.dim[0].byteStride = 16;
  EXPECT_EQ(cufort_cudaMemcpy(sparse, matrix, narrow(13), nullptr), cudaSuccess);
  EXPECT_EQ(host[0], 100.0f);
  EXPECT_EQ(host[16], 104.0f);
  EXPECT_EQ(host[20], 110.0f);
  EXPECT_EQ(host[48], 122.0f);
  EXPECT_EQ(host[52], 53.0f);
  EXPECT_EQ(host[1], 2.0f);
}

TEST_F(Copies, SectionsWithGapsHaveAnEnd) {
  FortranDescriptor odd = describe(host, 4, {30});
  odd.dim[0].byteStride = 8;
  EXPECT_EQ(cufort_cudaMemcpy(describe(memory, 4, {count}), odd, narrow(31), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpy(addressArgument(memory), odd, narrow(4), nullptr), cudaErrorInvalidValue);
}

TEST_F(Copies, RowsInElements) {
  FortranDescriptor to = describe(memory + 2, 4, {}), from = describe(host, 4, {10, 6});
  EXPECT_EQ(cufort_cudaMemcpy2D(to, narrow(12), from, wide(10), narrow(4), wide(5), nullptr), cudaSuccess);
  const CUDA_MEMCPY2D &copy = recorded().copy2D;
  EXPECT_EQ(copy.dstPitch, 48u);
  EXPECT_EQ(copy.srcPitch, 40u);
  EXPECT_EQ(copy.WidthInBytes, 16u);
  EXPECT_EQ(copy.Height, 5u);
  EXPECT_EQ(copy.dstDevice, reinterpret_cast<CUdeviceptr>(memory + 2));
  EXPECT_EQ(copy.srcMemoryType, CU_MEMORYTYPE_UNIFIED);
  EXPECT_EQ(memory[2 + 12], 11.0f);
}

TEST_F(Copies, RowsInBytesForAddresses) {
  EXPECT_EQ(cufort_cudaMemcpy2D(addressArgument(memory), narrow(48), describe(host, 4, {count}), narrow(40), narrow(16),
                                narrow(5), nullptr),
            cudaSuccess);
  EXPECT_EQ(recorded().copy2D.dstPitch, 48u);
  EXPECT_EQ(recorded().copy2D.WidthInBytes, 16u);
}

TEST_F(Copies, RowsOnAStream) {
  FortranDescriptor to = describe(memory, 4, {count}), from = describe(host, 4, {count});
  int64_t stream = 0x5000;
  int direction = 4;
  EXPECT_EQ(cufort_cudaMemcpy2DAsync(to, narrow(10), from, narrow(10), narrow(2), narrow(2), &stream), cudaSuccess);
  EXPECT_EQ(recorded().stream, toStream(stream));
  EXPECT_EQ(
      cufort_cudaMemcpy2DAsyncDirected(to, narrow(10), from, narrow(10), narrow(2), narrow(2), &direction, &narrow(2)),
      cudaSuccess);
  EXPECT_EQ(recorded().stream, toStream(2));
  EXPECT_EQ(device().callsOf(Call::memcpy2DAsync), 2);
}

TEST_F(Copies, RowsThatDoNotFit) {
  FortranDescriptor to = describe(memory, 4, {count}), from = describe(host, 4, {count});
  EXPECT_EQ(cufort_cudaMemcpy2D(to, narrow(3), from, narrow(10), narrow(4), narrow(2), nullptr),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cufort_cudaMemcpy2D(to, narrow(10), from, narrow(3), narrow(4), narrow(2), nullptr),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cufort_cudaMemcpy2D(to, narrow(10), from, narrow(10), narrow(4), narrow(0), nullptr), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memcpy2DUnaligned), 0);
  device().fail(Call::memcpy2DUnaligned, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cufort_cudaMemcpy2D(to, narrow(10), from, narrow(10), narrow(4), narrow(2), nullptr),
            cudaErrorInvalidValue);
}

} // namespace
