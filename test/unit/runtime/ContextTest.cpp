#include "runtime/Context/Context.h"
#include "test/unit/runtime/FakeDriver.h"
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace cufort::rt;
using fake::Call;

TEST(Context, isMadeOnFirstUseOnly) {
  fake::install();
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxRetain), 0);
  int count = 0, device = -1;
  ASSERT_TRUE(deviceCount(count).ok());
  ASSERT_TRUE(currentDevice(device).ok());
  EXPECT_EQ(count, 2);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxRetain), 0);
  Current current;
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(currentContext(current).ok());
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxRetain), 1);
  EXPECT_EQ(fake::device().callsOf(Call::ctxSetCurrent), 1);
  EXPECT_EQ(current.device, 0);
}

TEST(Context, devicesAreNumberedFromZero) {
  fake::install();
  int device = -1;
  EXPECT_TRUE(setCurrentDevice(1).ok());
  ASSERT_TRUE(currentDevice(device).ok());
  EXPECT_EQ(device, 1);
  EXPECT_EQ(setCurrentDevice(2).code(), cudaErrorInvalidDevice);
  EXPECT_EQ(setCurrentDevice(-1).code(), cudaErrorInvalidDevice);
  ASSERT_TRUE(currentDevice(device).ok());
  EXPECT_EQ(device, 1);
}

TEST(Context, belongsToTheThread) {
  fake::install();
  ASSERT_TRUE(setCurrentDevice(1).ok());
  int other = -1;
  std::thread([&] {
    Current current;
    if (currentContext(current).ok())
      other = current.device;
  }).join();
  EXPECT_EQ(other, 0);
}

TEST(Context, isSharedByThreads) {
  fake::install();
  std::vector<std::thread> threads;
  std::vector<CUcontext> contexts(8);
  for (CUcontext &context : contexts)
    threads.emplace_back([&context] {
      Current current;
      if (currentContext(current).ok())
        context = current.context;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxRetain), 1);
  for (CUcontext context : contexts)
    EXPECT_EQ(context, contexts[0]);
}

TEST(Context, followsOtherCodeOfTheThread) {
  fake::install();
  Current current;
  ASSERT_TRUE(currentContext(current).ok());
  // What CUDA's own cudaSetDevice(1) does.
  CUcontext primary = nullptr;
  ASSERT_EQ(fake::table().devicePrimaryCtxRetain(&primary, 1), CUDA_SUCCESS);
  ASSERT_EQ(fake::table().ctxSetCurrent(primary), CUDA_SUCCESS);
  int device = -1;
  ASSERT_TRUE(currentDevice(device).ok());
  EXPECT_EQ(device, 1);
  ASSERT_TRUE(currentContext(current).ok());
  EXPECT_EQ(current.device, 1);
  EXPECT_EQ(current.context, primary);
}

TEST(Context, takesBackAContextThatIsNoPrimaryOne) {
  fake::install();
  Current current;
  ASSERT_TRUE(setCurrentDevice(1).ok());
  ASSERT_EQ(fake::table().ctxSetCurrent(reinterpret_cast<CUcontext>(uintptr_t(0x7777))), CUDA_SUCCESS);
  ASSERT_TRUE(currentContext(current).ok());
  EXPECT_EQ(current.device, 1);
  CUcontext context = nullptr;
  ASSERT_EQ(fake::table().ctxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(context, current.context);
}

TEST(Context, failureToMakeItIsReturned) {
  fake::install();
  fake::device().fail(Call::devicePrimaryCtxRetain, CUDA_ERROR_DEVICE_UNAVAILABLE);
  Current current;
  EXPECT_EQ(currentContext(current).code(), cudaErrorDevicesUnavailable);
  // The device may become free.
  fake::device().fail(Call::devicePrimaryCtxRetain, CUDA_SUCCESS);
  EXPECT_TRUE(currentContext(current).ok());
  fake::install();
  fake::device().fail(Call::ctxSetCurrent, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(currentContext(current).code(), cudaErrorDeviceUninitialized);
}

TEST(Context, thereMayBeNoDevice) {
  fake::install(/*loadsWholeImage=*/false, /*deviceCount=*/0);
  Current current;
  EXPECT_EQ(currentContext(current).code(), cudaErrorNoDevice);
  int count = -1;
  EXPECT_EQ(deviceCount(count).code(), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
}

TEST(Context, resetMakesANewOne) {
  fake::install();
  static std::vector<int> resets;
  resets.clear();
  atDeviceReset([](int device) { resets.push_back(device); });
  Current current;
  ASSERT_TRUE(setCurrentDevice(1).ok());
  unsigned generation = contextGeneration();
  ASSERT_TRUE(resetCurrentDevice().ok());
  EXPECT_NE(contextGeneration(), generation);
  EXPECT_EQ(resets, std::vector<int>{1});
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxRelease), 1);
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxReset), 1);
  ASSERT_TRUE(currentContext(current).ok());
  EXPECT_EQ(current.device, 1);
  EXPECT_EQ(fake::device().callsOf(Call::devicePrimaryCtxRetain), 2);
}
