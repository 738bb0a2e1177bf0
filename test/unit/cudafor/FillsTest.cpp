#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

constexpr int8_t integerType = 9;

class Fills : public CudaForTest {
protected:
  Fills() {
    FortranDescriptor array = allocatable(FlangDevice, 4, {0});
    cufort_cudaMallocArray(&array, narrow(count));
    memory = static_cast<float *>(array.base);
    std::fill(memory, memory + count, -1.0f);
  }
  FortranDescriptor value(float &number) { return describe(&number, 4, {}); }
  static constexpr int count = 60;
  float *memory;
  float one = 1.0f, zero = 0.0f;
};

TEST_F(Fills, ValuesHaveTheTypeOfTheArray) {
  EXPECT_EQ(cufort_cudaMemset(describe(memory, 4, {count}), value(one), narrow(10)), cudaSuccess);
  EXPECT_EQ(memory[0], 1.0f);
  EXPECT_EQ(memory[9], 1.0f);
  EXPECT_EQ(memory[10], -1.0f);
}

TEST_F(Fills, WideValues) {
  double number = 0.1;
  auto *doubles = reinterpret_cast<double *>(memory);
  EXPECT_EQ(cufort_cudaMemset(describe(doubles, 8, {30}), describe(&number, 8, {}), wide(20)), cudaSuccess);
  EXPECT_EQ(doubles[19], 0.1);
  EXPECT_NE(doubles[20], 0.1);
}

TEST_F(Fills, BytesOfAnAddress) {
  int32_t number = 0x12345641;
  FortranDescriptor byte = describe(&number, 4, {});
  byte.type = integerType;
  EXPECT_EQ(cufort_cudaMemset(addressArgument(memory), byte, narrow(7)), cudaSuccess);
  EXPECT_EQ(std::string(reinterpret_cast<char *>(memory), 7), "AAAAAAA");
  EXPECT_NE(reinterpret_cast<char *>(memory)[7], 'A');
}

TEST_F(Fills, ZeroFitsEveryTypeAndNothingElseDoes) {
  int32_t none = 0, some = 1;
  FortranDescriptor integer = describe(&none, 4, {});
  integer.type = integerType;
  EXPECT_EQ(cufort_cudaMemset(describe(memory, 8, {30}), integer, narrow(2)), cudaSuccess);
  EXPECT_EQ(memory[3], 0.0f);
  EXPECT_EQ(memory[4], -1.0f);
  integer.base = &some;
  EXPECT_EQ(cufort_cudaMemset(describe(memory, 4, {count}), integer, narrow(2)), cudaErrorInvalidValue);
}

TEST_F(Fills, OnAStream) {
  EXPECT_EQ(cufort_cudaMemsetAsync(describe(memory, 4, {count}), value(one), narrow(3), &wide(0x5000)), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memsetD32Async), 1);
  EXPECT_EQ(cufort_cudaMemsetAsync(describe(memory, 4, {count}), value(zero), narrow(3), nullptr), cudaSuccess);
  EXPECT_EQ(memory[2], 0.0f);
}

TEST_F(Fills, SectionsWithGaps) {
  FortranDescriptor odd = describe(memory, 4, {30});
  odd.dim[0].byteStride = 8;
  EXPECT_EQ(cufort_cudaMemset(odd, value(one), narrow(3)), cudaSuccess);
  EXPECT_EQ(memory[4], 1.0f);
  EXPECT_EQ(memory[1], -1.0f);
  EXPECT_EQ(memory[6], -1.0f);
  EXPECT_EQ(cufort_cudaMemset(odd, value(one), narrow(31)), cudaErrorInvalidValue);
}

TEST_F(Fills, Rows) {
  EXPECT_EQ(cufort_cudaMemset2D(describe(memory + 1, 4, {}), narrow(10), value(one), narrow(3), wide(2)), cudaSuccess);
  EXPECT_EQ(memory[0], -1.0f);
  EXPECT_EQ(memory[3], 1.0f);
  EXPECT_EQ(memory[4], -1.0f);
  EXPECT_EQ(memory[13], 1.0f);
  EXPECT_EQ(memory[21], -1.0f);
  EXPECT_EQ(cufort_cudaMemset2D(describe(memory, 4, {}), narrow(2), value(one), narrow(3), narrow(2)),
            cudaErrorInvalidPitchValue);
}

TEST_F(Fills, FailuresAreReturned) {
  FortranDescriptor none = allocatable(FlangDevice, 4, {0});
  EXPECT_EQ(cufort_cudaMemset(none, value(one), narrow(1)), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemset(none, value(one), narrow(0)), cudaSuccess);
  device().fail(Call::memsetD32, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cufort_cudaMemset(describe(memory, 4, {count}), value(one), narrow(1)), cudaErrorIllegalAddress);
}

} // namespace
