#include "runtime/Memory/Allocation.h"
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Memory/EachDevice.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Support/Environment.h"
#include "test/unit/runtime/FakeDriver.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace cufort::rt;
using fake::Call;

namespace {

class Memory : public ::testing::Test {
protected:
  void SetUp() override { fake::install(); }
  void *allocate(MemoryKind kind, size_t bytes) {
    void *address = nullptr;
    Result result = allocateMemory(kind, bytes, address);
    EXPECT_TRUE(result.ok()) << result.message();
    return address;
  }
};

extern "C" void cufort_begin_align_(const int64_t *bytes);
extern "C" void cufort_end_align_();

CUdeviceptr number(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

} // namespace

TEST_F(Memory, kindsGoToTheirDriverFunctions) {
  void *device = allocate(MemoryKind::Device, 100), *managed = allocate(MemoryKind::Managed, 100);
  void *pinned = allocate(MemoryKind::Pinned, 100), *unified = allocate(MemoryKind::Unified, 100);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 1);
  EXPECT_EQ(fake::device().callsOf(Call::memAllocManaged), 2); // the device does not read host memory
  EXPECT_EQ(fake::device().callsOf(Call::memHostAlloc), 1);
  EXPECT_TRUE(isPageLocked(pinned));
  EXPECT_FALSE(isPageLocked(device));
  for (void *address : {device, managed, pinned, unified})
    EXPECT_TRUE(releaseMemory(address).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 3);
  EXPECT_EQ(fake::device().callsOf(Call::memFreeHost), 1);
  EXPECT_TRUE(fake::device().memory.empty());
}

TEST_F(Memory, beginsWhereAlignWantsIt) {
  const int64_t alignment = 5000; // as 8192
  cufort_begin_align_(&alignment);
  std::vector<void *> all;
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Managed, MemoryKind::Pinned, MemoryKind::Unified})
    all.push_back(allocate(kind, 100));
  void *onStream = nullptr, *host = cufortHostAlloc(100, "x.cuf", 3);
  EXPECT_TRUE(allocateOnStream(100, 0x77, onStream).ok());
  all.push_back(onStream);
  cufort_end_align_();
  for (void *address : all) {
    Allocation allocation;
    EXPECT_EQ(number(address) % 8192, 0u);
    EXPECT_TRUE(findAllocation(address, allocation) && allocation.bytes == 100);
    EXPECT_TRUE(releaseMemory(address).ok());
  }
  EXPECT_EQ(number(host) % 8192, 0u);
  std::free(host);
  EXPECT_TRUE(fake::device().memory.empty());
  EXPECT_EQ(fake::device().streamFrees.size(), 1u);
}

TEST_F(Memory, freesWhatIsManagedOrOfMalloc) {
  void *managed = cufortMemAlloc(64, 1, "x.cuf", 3);
  EXPECT_EQ(fake::device().memory.size(), 1u);
  cufortFree(managed, "x.cuf", 4);
  EXPECT_EQ(fake::device().memory.size(), 0u);
  cufortFree(std::malloc(64), "x.cuf", 5);
  cufortFree(nullptr, "x.cuf", 6);
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 1);
}

TEST_F(Memory, whatIsReadMostlyHasCopies) {
  void *managed = cufortMemAlloc(64, 1, "x.cuf", 3);
  EXPECT_TRUE(fake::device().advice.empty());
  cufortReadMostly(managed, 64);
  ASSERT_EQ(fake::device().advice.size(), 1u);
  EXPECT_EQ(fake::device().advice[0].first, number(managed));
  EXPECT_EQ(fake::device().advice[0].second, CU_MEM_ADVISE_SET_READ_MOSTLY);
  fake::device().fail(Call::memAdvise, CUDA_ERROR_INVALID_DEVICE);
  cufortReadMostly(managed, 64); // a hint: nothing happens
  cufortFree(managed, "x.cuf", 4);
}

TEST_F(Memory, programsThatNeedHostAccessAreToldWithoutIt) {
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] = 1;
  cufortRequireHostAccess();
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] = 0;
  EXPECT_EXIT(cufortRequireHostAccess(), testing::ExitedWithCode(1),
              "-gpu=mem:unified: .*device 0 .* cannot reach all memory of the host .*compile with -gpu=mem:managed");
}

