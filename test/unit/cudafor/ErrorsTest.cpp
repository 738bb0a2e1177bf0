#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Errors = CudaForTest;

TEST_F(Errors, LastErrorIsTakenOncePeekedOften) {
  cufort_cudaSetDevice(99);
  EXPECT_EQ(cufort_cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cufort_cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cufort_cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cufort_cudaGetLastError(), cudaSuccess);
}

TEST_F(Errors, TextHasItsOwnLength) {
  char buffer[16];
  int length = cudaforErrorTextLength(cudaErrorInvalidValue);
  ASSERT_EQ(length, 16);
  FortranDescriptor text = describe(buffer, 16, {});
  cudaforCopyErrorText(cudaErrorInvalidValue, &text);
  EXPECT_EQ(std::string(buffer, 16), "invalid argument");
}

TEST_F(Errors, TextIsPaddedAndCut) {
  char buffer[20];
  FortranDescriptor text = describe(buffer, 20, {});
  cudaforCopyErrorText(cudaSuccess, &text);
  EXPECT_EQ(std::string(buffer, 20), "no error            ");
  text.elementBytes = 3;
  cudaforCopyErrorText(cudaErrorInvalidValue, &text);
  EXPECT_EQ(std::string(buffer, 5), "inver");
}

TEST_F(Errors, UnknownCodesHaveAText) { EXPECT_GT(cudaforErrorTextLength(123456), 0); }

} // namespace
