#include "runtime/Module/Module.h"
#include "runtime/ABI/DeviceFacts.h"
#include "runtime/Module/DeviceFacts.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace cufort::rt;
using fake::Call;
using fake::TestImage;

namespace {

class Module : public ::testing::Test {
protected:
  void SetUp() override { fake::install(); }

  Current current() {
    Current current;
    EXPECT_TRUE(currentContext(current).ok());
    return current;
  }
  LoadedKernel *kernel(const void *stub) {
    LoadedKernel *kernel = nullptr;
    Result result = findKernel(current(), stub, kernel);
    EXPECT_TRUE(result.ok()) << result.message();
    return kernel;
  }
  Result kernelError(const void *stub) {
    LoadedKernel *kernel = nullptr;
    return findKernel(current(), stub, kernel);
  }
};

} // namespace

TEST_F(Module, registrationTouchesNoDriver) {
  TestImage image;
  image.kernel("k");
  image.add();
  int calls = 0;
  for (auto &count : fake::device().calls)
    calls += count;
  // install() itself asks for the number of devices.
  EXPECT_EQ(calls, fake::device().callsOf(Call::deviceGetCount));
}

TEST_F(Module, isLoadedOnceAtFirstUse) {
  TestImage image;
  const void *first = image.kernel("first"), *second = image.kernel("second");
  image.add();
  LoadedKernel *loaded = kernel(first);
  EXPECT_EQ(kernel(first), loaded);
  EXPECT_NE(kernel(second)->general.function, loaded->general.function);
  EXPECT_EQ(fake::device().callsOf(Call::moduleLoadDataEx), 1);
  EXPECT_EQ(fake::device().callsOf(Call::moduleGetFunction), 2);
  EXPECT_EQ(fake::device().images[0], "ptx5");
  EXPECT_EQ(loaded->general.dynamicSharedLimit, 48 * 1024);
}

TEST_F(Module, programsThatPrintGetRoomForIt) {
  TestImage image(CufortFatPrints);
  void *stub = image.kernel("k");
  image.add();
  kernel(stub);
  EXPECT_EQ(fake::device().outputBytes, size_t(16) << 20);
}

TEST_F(Module, theUsersRoomForOutputCounts) {
  fake::device().outputBytes = 4096;
  TestImage image(CufortFatPrints);
  void *stub = image.kernel("k");
  image.add();
  kernel(stub);
  EXPECT_EQ(fake::device().outputBytes, 4096u);
}

TEST_F(Module, programsThatDoNotPrintGetNoRoom) {
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  kernel(stub);
  EXPECT_EQ(fake::device().outputBytes, size_t(1) << 20);
}

TEST_F(Module, isLoadedPerDevice) {
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  LoadedKernel *onFirst = kernel(stub);
  ASSERT_TRUE(setCurrentDevice(1).ok());
  EXPECT_NE(kernel(stub), onFirst);
  EXPECT_EQ(fake::device().callsOf(Call::moduleLoadDataEx), 2);
}

TEST_F(Module, wholeImageGoesToTheEmulatedDevice) {
  fake::install(/*loadsWholeImage=*/true);
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  kernel(stub);
  EXPECT_EQ(fake::device().imageAddresses[0], &image.image);
}

TEST_F(Module, imagesMayComeLater) {
  TestImage first;
  void *stub = first.kernel("k");
  first.add();
  kernel(stub);
  TestImage second;
  const void *other = second.kernel("other");
  second.add();
  EXPECT_STREQ(kernel(other)->entry->fortranName, "other");
  EXPECT_STREQ(kernel(stub)->entry->fortranName, "k");
}

TEST_F(Module, manyEntriesAreAllFound) {
  TestImage image;
  std::vector<const void *> stubs;
  for (int i = 0; i < 1000; ++i)
    stubs.push_back(image.kernel(("k" + std::to_string(i)).c_str()));
  image.add();
  for (const void *stub : stubs)
    EXPECT_EQ(kernel(stub)->entry->hostAddress, stub);
}