TEST_F(Memory, unifiedMemoryIsHostMemoryWhereTheDeviceReadsIt) {
  fake::device().attributes[CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] = 1;
  void *unified = allocate(MemoryKind::Unified, 100);
  EXPECT_TRUE(fake::device().memory.empty());
  EXPECT_TRUE(releaseMemory(unified).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 0);
  EXPECT_EQ(fake::device().callsOf(Call::ctxSynchronize), 1);
}

TEST_F(Memory, tableKnowsWhatIsLive) {
  auto *base = static_cast<char *>(allocate(MemoryKind::Device, 100));
  Allocation allocation;
  ASSERT_TRUE(findAllocation(base + 99, allocation));
  EXPECT_EQ(allocation.base, number(base));
  EXPECT_EQ(allocation.bytes, 100u);
  EXPECT_EQ(allocation.kind, MemoryKind::Device);
  EXPECT_FALSE(findAllocation(base + 100, allocation));
  EXPECT_FALSE(findAllocation(base - 1, allocation));
  ASSERT_TRUE(releaseMemory(base).ok());
  EXPECT_FALSE(findAllocation(base, allocation));
}

TEST_F(Memory, nothingCanBeAllocatedToo) {
  void *first = allocate(MemoryKind::Device, 0), *second = allocate(MemoryKind::Device, 0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
  Allocation allocation;
  EXPECT_TRUE(findAllocation(first, allocation));
  EXPECT_TRUE(releaseMemory(first).ok());
  EXPECT_TRUE(releaseMemory(second).ok());
  EXPECT_TRUE(releaseMemory(nullptr).ok());
}

TEST_F(Memory, thereMayNotBeEnough) {
  fake::device().memoryLimit = 1000;
  void *address = &address;
  Result result = allocateMemory(MemoryKind::Device, 1001, address);
  EXPECT_EQ(result.code(), cudaErrorMemoryAllocation);
  EXPECT_EQ(result.detail(), "1001 bytes were asked for");
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(allocateMemory(MemoryKind::Managed, 1001, address).code(), cudaErrorMemoryAllocation);
}

// ITEMS: AL-006, VA-054
TEST_F(Memory, pinnedFallsBackToPageable) {
  fake::device().fail(Call::memHostAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  void *pinned = allocate(MemoryKind::Pinned, 100);
  EXPECT_FALSE(isPageLocked(pinned));
  EXPECT_TRUE(releaseMemory(pinned).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memFreeHost), 0);
}

TEST_F(Memory, noContextNoMemory) {
  fake::device().fail(Call::devicePrimaryCtxRetain, CUDA_ERROR_OUT_OF_MEMORY);
  void *address = nullptr;
  EXPECT_EQ(allocateMemory(MemoryKind::Device, 8, address).code(), cudaErrorMemoryAllocation);
}

TEST_F(Memory, streamOrdered) {
  void *address = nullptr;
  ASSERT_TRUE(allocateOnStream(100, 7, address).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memAllocAsync), 1);
  EXPECT_EQ(defaultStreamFor(static_cast<char *>(address) + 50), 7);
  ASSERT_TRUE(releaseMemory(address).ok());
  ASSERT_EQ(fake::device().streamFrees.size(), 1u);
  EXPECT_EQ(fake::device().streamFrees[0].second, toStream(7));
}

TEST_F(Memory, streamOrderedWithoutMemoryPools) {
  fake::device().fail(Call::memAllocAsync, CUDA_ERROR_NOT_SUPPORTED);
  void *address = nullptr;
  ASSERT_TRUE(allocateOnStream(100, 7, address).ok());
  EXPECT_EQ(defaultStreamFor(address), 7);
  ASSERT_TRUE(releaseMemory(address).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 1);
}

