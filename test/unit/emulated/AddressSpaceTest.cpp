// The addresses of device memory, and the allocator behind them.
#include "runtime/Emulated/AddressSpace.h"
#include "test/unit/emulated/EmulatedTest.h"
#include <random>
#include <sys/mman.h>

namespace cufort::rt::emulated {
namespace {

TEST(RangeAllocator, PartsDoNotOverlapAndComeBack) {
  RangeAllocator range(4096, 4096 + 100000);
  std::map<uintptr_t, size_t> taken;
  std::minstd_rand random(1);
  for (int i = 0; i < 10000; ++i) {
    if (random() % 2 && !taken.empty()) {
      auto victim = std::next(taken.begin(), random() % taken.size());
      range.give(victim->first, victim->second);
      taken.erase(victim);
      continue;
    }
    size_t size = random() % 3000 + 1, alignment = size_t(1) << random() % 10;
    uintptr_t first = range.take(size, alignment);
    if (!first)
      continue;
    EXPECT_EQ(first % alignment, 0u);
    EXPECT_GE(first, 4096u);
    EXPECT_LE(first + size, 4096u + 100000u);
    auto next = taken.lower_bound(first);
    EXPECT_TRUE(next == taken.end() || first + size <= next->first);
    EXPECT_TRUE(next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= first);
    taken[first] = size;
  }
  for (auto [first, size] : taken)
    range.give(first, size);
  EXPECT_EQ(range.take(100000, 1), 4096u) << "all parts have become one";
  EXPECT_EQ(range.take(1, 1), 0u);
}

TEST(RangeAllocator, UsesWhatWasGivenBackLast) {
  RangeAllocator range(100, 400);
  EXPECT_EQ(range.take(100, 1), 100u);
  range.give(100, 100);
  EXPECT_EQ(range.take(100, 1), 200u);
  EXPECT_EQ(range.take(100, 1), 300u);
  EXPECT_EQ(range.take(100, 1), 100u);
}

TEST(AddressSpace, MemoryEndsBeforeAddressesThatFault) {
  for (size_t bytes : {1, 40, 400, 4096, 70000, 3 << 20})
    for (size_t alignment : {4, 256, 4096}) {
      GuardedMemory memory = AddressSpace::instance().take(bytes, alignment);
      ASSERT_NE(memory.base, nullptr);
      auto address = reinterpret_cast<uintptr_t>(memory.base);
      EXPECT_EQ(address % alignment, 0u);
      size_t room = size_t(memory.mapping + memory.mappedBytes - memory.base);
      EXPECT_GE(room, bytes);
      EXPECT_LT(room, bytes + alignment);
      EXPECT_GT(memory.guardBytes, 0u);
      EXPECT_TRUE(AddressSpace::instance().contains(memory.base));
      memory.base[0] = memory.base[bytes - 1] = 1;
      AddressSpace::instance().give(memory);
    }
  int local = 0;
  EXPECT_FALSE(AddressSpace::instance().contains(&local));
  EXPECT_EQ(AddressSpace::instance().take(SIZE_MAX - 10, 256).base, nullptr);
  EXPECT_EQ(AddressSpace::instance().take(size_t(1) << 60, 256).base, nullptr);
}

// More than the system allows mappings: some then lie side by side.
TEST(AddressSpace, ManySmallPieces) {
  std::vector<GuardedMemory> pieces(40000);
  for (GuardedMemory &piece : pieces) {
    piece = AddressSpace::instance().take(64, 256);
    ASSERT_NE(piece.base, nullptr);
    EXPECT_EQ(piece.base[63], 0);
    piece.base[63] = 1;
  }
  for (GuardedMemory &piece : pieces)
    AddressSpace::instance().give(piece);
  GuardedMemory last = AddressSpace::instance().take(64, 256);
  EXPECT_GT(last.guardBytes, 0u);
  EXPECT_EQ(last.base[63], 0);
  AddressSpace::instance().give(last);
}

void writeByte(void **params) { param<volatile char *>(params, 0)[param<size_t>(params, 1)] = 1; }

class Bounds : public EmulatedTest {
protected:
  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver.memAlloc(&address, bytes), CUDA_SUCCESS);
    return address;
  }

  /// A kernel that writes the byte `offset` bytes after `address` fails, and says `text`.
  void expectFault(CUdeviceptr address, size_t offset, const std::string &text) {
    std::string output;
    EXPECT_EQ(launchAndCapture(output, writeByte, {}, {&address, &offset}), CUDA_ERROR_ILLEGAL_ADDRESS) << text;
    EXPECT_NE(output.find(text), std::string::npos) << output;
  }
};

