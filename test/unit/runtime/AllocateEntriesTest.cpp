// ALLOCATE and DEALLOCATE through the entries that compiled code calls, with Flang's own runtime underneath.
#include "runtime/Module/Module.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FortranArray.h"
#include "test/unit/runtime/TestImage.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace cufort::rt;
using fake::allocatable;
using fake::Call;
using fake::describe;
using testing::ExitedWithCode;

extern "C" {
int _FortranACUFAllocatableAllocate(FortranDescriptor &, int64_t *, bool *, bool, const FortranDescriptor *,
                                    const char *, int, bool);
int _FortranACUFAllocatableAllocateSync(FortranDescriptor &, int64_t *, bool *, bool, const FortranDescriptor *,
                                        const char *, int, bool);
int _FortranACUFAllocatableAllocateSource(FortranDescriptor &, const FortranDescriptor &, int64_t *, bool *, bool,
                                          const FortranDescriptor *, const char *, int, bool);
int _FortranACUFAllocatableDeallocate(FortranDescriptor &, bool, const FortranDescriptor *, const char *, int);
int _FortranACUFPointerAllocate(FortranDescriptor &, int64_t *, bool *, bool, const FortranDescriptor *, const char *,
                                int, bool);
int _FortranACUFPointerAllocateSource(FortranDescriptor &, const FortranDescriptor &, int64_t *, bool *, bool,
                                      const FortranDescriptor *, const char *, int, bool);
int _FortranAPointerDeallocate(FortranDescriptor &, bool, const FortranDescriptor *, const char *, int);
int _FortranAAllocatableDeallocate(FortranDescriptor &, bool, const FortranDescriptor *, const char *, int);
void *_FortranACUFMemAlloc(size_t, unsigned, const char *, int);
void _FortranACUFMemFree(void *, unsigned, const char *, int);
FortranDescriptor *_FortranACUFAllocDescriptor(size_t, const char *, int);
void _FortranACUFFreeDescriptor(FortranDescriptor *, const char *, int);
}

namespace {

class AllocateEntries : public ::testing::Test {
protected:
  void SetUp() override { fake::install(); }

  int allocate(FortranDescriptor &object, bool hasStat = true, bool *pinned = nullptr, int64_t *stream = nullptr,
               const FortranDescriptor *errMsg = nullptr) {
    return _FortranACUFAllocatableAllocate(object, stream, pinned, hasStat, errMsg, "x.cuf", 5, false);
  }
  int deallocate(FortranDescriptor &object, bool hasStat = true) {
    return _FortranACUFAllocatableDeallocate(object, hasStat, nullptr, "x.cuf", 6);
  }
  static CUdeviceptr address(const FortranDescriptor &object) { return reinterpret_cast<CUdeviceptr>(object.base); }
};

} // namespace

TEST_F(AllocateEntries, kindsOfMemory) {
  const struct {
    int allocator;
    Call call;
  } kinds[] = {{FlangPinned, Call::memHostAlloc}, {FlangDevice, Call::memAlloc}, {FlangManaged, Call::memAllocManaged}};
  for (auto &kind : kinds) {
    FortranDescriptor object = allocatable(kind.allocator, 4, {10, 20});
    EXPECT_EQ(allocate(object), 0);
    EXPECT_EQ(fake::device().callsOf(kind.call), 1);
    EXPECT_TRUE(fake::device().holds(address(object), 800));
    EXPECT_EQ(object.dim[1].byteStride, 40);
    EXPECT_EQ(deallocate(object), 0);
    EXPECT_EQ(object.base, nullptr);
    EXPECT_TRUE(fake::device().memory.empty());
  }
}

TEST_F(AllocateEntries, pointers) {
  FortranDescriptor object = fake::pointer(FlangDevice, 4, {10});
  EXPECT_EQ(_FortranACUFPointerAllocate(object, nullptr, nullptr, true, nullptr, "x.cuf", 5, false), 0);
  EXPECT_TRUE(fake::device().holds(address(object), 40));
  EXPECT_EQ(_FortranAPointerDeallocate(object, true, nullptr, "x.cuf", 6), 0);
  EXPECT_TRUE(fake::device().memory.empty());
}

TEST_F(AllocateEntries, noElements) {
  FortranDescriptor object = allocatable(FlangDevice, 4, {0});
  EXPECT_EQ(allocate(object), 0);
  EXPECT_NE(object.base, nullptr);
  EXPECT_EQ(deallocate(object), 0);
}