TEST_F(Memory, temporariesDoNotWait) {
  setThreadDefaultStream(7);
  void *first = nullptr, *second = nullptr;
  ASSERT_TRUE(allocateTemporary(100, first).ok());
  ASSERT_TRUE(allocateTemporary(100, second).ok());
  setThreadDefaultStream(0);
  ASSERT_TRUE(releaseMemory(first).ok());
  ASSERT_TRUE(releaseMemory(second).ok());
  ASSERT_EQ(fake::device().streamFrees.size(), 2u);
  EXPECT_EQ(fake::device().streamFrees[0].second, toStream(7));
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 0);
  EXPECT_EQ(fake::device().callsOf(Call::ctxSynchronize), 0);
  EXPECT_EQ(fake::device().callsOf(Call::memPoolSetAttribute), 1);
  size_t bytes = 0;
  ASSERT_EQ(fake::table().deviceTotalMem(&bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(fake::device().poolKeeps, bytes / 8);
}

TEST_F(Memory, temporariesWithoutMemoryPools) {
  fake::device().fail(Call::deviceGetDefaultMemPool, CUDA_ERROR_NOT_SUPPORTED);
  fake::device().fail(Call::memAllocAsync, CUDA_ERROR_NOT_SUPPORTED);
  void *address = nullptr;
  ASSERT_TRUE(allocateTemporary(100, address).ok());
  ASSERT_TRUE(releaseMemory(address).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 1);
  EXPECT_EQ(fake::device().callsOf(Call::memPoolSetAttribute), 0);
}

TEST_F(Memory, temporariesBesideVariablesWithStreams) {
  void *variable = allocate(MemoryKind::Device, 100), *temporary = nullptr;
  setVariableDefaultStream(variable, 7);
  ASSERT_TRUE(allocateTemporary(100, temporary).ok());
  ASSERT_TRUE(releaseMemory(temporary).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memAllocAsync), 0);
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 1);
  EXPECT_TRUE(mayVariablesHaveStreams());
  ASSERT_TRUE(releaseMemory(variable).ok());
  clearVariableDefaultStreams();
  EXPECT_FALSE(mayVariablesHaveStreams());
}

TEST_F(Memory, whatThePoolKeepsIsGivenBackWhenMemoryIsShort) {
  fake::device().fail(Call::memAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  void *address = nullptr;
  EXPECT_EQ(allocateMemory(MemoryKind::Device, 100, address).code(), cudaErrorMemoryAllocation);
  EXPECT_EQ(fake::device().callsOf(Call::memPoolTrimTo), 0);
  ASSERT_TRUE(allocateTemporary(100, address).ok());
  ASSERT_TRUE(releaseMemory(address).ok());
  EXPECT_EQ(allocateMemory(MemoryKind::Device, 100, address).code(), cudaErrorMemoryAllocation);
  EXPECT_EQ(fake::device().callsOf(Call::memPoolTrimTo), 1);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 3);
}

TEST_F(Memory, aResetForgetsWhatThePoolKeeps) {
  void *address = nullptr;
  ASSERT_TRUE(allocateTemporary(100, address).ok());
  ASSERT_TRUE(resetCurrentDevice().ok());
  ASSERT_TRUE(allocateTemporary(100, address).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memPoolSetAttribute), 2);
  EXPECT_TRUE(releaseMemory(address).ok());
}