TEST_F(Bounds, AKernelThatWritesPastAnArrayIsTold) {
  expectFault(allocate(1000), 1024, "24 bytes past the end of 1000 bytes of device memory");
}

TEST_F(Bounds, CheckingFindsTheFirstByte) {
  set("CUFORT_CHECK", "bounds,race,sync");
  restart();
  for (size_t bytes : {4, 12, 40, 1000}) {
    CUdeviceptr address = allocate(bytes);
    EXPECT_EQ(*reinterpret_cast<unsigned char *>(address), 0xcb);
    expectFault(address, bytes, " 0 bytes past the end of " + std::to_string(bytes) + " bytes");
    restart();
  }
}

TEST_F(Bounds, CheckingNoticesWhatIsWrittenBefore) {
  set("CUFORT_CHECK", "bounds");
  restart();
  expectFault(allocate(1000), size_t(-4), "has written to memory 4 bytes before the start of 1000 bytes");
  restart();
  CUdeviceptr address = allocate(1000);
  size_t offset = 0;
  std::string output;
  EXPECT_EQ(launchAndCapture(output, writeByte, {}, {&address, &offset}), CUDA_SUCCESS);
}

TEST_F(Bounds, CheckingBelowFindsTheByteBefore) {
  set("CUFORT_CHECK", "below");
  restart();
  allocate(1000);
  expectFault(allocate(1000), size_t(-1), ", 1 bytes before the start of 1000 bytes");
  restart();
  expectFault(allocate(1000), 1000, "has written to memory 0 bytes past the end of 1000 bytes");
}

TEST_F(Bounds, FreedMemoryFaults) {
  CUdeviceptr address = allocate(100);
  size_t offset = 0;
  std::string output;
  ASSERT_EQ(driver.memFree(address), CUDA_SUCCESS);
  std::vector<char> host(100);
  EXPECT_EQ(driver.memcpy(reinterpret_cast<CUdeviceptr>(host.data()), address, 100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAndCapture(output, writeByte, {}, {&address, &offset}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(output.find("where there is no device memory, or no longer"), std::string::npos) << output;
}

void writePastShared(void **params) {
  const CufortEmuThread &self = *cufortEmuThread;
  reinterpret_cast<volatile char *>(self.dynamicShared)[param<size_t>(params, 0)] = 1;
}

TEST_F(Bounds, SharedMemoryEndsWhereTheLaunchSays) {
  size_t offset = 63;
  std::string output;
  KernelTraits traits;
  traits.staticShared = 160;
  Shape shape;
  shape.dynamicShared = 64;
  EXPECT_EQ(launch(writePastShared, shape, {&offset}, traits), CUDA_SUCCESS);
  offset = 64;
  EXPECT_EQ(launchAndCapture(output, writePastShared, shape, {&offset}, traits), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(output.find("past the end of the 224 bytes of shared memory"), std::string::npos) << output;
}

TEST_F(Bounds, CopiesOfAnyKindStayInside) {
  CUdeviceptr a = allocate(1000), b = allocate(500);
  std::vector<char> host(4000);
  auto h = reinterpret_cast<CUdeviceptr>(host.data());
  EXPECT_EQ(driver.memcpy(a, h, 1001), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memcpy(h, a + 1, 1000), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memcpyAsync(b, a, 501, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memcpy(a, h, 1000), CUDA_SUCCESS);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = h;
  copy.dstDevice = a;
  copy.srcPitch = copy.dstPitch = 100;
  copy.WidthInBytes = 50;
  copy.Height = 10;
  EXPECT_EQ(driver.memcpy2DUnaligned(&copy), CUDA_SUCCESS);
  copy.Height = 11;
  EXPECT_EQ(driver.memcpy2DUnaligned(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.Height = SIZE_MAX / 50;
  EXPECT_EQ(driver.memcpy2DUnaligned(&copy), CUDA_ERROR_INVALID_VALUE) << "no overflow";
  EXPECT_EQ(driver.memsetD2D32(a, 64, 0, 4, SIZE_MAX / 32), CUDA_ERROR_INVALID_VALUE) << "no overflow";
  EXPECT_EQ(driver.memsetD32(a, 0, SIZE_MAX / 4 + 10), CUDA_ERROR_INVALID_VALUE) << "no overflow";
}

} // namespace
} // namespace cufort::rt::emulated