TEST_F(AllocateEntries, statusAndMessageOfTooLittleMemory) {
  fake::device().memoryLimit = 1000;
  char text[60];
  FortranDescriptor message = describe(text, sizeof text, {});
  FortranDescriptor object = allocatable(FlangDevice, 4, {1000});
  EXPECT_EQ(allocate(object, true, nullptr, nullptr, &message), cudaErrorMemoryAllocation);
  EXPECT_EQ(object.base, nullptr);
  EXPECT_EQ(std::string(text, sizeof text), "allocate: cudaErrorMemoryAllocation (2): out of memory: 4000");
}

TEST_F(AllocateEntries, messageIsPaddedWithBlanks) {
  char text[80];
  std::memset(text, 'x', sizeof text);
  FortranDescriptor message = describe(text, sizeof text, {});
  FortranDescriptor object = allocatable(FlangDevice, 4, {10});
  EXPECT_EQ(allocate(object, true, nullptr, nullptr, &message), 0);
  EXPECT_EQ(text[0], 'x'); // not touched by success
  EXPECT_NE(allocate(object, true, nullptr, nullptr, &message), 0);
  std::string expected = "allocate: the variable is already allocated";
  EXPECT_EQ(std::string(text, sizeof text), expected + std::string(sizeof text - expected.size(), ' '));
}

TEST_F(AllocateEntries, withoutStatTheProgramEnds) {
  fake::device().memoryLimit = 1000;
  FortranDescriptor object = allocatable(FlangDevice, 4, {1000});
  EXPECT_EXIT(allocate(object, false), ExitedWithCode(1),
              "^cufort: x.cuf:5: allocate: cudaErrorMemoryAllocation \\(2\\): out of memory: 4000 bytes");
  object = allocatable(FlangDevice, 4, {10});
  EXPECT_EXIT(deallocate(object, false), ExitedWithCode(1), "x.cuf:6: deallocate: the variable is not allocated");
  EXPECT_EQ(deallocate(object, true), 11);
  EXPECT_EXIT(cufortMemAlloc(2000, 0, "x.cuf", 9), ExitedWithCode(1), "x.cuf:9: allocating a variable: ");
}