TEST_F(Memory, resetTakesItAlong) {
  void *device = allocate(MemoryKind::Device, 100);
  fake::device().fail(Call::memHostAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  void *pageable = allocate(MemoryKind::Pinned, 100);
  ASSERT_TRUE(resetCurrentDevice().ok());
  Allocation allocation;
  EXPECT_FALSE(findAllocation(device, allocation));
  EXPECT_TRUE(findAllocation(pageable, allocation));
  EXPECT_TRUE(releaseMemory(device).ok());
  EXPECT_EQ(fake::device().callsOf(Call::memFree), 0);
  EXPECT_TRUE(releaseMemory(pageable).ok());
  // Only once: after that it is an address like any other.
  fake::device().fail(Call::memFree, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(releaseMemory(device).code(), cudaErrorInvalidValue);
}

TEST_F(Memory, ofOtherDevicesSurvivesAReset) {
  ASSERT_TRUE(setCurrentDevice(1).ok());
  void *other = allocate(MemoryKind::Device, 100);
  ASSERT_TRUE(setCurrentDevice(0).ok());
  ASSERT_TRUE(resetCurrentDevice().ok());
  Allocation allocation;
  EXPECT_TRUE(findAllocation(other, allocation));
  EXPECT_EQ(allocation.device, 1);
  EXPECT_TRUE(releaseMemory(other).ok());
}

TEST_F(Memory, ofMainVariablesIsAllocatedOnceInEachDevice) {
  int a = 0, b = 0;
  void *ofA = cufortMemInDevice(&a, 100, "x.cuf", 3), *ofB = cufortMemInDevice(&b, 100, "x.cuf", 4);
  EXPECT_NE(ofA, ofB);
  EXPECT_EQ(cufortMemInDevice(&a, 100, "x.cuf", 5), ofA);
  ASSERT_TRUE(setCurrentDevice(1).ok());
  void *ofOther = cufortMemInDevice(&a, 100, "x.cuf", 6);
  EXPECT_NE(ofOther, ofA);
  Allocation allocation;
  EXPECT_TRUE(findAllocation(ofOther, allocation) && allocation.device == 1 && allocation.bytes == 100);
  ASSERT_TRUE(setCurrentDevice(0).ok());
  EXPECT_EQ(cufortMemInDevice(&a, 100, "x.cuf", 7), ofA);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 3);
}

TEST_F(Memory, ofMainVariablesIsAllocatedAgainAfterAReset) {
  int variable = 0;
  ASSERT_TRUE(setCurrentDevice(1).ok());
  void *other = cufortMemInDevice(&variable, 100, "x.cuf", 3);
  ASSERT_TRUE(setCurrentDevice(0).ok());
  cufortMemInDevice(&variable, 100, "x.cuf", 4);
  ASSERT_TRUE(resetCurrentDevice().ok());
  cufortMemInDevice(&variable, 100, "x.cuf", 5);
  EXPECT_EQ(fake::device().callsOf(Call::memAlloc), 3);
  ASSERT_TRUE(setCurrentDevice(1).ok());
  EXPECT_EQ(cufortMemInDevice(&variable, 100, "x.cuf", 6), other);
}

TEST_F(Memory, thatMainVariablesLackIsAskedForAgain) {
  int variable = 0;
  void *address = nullptr;
  fake::device().fail(Call::memAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(memoryInDevice(&variable, 100, address).code(), cudaErrorMemoryAllocation);
  EXPECT_EQ(address, nullptr);
  EXPECT_EXIT(cufortMemInDevice(&variable, 100, "x.cuf", 3), testing::ExitedWithCode(1),
              "x.cuf:3: .*allocating a variable");
  fake::device().fail(Call::memAlloc, CUDA_SUCCESS);
  EXPECT_TRUE(memoryInDevice(&variable, 100, address).ok());
  EXPECT_NE(address, nullptr);
}

TEST_F(Memory, deviceMemoryMayBeManaged) {
  setenv("NVCOMPILER_CUDAFOR_DEVICE_IS_MANAGED", "1", 1);
  reloadEnvironment();
  void *address = allocate(MemoryKind::Device, 100);
  unsetenv("NVCOMPILER_CUDAFOR_DEVICE_IS_MANAGED");
  reloadEnvironment();
  EXPECT_EQ(fake::device().callsOf(Call::memAllocManaged), 1);
  EXPECT_TRUE(releaseMemory(address).ok());
}

TEST_F(Memory, variablesHaveDefaultStreams) {
  auto *array = static_cast<char *>(allocate(MemoryKind::Managed, 100));
  char moduleVariable = 0;
  EXPECT_EQ(defaultStreamFor(array), 0);
  setThreadDefaultStream(3);
  EXPECT_EQ(defaultStreamFor(array), 3);
  setVariableDefaultStream(array, 5);
  setVariableDefaultStream(&moduleVariable, 6);
  EXPECT_EQ(defaultStreamFor(array + 10), 5);
  EXPECT_EQ(defaultStreamFor(&moduleVariable), 6);
  setVariableDefaultStream(&moduleVariable, 0);
  EXPECT_EQ(defaultStreamFor(&moduleVariable), 3);
  setVariableDefaultStream(array, 0);
  EXPECT_EQ(defaultStreamFor(array), 3);
  EXPECT_TRUE(releaseMemory(array).ok());
}

TEST_F(Memory, isThreadSafe) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        void *address = nullptr;
        Allocation allocation;
        wrong += !allocateMemory(MemoryKind::Device, 64, address).ok();
        setVariableDefaultStream(address, 1 + i);
        wrong += defaultStreamFor(address) != 1 + i;
        wrong += !findAllocation(address, allocation);
        wrong += !releaseMemory(address).ok();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
