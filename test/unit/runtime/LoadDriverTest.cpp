// Finding the driver. The test's run path holds a libcuda.so.1 of our own; each case runs in a process of its own,
// because the driver is opened once.
#include "runtime/Context/Context.h"
#include "runtime/Support/Environment.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace cufort::rt;
using testing::ExitedWithCode;

namespace {

/// Prints what loadCudaDriver says and exits: 0 if it found a driver, 2 if not.
[[noreturn]] void tryToLoad(const char *fake) {
  setenv("FAKE_CUDA", fake, 1);
  std::string why;
  const DriverTable *table = loadCudaDriver(why);
  std::fprintf(stderr, "[%s]", why.c_str());
  std::exit(table ? 0 : 2);
}

/// Prints what choosing the process's device says and exits with its code.
[[noreturn]] void tryToChoose(const char *fake, const char *device) {
  setenv("FAKE_CUDA", fake, 1);
  setenv("CUFORT_DEVICE", device, 1);
  reloadEnvironment();
  const DriverTable *table = nullptr;
  Result result = driver(table);
  std::fprintf(stderr, "[%s]", result.ok() ? "" : result.message().c_str());
  std::exit(result.code());
}

} // namespace

TEST(LoadDriver, complete) { EXPECT_EXIT(tryToLoad("good"), ExitedWithCode(0), "^\\[\\]$"); }

TEST(LoadDriver, doesNotStart) {
  EXPECT_EXIT(tryToLoad("does-not-start"), ExitedWithCode(2), "the CUDA driver does not start: error 802");
}

TEST(LoadDriver, cannotListDevices) {
  EXPECT_EXIT(tryToLoad("cannot-list"), ExitedWithCode(2), "the CUDA driver cannot list devices: error 999");
}

TEST(LoadDriver, noDevice) { EXPECT_EXIT(tryToLoad("no-device"), ExitedWithCode(2), "the CUDA driver sees no device"); }

TEST(LoadDriver, isOpenedOnce) {
  EXPECT_EXIT(
      {
        std::string why;
        const DriverTable *first = loadCudaDriver(why);
        setenv("FAKE_CUDA", "no-device", 1);
        std::exit(first && loadCudaDriver(why) == first ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST(ChooseDevice, gpuIfThereIsOne) {
  EXPECT_EXIT(tryToChoose("good", ""), ExitedWithCode(0), "^\\[\\]$");
  EXPECT_EXIT(tryToChoose("good", "gpu"), ExitedWithCode(0), "^\\[\\]$");
}

TEST(ChooseDevice, gpuOrNothing) {
  EXPECT_EXIT(
      tryToChoose("no-device", "gpu"), ExitedWithCode(cudaErrorNoDevice),
      "^\\[cudaErrorNoDevice \\(100\\): no CUDA-capable device is detected: the CUDA driver sees no device\\]$");
}

TEST(ChooseDevice, emulatedIfThereIsNoGpu) {
  EXPECT_EXIT(tryToChoose("no-device", ""), ExitedWithCode(0),
              "^cufort: no GPU found \\(the CUDA driver sees no device\\): using the emulated device\n\\[\\]$");
  EXPECT_EXIT(tryToChoose("good", "emulated"), ExitedWithCode(0), "^\\[\\]$");
}

TEST(ChooseDevice, unknownWord) {
  EXPECT_EXIT(tryToChoose("good", "cpu"), ExitedWithCode(cudaErrorInvalidValue),
              "CUFORT_DEVICE is 'cpu'; it may be 'gpu' or 'emulated'");
}

TEST(CompleteTable, missingFunctionsAreNotSupported) {
  DriverTable table;
  completeTable(table);
  EXPECT_EQ(table.memFree(1), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(table.ctxSynchronize(), CUDA_ERROR_NOT_SUPPORTED);
}
