// What the tests of cudafor's routines share: the fake driver with a record of what it was asked, and descriptors as
// compiled calls of the routines make them.
#pragma once

#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/ErrorState.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FortranArray.h"
#include "gtest/gtest.h"
#include <deque>

namespace cufort::rt::fake {

/// The operands of the last driver call of each kind that a test looks at.
struct Recorded {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  unsigned flags = 0;
  int priority = 0;
  CUdeviceptr dst = 0, src = 0;
  size_t bytes = 0;
  CUDA_MEMCPY2D copy2D = {};
  CUcontext dstContext = nullptr, srcContext = nullptr;
  int device = 0, advice = 0;
  CUlaunchConfig launch = {};
  CUlaunchAttribute launchAttribute = {};
  int blockSize = 0;
  CUlimit limit = {};
};
Recorded &recorded();

/// Installs the fake driver, with functions that record, before every test.
class CudaForTest : public ::testing::Test {
protected:
  CudaForTest();

  /// A scalar integer argument of kind 8 or 4.
  const FortranDescriptor &wide(int64_t value);
  const FortranDescriptor &narrow(int32_t value);
  /// A scalar argument of type c_devptr (or c_ptr) that holds `address`.
  const FortranDescriptor &addressArgument(const void *address, const char *type = "__builtin_c_devptr");

private:
  /// A descriptor with what Flang appends to it for a derived type.
  struct DerivedScalar {
    FortranDescriptor descriptor;
    const void *value;
    char typeDescription[64 + sizeof(FortranDescriptor)];
  };
  std::deque<FortranDescriptor> descriptors;
  std::deque<int64_t> values;
  std::deque<DerivedScalar> derived;
};

} // namespace cufort::rt::fake
