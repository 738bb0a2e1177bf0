// Whom MATMUL of device arrays asks: cuBLAS or our own kernels. The test's run path holds a libcublas.so.13 of our own
// that says what it is asked for; each case runs in a process of its own, because the library is opened once.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Support/Environment.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FortranArray.h"
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>

using namespace cufort::rt;
using testing::ExitedWithCode;

#define OUR_KERNEL(name)                                                                                               \
  extern "C" void name(void *, const void *, const void *, const int64_t *extents, const int64_t *) {                  \
    std::fprintf(stderr, "[" #name " %ldx%ldx%ld]", extents[0], extents[1], extents[2]);                               \
  }
OUR_KERNEL(cufortMultiplyReal2)
OUR_KERNEL(cufortMultiplyReal4)
OUR_KERNEL(cufortMultiplyReal8)
OUR_KERNEL(cufortMultiplyComplex4)
OUR_KERNEL(cufortMultiplyComplex8)

namespace {

constexpr int real2 = 25, real4 = 27, real8 = 28, complex4 = 34, complex8 = 35;

size_t bytesOf(int type) {
  switch (type) {
  case real2:
    return 2;
  case real4:
    return 4;
  case complex8:
    return 16;
  default:
    return 8;
  }
}

void *address(uintptr_t number) { return reinterpret_cast<void *>(number); }

/// A matrix of `type`, whose columns are `leading` elements apart, or contiguous if that is 0.
FortranDescriptor matrix(int type, uintptr_t base, int64_t rows, int64_t columns, int64_t leading = 0) {
  FortranDescriptor array = fake::describe(address(base), bytesOf(type), {rows, columns}, 0, FlangDevice);
  array.type = static_cast<int8_t>(type);
  if (leading)
    array.dim[1].byteStride = leading * static_cast<int64_t>(array.elementBytes);
  return array;
}

FortranDescriptor vector(int type, uintptr_t base, int64_t extent, int64_t step = 1) {
  FortranDescriptor array = fake::describe(address(base), bytesOf(type), {extent}, 0, FlangDevice);
  array.type = static_cast<int8_t>(type);
  array.dim[0].byteStride *= step;
  return array;
}

void multiply(FortranDescriptor c, FortranDescriptor a, FortranDescriptor b, bool aTransposed = false,
              bool bTransposed = false) {
  cufortMatrixProduct(&c, &a, &b, aTransposed, bTransposed);
}

void multiplyOf(int type) { multiply(matrix(type, 3, 100, 80), matrix(type, 1, 100, 90), matrix(type, 2, 90, 80)); }

/// A regular expression for `text` itself.
std::string literally(const std::string &text) {
  std::string pattern;
  for (char letter : text)
    pattern +=
        std::isalnum(static_cast<unsigned char>(letter)) ? std::string(1, letter) : std::string("[") + letter + "]";
  return pattern;
}

/// What `products` write to stderr, with FAKE_CUBLAS and CUFORT_CUBLAS set so, has to contain `expected`.
void expect(const std::string &expected, const std::function<void()> &products, const char *failing = "",
            const char *library = "") {
  EXPECT_EXIT(
      {
        setenv("FAKE_CUBLAS", failing, 1);
        setenv("CUFORT_CUBLAS", library, 1);
        fake::install();
        products();
        std::exit(0);
      },
      ExitedWithCode(0), literally(expected));
}

const DriverTable *whileCapturing() {
  static DriverTable table;
  table = fake::table();
  table.streamIsCapturing = [](CUstream, CUstreamCaptureStatus *status) {
    *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  };
  return &table;
}

} // namespace

TEST(MatrixProduct, eachType) {
  const char *shape = " #1 NN 100x80x90 1*0x1/100*0x2/90+0*0x3/100]";
  expect(std::string("[create][math 16][stream 0][cublasSgemm") + shape, [] { multiplyOf(real4); });
  expect(std::string("[cublasDgemm") + shape, [] { multiplyOf(real8); });
  expect(std::string("[cublasCgemm") + shape, [] { multiplyOf(complex4); });
  expect(std::string("[cublasZgemm") + shape, [] { multiplyOf(complex8); });
  expect(std::string("[types 2 2 2 68 -1][cublasGemmEx") + shape, [] { multiplyOf(real2); });
}

TEST(MatrixProduct, transposedOperandsAndSections) {
  expect("NT 100x80x90 1*0x1/123*0x2/85+0*0x3/200]", [] {
    multiply(matrix(real8, 3, 100, 80, 200), matrix(real8, 1, 100, 90, 123), matrix(real8, 2, 80, 90, 85), false, true);
  });
  expect("TN 100x80x90 1*0x1/91*0x2/90+0*0x3/100]", [] {
    multiply(matrix(real8, 3, 100, 80), matrix(real8, 1, 90, 100, 91), matrix(real8, 2, 90, 80), true, false);
  });
}

TEST(MatrixProduct, vectors) {
  // A column, a row, and elements that are five apart, which are the rows of a transposed matrix.
  expect("NN 1000x1x900 1*0x1/1000*0x2/900+0*0x3/1000]",
         [] { multiply(vector(real8, 3, 1000), matrix(real8, 1, 1000, 900), vector(real8, 2, 900)); });
  expect("NN 1x900x1000 1*0x1/1*0x2/1000+0*0x3/1]",
         [] { multiply(vector(real8, 3, 900), vector(real8, 1, 1000), matrix(real8, 2, 1000, 900)); });
  expect("NT 1000x1x900 1*0x1/1000*0x2/5+0*0x3/1000]",
         [] { multiply(vector(real8, 3, 1000), matrix(real8, 1, 1000, 900), vector(real8, 2, 900, 5)); });
}

TEST(MatrixProduct, ourKernels) {
  const char *ours = "[cufortMultiplyReal4 ";
  // Few multiplications; rows that are not next to each other, in an operand and in the result; columns backwards.
  expect(ours, [] { multiply(matrix(real4, 3, 63, 64), matrix(real4, 1, 63, 64), matrix(real4, 2, 64, 64)); });
  expect(ours, [] {
    FortranDescriptor operand = matrix(real4, 1, 100, 90, 300);
    operand.dim[0].byteStride = 8;
    multiply(matrix(real4, 3, 100, 80), operand, matrix(real4, 2, 90, 80));
  });
  expect(ours, [] {
    FortranDescriptor result = matrix(real4, 3, 100, 80, 300);
    result.dim[0].byteStride = 8;
    multiply(result, matrix(real4, 1, 100, 90), matrix(real4, 2, 90, 80));
  });
  expect(ours, [] { multiply(matrix(real4, 3, 100, 80), matrix(real4, 1, 100, 90, -100), matrix(real4, 2, 90, 80)); });
  // Too large for cuBLAS's integers.
  expect(ours, [] {
    multiply(matrix(real4, 3, 100, 80), matrix(real4, 1, 100, 90, int64_t(1) << 31), matrix(real4, 2, 90, 80));
  });
}

TEST(MatrixProduct, withoutCublas) {
  expect(
      "[cufortMultiplyReal8 100x80x90]", [] { multiplyOf(real8); }, "", "none");
  expect(
      "[cufortMultiplyReal8 100x80x90]", [] { multiplyOf(real8); }, "", "/nowhere/libcublas.so");
}

TEST(MatrixProduct, namedLibrary) {
  expect(
      "[cublasDgemm", [] { multiplyOf(real8); }, "", CUFORT_FAKE_CUBLAS);
  // A library without the functions of cuBLAS.
  expect(
      "[cufortMultiplyReal8 100x80x90]", [] { multiplyOf(real8); }, "", "libm.so.6");
}

TEST(MatrixProduct, failuresOfCublas) {
  auto twice = [] {
    multiplyOf(real8);
    multiplyOf(real8);
  };
  const char *ours = "[cufortMultiplyReal8 100x80x90]";
  // It is not asked to start again.
  expect(std::string("[create]") + ours + ours, twice, "create");
  expect(std::string("[destroy #1]") + ours + ours, twice, "math");
  expect(std::string("[stream 0]") + ours, twice, "stream");
  expect(std::string("/100]") + ours, twice, "cublasDgemm");
}

TEST(MatrixProduct, emulatedDevice) {
  expect("[cufortMultiplyReal8 100x80x90]", [] {
    setenv("CUFORT_DEVICE", "emulated", 1);
    reloadEnvironment();
    installDriverForTest(nullptr);
    multiplyOf(real8);
  });
}

TEST(MatrixProduct, streamOfTheStatement) {
  expect("[stream 0][cublasDgemm #1 NN 100x80x90 1*0x1/100*0x2/90+0*0x3/100][stream 77]", [] {
    multiplyOf(real8);
    setThreadDefaultStream(77);
    multiplyOf(real8);
  });
}

TEST(MatrixProduct, capturesGetNoNewHandle) {
  expect("[cufortMultiplyReal8 100x80x90]", [] {
    installDriverForTest(whileCapturing());
    multiplyOf(real8);
  });
}

TEST(MatrixProduct, resetDestroysHandles) {
  expect("/100][destroy #1][create]", [] {
    multiplyOf(real8);
    if (!resetCurrentDevice())
      std::exit(1);
    multiplyOf(real8);
  });
}

TEST(MatrixProduct, eachDeviceHasItsHandle) {
  expect("[create][math 16][stream 0][cublasDgemm #2", [] {
    multiplyOf(real8);
    if (!setCurrentDevice(1))
      std::exit(1);
    multiplyOf(real8);
  });
}