TEST_F(Module, unknownStub) {
  TestImage image;
  image.kernel("k");
  image.add();
  int notAKernel = 0;
  EXPECT_EQ(kernelError(&notAKernel).code(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(kernelError(nullptr).code(), cudaErrorInvalidDeviceFunction);
}

TEST_F(Module, variableIsNoKernel) {
  TestImage image;
  char shadow[8];
  image.variable("v", shadow, sizeof shadow);
  void *stub = image.kernel("k");
  image.add();
  LoadedVariable variable;
  EXPECT_EQ(kernelError(shadow).code(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(findVariable(current(), stub, variable).code(), cudaErrorInvalidSymbol);
}

TEST_F(Module, kernelMissingInTheDeviceImage) {
  TestImage image;
  void *stub = image.kernel("gone");
  image.add();
  fake::device().missing.insert("gone_");
  Result result = kernelError(stub);
  EXPECT_EQ(result.code(), cudaErrorInvalidDeviceFunction);
  EXPECT_NE(result.detail().find("gone_"), std::string::npos);
}

TEST_F(Module, compilerLogIsInTheError) {
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  fake::device().fail(Call::moduleLoadDataEx, CUDA_ERROR_INVALID_PTX);
  fake::device().jitLog = "ptxas error : line 7\n";
  Result result = kernelError(stub);
  EXPECT_EQ(result.code(), cudaErrorInvalidPtx);
  EXPECT_EQ(result.detail(), "ptxas error : line 7");
  // Nothing half-loaded stays behind.
  fake::device().fail(Call::moduleLoadDataEx, CUDA_SUCCESS);
  EXPECT_TRUE(kernelError(stub).ok());
}

TEST_F(Module, noCodeForTheDevice) {
  TestImage image;
  void *stub = image.kernel("increment");
  fake::FatBinaryBuilder builder;
  builder.add(CufortFatCubin, 80, "cubin");
  builder.add(CufortFatPTX, 100, "ptx");
  image.fatBinary = builder.build();
  image.add();
  Result result = kernelError(stub);
  EXPECT_EQ(result.code(), cudaErrorNoKernelImageForDevice);
  for (const char *part : {"increment", "sm_90", "sm_80", "compute_100"})
    EXPECT_NE(result.detail().find(part), std::string::npos) << result.detail();
}

TEST_F(Module, corruptedFatBinary) {
  TestImage image;
  void *stub = image.kernel("k");
  image.fatBinary[0] = 0;
  image.add();
  EXPECT_EQ(kernelError(stub).code(), cudaErrorInvalidKernelImage);
}

TEST_F(Module, imageWithoutFatBinary) {
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  image.image.fatBinary = nullptr;
  Result result = kernelError(stub);
  EXPECT_EQ(result.code(), cudaErrorNoKernelImageForDevice);
  EXPECT_NE(result.detail().find("CUFORT_DEVICE=emulated"), std::string::npos);
}

TEST_F(Module, fatBinaryWithoutMembers) {
  TestImage image;
  void *stub = image.kernel("k");
  image.fatBinary = fake::FatBinaryBuilder().build();
  image.add();
  Result result = kernelError(stub);
  EXPECT_EQ(result.code(), cudaErrorNoKernelImageForDevice);
  EXPECT_NE(result.detail().find("CUFORT_DEVICE=emulated"), std::string::npos);
}

TEST_F(Module, otherAbiVersionIsNamed) {
  TestImage image;
  void *stub = image.kernel("k");
  image.image.abiVersion = CUFORT_ABI_VERSION + 41;
  image.add();
  Result result = kernelError(stub);
  EXPECT_EQ(result.code(), cudaErrorInvalidDeviceFunction);
  EXPECT_NE(result.detail().find("version " + std::to_string(CUFORT_ABI_VERSION + 41)), std::string::npos);
}

TEST_F(Module, variablesThatAreReadMostlyHaveCopiesAndTheHostsInitialValue) {
  TestImage image;
  char a[100], b[8] = "initial";
  image.variable("a", a, sizeof a, CufortEntryManaged);
  image.variable("b", b, sizeof b, CufortEntryManaged | CufortEntryReadMostly);
  image.add();
  LoadedVariable first, other;
  ASSERT_TRUE(findVariable(current(), a, first).ok());
  ASSERT_TRUE(findVariable(current(), b, other).ok());
  ASSERT_EQ(fake::device().advice.size(), 1u);
  EXPECT_EQ(fake::device().advice[0].first, other.address);
  EXPECT_EQ(fake::device().advice[0].second, CU_MEM_ADVISE_SET_READ_MOSTLY);
  EXPECT_STREQ(reinterpret_cast<const char *>(other.address), "initial");
}

TEST_F(Module, aModuleWhoseInitialValuesCannotBeCopiedIsNotLoaded) {
  TestImage image;
  char b[8] = "initial";
  image.variable("b", b, sizeof b, CufortEntryManaged | CufortEntryReadMostly);
  image.add();
  fake::device().fail(Call::memcpyHtoD, CUDA_ERROR_INVALID_VALUE);
  LoadedVariable variable;
  EXPECT_EQ(findVariable(current(), b, variable).code(), cudaErrorInvalidValue);
  fake::device().fail(Call::memcpyHtoD, CUDA_SUCCESS);
  EXPECT_TRUE(findVariable(current(), b, variable).ok());
}

TEST_F(Module, variablesHaveAddresses) {
  TestImage image;
  char a[100], b[8];
  image.variable("a", a, sizeof a);
  image.variable("b", b, sizeof b);
  image.add();
  fake::device().sizes["a_"] = sizeof a;
  LoadedVariable first, again, other;
  ASSERT_TRUE(findVariable(current(), a, first).ok());
  ASSERT_TRUE(findVariable(current(), a, again).ok());
  const int lookups = fake::device().callsOf(Call::moduleGetGlobal);
  ASSERT_TRUE(findVariable(current(), b, other).ok());
  ASSERT_TRUE(findVariable(current(), b, other).ok());
  EXPECT_EQ(first.address, fake::device().globals["a_"]);
  EXPECT_EQ(first.bytes, sizeof a);
  EXPECT_EQ(again.address, first.address);
  EXPECT_NE(other.address, first.address);
  EXPECT_EQ(fake::device().callsOf(Call::moduleGetGlobal), lookups + 1);
}

TEST_F(Module, deviceCodeThatAsksIsToldOfItsDevice) {
  fake::device().sizes[CUFORT_DEVICE_FACTS] = sizeof(CufortDeviceFacts);
  TestImage image(CufortFatAsksDevice);
  void *stub = image.kernel("k");
  image.add();
  ASSERT_TRUE(setCurrentDevice(1).ok());
  kernel(stub);
  auto *facts = reinterpret_cast<const CufortDeviceFacts *>(fake::device().globals[CUFORT_DEVICE_FACTS]);
  EXPECT_EQ(facts->device, 1);
  EXPECT_EQ(facts->deviceCount, 2);
  EXPECT_EQ(facts->limits[CU_LIMIT_PRINTF_FIFO_SIZE].value, 1 << 20);

  fake::device().outputBytes = 4096;
  fake::device().fail(Call::ctxGetCacheConfig, CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_TRUE(refreshDeviceFacts(current()).ok());
  EXPECT_EQ(facts->limits[CU_LIMIT_PRINTF_FIFO_SIZE].value, 4096);
  EXPECT_NE(facts->cacheConfig.result, cudaSuccess);
}

TEST_F(Module, deviceCodeThatAsksNothingIsNotLookedInto) {
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  kernel(stub);
  ASSERT_TRUE(refreshDeviceFacts(current()).ok());
  EXPECT_EQ(fake::device().callsOf(Call::moduleGetGlobal), 0);
}

TEST_F(Module, missingVariableIsNamed) {
  TestImage image;
  char a[8];
  image.variable("coefficients", a, sizeof a);
  image.add();
  fake::device().missing.insert("coefficients_");
  LoadedVariable variable;
  Result result = findVariable(current(), a, variable);
  EXPECT_EQ(result.code(), cudaErrorInvalidSymbol);
  EXPECT_NE(result.detail().find("'coefficients'"), std::string::npos);
}

TEST_F(Module, descriptorsArePushedWhenLoaded) {
  TestImage image;
  char descriptor[48];
  std::memset(descriptor, 7, sizeof descriptor);
  image.variable("table", descriptor, sizeof descriptor, CufortEntryDescriptor);
  void *stub = image.kernel("k");
  image.add();
  fake::device().sizes["table_"] = sizeof descriptor;
  kernel(stub);
  ASSERT_TRUE(fake::device().globals.count("table_"));
  EXPECT_EQ(std::memcmp(reinterpret_cast<void *>(fake::device().globals["table_"]), descriptor, sizeof descriptor), 0);
}

TEST_F(Module, namesFindHostAddresses) {
  TestImage image;
  char a[8];
  image.variable("Vx", a, sizeof a);
  void *stub = image.kernel("kern");
  image.add();
  EXPECT_EQ(findHostAddress("vx  ", 4, CufortEntryVariable), a);
  EXPECT_EQ(findHostAddress("VX_", 3, CufortEntryVariable), a);
  EXPECT_EQ(findHostAddress("kern", 4, CufortEntryKernel), stub);
  EXPECT_EQ(findHostAddress("kern", 4, CufortEntryVariable), nullptr);
  EXPECT_EQ(findHostAddress("ker", 3, CufortEntryKernel), nullptr);
  EXPECT_EQ(findHostAddress("", 0, CufortEntryKernel), nullptr);
  EXPECT_STREQ(findEntry(a)->fortranName, "Vx");
  EXPECT_EQ(findEntry(&image), nullptr);
}

TEST_F(Module, unregisteredImageIsForgotten) {
  void *stub = nullptr;
  {
    TestImage image;
    stub = image.kernel("k");
    image.add();
    kernel(stub);
  }
  EXPECT_EQ(fake::device().callsOf(Call::moduleUnload), 1);
  EXPECT_EQ(kernelError(stub).code(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(findHostAddress("k", 1, CufortEntryKernel), nullptr);
}

TEST_F(Module, resetLoadsAgain) {
  TestImage image;
  void *stub = image.kernel("k");
  image.add();
  kernel(stub);
  ASSERT_TRUE(resetCurrentDevice().ok());
  kernel(stub);
  EXPECT_EQ(fake::device().callsOf(Call::moduleLoadDataEx), 2);
}

TEST_F(Module, threadsMayLookUpAtOnce) {
  TestImage image;
  std::vector<const void *> stubs;
  for (int i = 0; i < 64; ++i)
    stubs.push_back(image.kernel(("k" + std::to_string(i)).c_str()));
  image.add();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      Current current;
      LoadedKernel *kernel = nullptr;
      wrong += !currentContext(current).ok();
      for (size_t i = 0; i < stubs.size(); ++i) {
        const void *stub = stubs[(i + t * 8) % stubs.size()];
        wrong += !findKernel(current, stub, kernel).ok() || kernel->entry->hostAddress != stub;
      }
    });
  // Images come and go meanwhile.
  for (int i = 0; i < 20; ++i) {
    TestImage other;
    void *stub = other.kernel("other");
    other.add();
    kernel(stub);
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fake::device().callsOf(Call::moduleGetFunction), 64 + 20);
}