// ITEMS: VA-054
TEST_F(AllocateEntries, pinnedFlagSaysWhetherPagesAreLocked) {
  bool pinned = false;
  FortranDescriptor object = allocatable(FlangPinned, 4, {10});
  EXPECT_EQ(allocate(object, true, &pinned), 0);
  EXPECT_TRUE(pinned);
  EXPECT_EQ(deallocate(object), 0);
  fake::device().fail(Call::memHostAlloc, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(allocate(object, true, &pinned), 0);
  EXPECT_FALSE(pinned);
  EXPECT_EQ(deallocate(object), 0);
}

TEST_F(AllocateEntries, streamIsRemembered) {
  int64_t stream = 7;
  FortranDescriptor object = allocatable(FlangDevice, 4, {10});
  EXPECT_EQ(allocate(object, true, nullptr, &stream), 0);
  EXPECT_EQ(defaultStreamFor(object.base), 7);
  EXPECT_EQ(deallocate(object), 0);
  ASSERT_EQ(fake::device().streamFrees.size(), 1u);
  FortranDescriptor target = fake::pointer(FlangDevice, 4, {10});
  EXPECT_EQ(_FortranACUFPointerAllocate(target, &stream, nullptr, true, nullptr, "x.cuf", 5, false), 0);
  EXPECT_EQ(defaultStreamFor(target.base), 7);
  EXPECT_EQ(_FortranAPointerDeallocate(target, true, nullptr, "x.cuf", 6), 0);
  // The stream is for that one allocation.
  EXPECT_EQ(allocate(object), 0);
  EXPECT_EQ(defaultStreamFor(object.base), 0);
  EXPECT_EQ(deallocate(object), 0);
}

TEST_F(AllocateEntries, sourceIsCopied) {
  float values[6] = {1, 2, 3, 4, 5, 6}, scalar = 9;
  FortranDescriptor host = describe(values, 4, {6}), one = describe(&scalar, 4, {});
  FortranDescriptor object = allocatable(FlangDevice, 4, {6}), copy = allocatable(FlangManaged, 4, {6});
  FortranDescriptor filled = fake::pointer(FlangDevice, 4, {6});
  EXPECT_EQ(_FortranACUFAllocatableAllocateSource(object, host, nullptr, nullptr, true, nullptr, "x.cuf", 5, false), 0);
  EXPECT_EQ(std::memcmp(object.base, values, sizeof values), 0);
  EXPECT_EQ(_FortranACUFAllocatableAllocateSource(copy, object, nullptr, nullptr, true, nullptr, "x.cuf", 5, true), 0);
  EXPECT_EQ(std::memcmp(copy.base, values, sizeof values), 0);
  EXPECT_EQ(_FortranACUFPointerAllocateSource(filled, one, nullptr, nullptr, true, nullptr, "x.cuf", 5, false), 0);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(static_cast<float *>(filled.base)[i], 9);
  fake::device().fail(Call::memcpy, CUDA_ERROR_ILLEGAL_ADDRESS);
  FortranDescriptor other = allocatable(FlangDevice, 4, {6});
  EXPECT_EQ(_FortranACUFAllocatableAllocateSource(other, host, nullptr, nullptr, true, nullptr, "x.cuf", 5, false),
            cudaErrorIllegalAddress);
  clearErrorState();
  for (FortranDescriptor *array : {&object, &copy, &other})
    EXPECT_EQ(deallocate(*array), 0);
  EXPECT_EQ(_FortranAPointerDeallocate(filled, true, nullptr, "x.cuf", 6), 0);
}

TEST_F(AllocateEntries, moduleVariablesHaveADeviceDescriptor) {
  static FortranDescriptor table;
  table = allocatable(FlangDevice, 4, {10});
  fake::TestImage image;
  image.variable("table", &table, table.sizeInBytes(), CufortEntryDescriptor);
  image.add();
  fake::device().sizes["table_"] = table.sizeInBytes();
  EXPECT_EQ(_FortranACUFAllocatableAllocateSync(table, nullptr, nullptr, true, nullptr, "x.cuf", 5, false), 0);
  auto *copy = reinterpret_cast<FortranDescriptor *>(fake::device().globals["table_"]);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->base, table.base);
  EXPECT_EQ(copy->dim[0].extent, 10);
  EXPECT_EQ(deallocate(table), 0);
  EXPECT_EQ(copy->base, nullptr);
  // Allocated by a procedure that knows it as a dummy argument only.
  EXPECT_EQ(allocate(table), 0);
  EXPECT_EQ(copy->base, table.base);
  fake::device().fail(Call::memcpyHtoD, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EXIT(deallocate(table), ExitedWithCode(1), "x.cuf:6: updating device variable 'table': cudaErrorIllegal");
  fake::device().fail(Call::memcpyHtoD, CUDA_SUCCESS);
  EXPECT_EQ(deallocate(table), 0);
}

TEST_F(AllocateEntries, failedReleaseIsReportedLater) {
  FortranDescriptor object = allocatable(FlangDevice, 4, {10});
  EXPECT_EQ(allocate(object), 0);
  FortranDescriptor other = object;
  fake::device().fail(Call::memFree, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(deallocate(object), cudaErrorIllegalAddress);
  EXPECT_EXIT(
      {
        clearErrorState();
        deallocate(other, false);
        std::exit(0);
      },
      ExitedWithCode(1), "x.cuf:6: deallocate: cudaErrorIllegalAddress");
  clearErrorState();
}

TEST_F(AllocateEntries, memoryOfLocalVariables) {
  const Call calls[] = {Call::memAlloc, Call::memAllocManaged, Call::memAllocManaged, Call::memHostAlloc};
  for (unsigned type = 0; type < 4; ++type) {
    int before = fake::device().callsOf(calls[type]);
    void *memory = _FortranACUFMemAlloc(100, type, "x.cuf", 9);
    EXPECT_EQ(fake::device().callsOf(calls[type]), before + 1);
    _FortranACUFMemFree(memory, type, "x.cuf", 9);
  }
  FortranDescriptor *descriptor = _FortranACUFAllocDescriptor(48, "x.cuf", 9);
  EXPECT_TRUE(fake::device().holds(reinterpret_cast<CUdeviceptr>(descriptor), 48));
  _FortranACUFFreeDescriptor(descriptor, "x.cuf", 9);
  EXPECT_TRUE(fake::device().memory.empty());
}

TEST_F(AllocateEntries, failuresBeforeAreReportedByAllocateWithoutStat) {
  FortranDescriptor object = allocatable(FlangDevice, 4, {10});
  recordPending(Result(cudaErrorInvalidConfiguration, "launch"), "kernel 'k' could not be launched", "x.cuf", 4);
  EXPECT_EXIT(allocate(object, false), ExitedWithCode(1), "x.cuf:4: kernel 'k' could not be launched");
  EXPECT_EQ(allocate(object, true), 0);
  // A procedure's end frees its variables; the program may ask afterwards.
  EXPECT_EQ(deallocate(object, false), 0);
  EXPECT_EQ(takeLastError(), cudaErrorInvalidConfiguration);
}
