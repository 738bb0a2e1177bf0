// Assignments through the entries that compiled code calls.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FortranArray.h"
#include "test/unit/runtime/TestImage.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace cufort::rt;
using fake::allocatable;
using fake::Call;
using fake::describe;
using testing::ExitedWithCode;

extern "C" {
void _FortranACUFMemsetDescriptor(FortranDescriptor *, void *, const char *, int);
void _FortranACUFDataTransferPtrPtr(void *, void *, size_t, unsigned, const char *, int);
void _FortranACUFDataTransferPtrDesc(void *, FortranDescriptor *, size_t, unsigned, const char *, int);
void _FortranACUFDataTransferDescDesc(FortranDescriptor *, FortranDescriptor *, unsigned, const char *, int);
void _FortranACUFDataTransferDescDescNoRealloc(FortranDescriptor *, FortranDescriptor *, unsigned, const char *, int);
void _FortranACUFDataTransferCstDesc(FortranDescriptor *, FortranDescriptor *, unsigned, const char *, int);
void _FortranACUFDataTransferGlobalDescDesc(FortranDescriptor *, FortranDescriptor *, unsigned, const char *, int);
int _FortranACUFAllocatableDeallocate(FortranDescriptor &, bool, const FortranDescriptor *, const char *, int);
void *_FortranACUFGetDeviceAddress(void *, const char *, int);
void _FortranACUFSyncGlobalDescriptor(void *, const char *, int);
void _FortranACUFDescriptorSync(FortranDescriptor *, const FortranDescriptor *, const char *, int);
void _FortranACUFDescriptorCheckSection(const FortranDescriptor *, const char *, int);
CUstream _FortranACUFGetAssociatedStream(void *);
void _FortranACUFLaunchKernel(const void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, int64_t *,
                              int32_t, void **, void **);
void _FortranACUFLaunchCooperativeKernel(const void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                                         int64_t *, int32_t, void **, void **);
void _FortranACUFLaunchClusterKernel(const void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                                     intptr_t, intptr_t, int64_t *, int32_t, void **, void **);
}

namespace {

constexpr unsigned hostToDevice = 0, deviceToHost = 1, deviceToDevice = 2;

class TransferEntries : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    for (int i = 0; i < 24; ++i)
      host[i] = static_cast<float>(i + 1);
    ASSERT_TRUE(allocateMemory(MemoryKind::Device, sizeof host, memory).ok());
    device = static_cast<float *>(memory);
    std::memset(device, 0, sizeof host);
  }

  float host[24];
  void *memory = nullptr;
  float *device = nullptr;
};

} // namespace

TEST_F(TransferEntries, memory) {
  _FortranACUFDataTransferPtrPtr(device, host, sizeof host, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(device[23], 24);
  device[3] = 77;
  _FortranACUFDataTransferPtrPtr(host, device, sizeof host, deviceToHost, "x.cuf", 1);
  EXPECT_EQ(host[3], 77);
}

TEST_F(TransferEntries, sectionToContiguousMemory) {
  FortranDescriptor section = describe(host, 4, {12});
  section.dim[0].byteStride = 8;
  _FortranACUFDataTransferPtrDesc(device, &section, 48, hostToDevice, "x.cuf", 1);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(device[i], host[2 * i]);
  FortranDescriptor scalar = describe(host + 4, 4, {});
  _FortranACUFDataTransferPtrDesc(device, &scalar, 40, hostToDevice, "x.cuf", 1);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(device[i], i < 10 ? 5 : host[2 * i]);
}

TEST_F(TransferEntries, arraysOfTheSameShape) {
  FortranDescriptor dst = describe(device, 4, {4, 6}), src = describe(host, 4, {4, 6});
  _FortranACUFDataTransferDescDescNoRealloc(&dst, &src, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(std::memcmp(device, host, sizeof host), 0);
  // Transposed: dst(i,j) = src(j,i)
  FortranDescriptor transposed = describe(host, 4, {4, 6});
  transposed.dim[0].byteStride = 24;
  transposed.dim[1].byteStride = 4;
  _FortranACUFDataTransferDescDesc(&dst, &transposed, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(device[1], host[6]);
  EXPECT_EQ(device[4], host[1]);
}

TEST_F(TransferEntries, scalarToArray) {
  float value = 2.5;
  FortranDescriptor dst = describe(device, 4, {24}), src = describe(&value, 4, {});
  _FortranACUFDataTransferCstDesc(&dst, &src, hostToDevice, "x.cuf", 1);
  for (float element : std::vector<float>(device, device + 24))
    EXPECT_EQ(element, 2.5);
  // From the device to a host array.
  FortranDescriptor hostArray = describe(host, 4, {24}), deviceScalar = describe(device, 4, {});
  _FortranACUFDataTransferDescDescNoRealloc(&hostArray, &deviceScalar, deviceToHost, "x.cuf", 1);
  EXPECT_EQ(host[23], 2.5);
  value = 3;
  _FortranACUFMemsetDescriptor(&dst, &value, "x.cuf", 1);
  EXPECT_EQ(device[23], 3);
  device[0] = 8;
  FortranDescriptor rest = describe(device + 1, 4, {23});
  _FortranACUFDataTransferCstDesc(&rest, &deviceScalar, deviceToDevice, "x.cuf", 1);
  EXPECT_EQ(device[23], 8);
}

TEST_F(TransferEntries, allocatableTargetTakesTheShape) {
  FortranDescriptor dst = allocatable(FlangDevice, 4, {0}), src = describe(host, 4, {24});
  _FortranACUFDataTransferDescDesc(&dst, &src, hostToDevice, "x.cuf", 1);
  ASSERT_NE(dst.base, nullptr);
  EXPECT_EQ(dst.dim[0].extent, 24);
  EXPECT_EQ(std::memcmp(dst.base, host, sizeof host), 0);
  void *first = dst.base;
  _FortranACUFDataTransferDescDesc(&dst, &src, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(dst.base, first); // nothing to change
  FortranDescriptor shorter = describe(host, 4, {5});
  shorter.dim[0].lowerBound = 3;
  _FortranACUFDataTransferDescDesc(&dst, &shorter, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(dst.dim[0].extent, 5);
  EXPECT_EQ(dst.dim[0].lowerBound, 3);
  EXPECT_EQ(_FortranACUFAllocatableDeallocate(dst, true, nullptr, "x.cuf", 1), 0);
  EXPECT_EQ(fake::device().memory.size(), 1u);
}

TEST_F(TransferEntries, allocatableTargetMayBeItsOwnSource) {
  // a = a(24:13:-1)
  FortranDescriptor dst = allocatable(FlangDevice, 4, {24}), src = describe(host, 4, {24});
  _FortranACUFDataTransferDescDesc(&dst, &src, hostToDevice, "x.cuf", 1);
  FortranDescriptor part = dst;
  part.attribute = 0;
  part.base = static_cast<float *>(dst.base) + 23;
  part.dim[0] = {1, 12, -4};
  _FortranACUFDataTransferDescDesc(&dst, &part, deviceToDevice, "x.cuf", 1);
  ASSERT_EQ(dst.dim[0].extent, 12);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(static_cast<float *>(dst.base)[i], static_cast<float>(24 - i));
  EXPECT_EQ(_FortranACUFAllocatableDeallocate(dst, true, nullptr, "x.cuf", 1), 0);
  EXPECT_EQ(fake::device().memory.size(), 1u);
}

TEST_F(TransferEntries, withoutReallocationALargerSourceIsCut) {
  FortranDescriptor dst = describe(device, 4, {10}), src = describe(host, 4, {24});
  _FortranACUFDataTransferDescDescNoRealloc(&dst, &src, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(device[9], 10);
  EXPECT_EQ(device[10], 0);
}

TEST_F(TransferEntries, whatCannotBeAssigned) {
  FortranDescriptor small = describe(device, 4, {10}), large = describe(host, 4, {4, 6});
  EXPECT_EXIT(_FortranACUFDataTransferDescDescNoRealloc(&large, &small, deviceToHost, "x.cuf", 8), ExitedWithCode(1),
              "x.cuf:8: data transfer: cudaErrorInvalidValue .*an array of shape \\(10\\) cannot be assigned to one "
              "of shape \\(4,6\\)");
  FortranDescriptor doubles = describe(host, 8, {10});
  EXPECT_EXIT(_FortranACUFDataTransferDescDescNoRealloc(&small, &doubles, hostToDevice, "x.cuf", 8), ExitedWithCode(1),
              "elements of 8 bytes cannot be assigned to elements of 4");
  FortranDescriptor nothing = allocatable(FlangDevice, 4, {10});
  EXPECT_EXIT(_FortranACUFDataTransferDescDescNoRealloc(&nothing, &small, deviceToDevice, "x.cuf", 8),
              ExitedWithCode(1), "the target is not allocated");
  EXPECT_EXIT(_FortranACUFDataTransferDescDescNoRealloc(&small, &nothing, deviceToDevice, "x.cuf", 8),
              ExitedWithCode(1), "the right-hand side is not allocated");
  fake::device().memoryLimit = 10;
  EXPECT_EXIT(_FortranACUFDataTransferDescDesc(&nothing, &large, hostToDevice, "x.cuf", 8), ExitedWithCode(1),
              "x.cuf:8: data transfer: cudaErrorMemoryAllocation|x.cuf:8: data transfer: cudaErrorInvalidValue");
}

TEST_F(TransferEntries, useTheStreamOfTheVariable) {
  FortranDescriptor dst = describe(device, 4, {24}), src = describe(host, 4, {24});
  setVariableDefaultStream(device, 5);
  _FortranACUFDataTransferDescDescNoRealloc(&dst, &src, hostToDevice, "x.cuf", 1);
  _FortranACUFDataTransferDescDescNoRealloc(&src, &dst, deviceToHost, "x.cuf", 1);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyAsync), 2);
  EXPECT_EQ(_FortranACUFGetAssociatedStream(device), toStream(5));
  setVariableDefaultStream(device, 0);
  _FortranACUFDataTransferDescDescNoRealloc(&dst, &src, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyAsync), 2);
  setThreadDefaultStream(6);
  _FortranACUFDataTransferPtrPtr(device, host, 4, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(fake::device().callsOf(Call::memcpyAsync), 3);
}

TEST_F(TransferEntries, copyFromTheDeviceProvesLaunchesGood) {
  noteLaunch("k", "x.cuf", 1, 0);
  _FortranACUFDataTransferPtrPtr(device, host, 4, hostToDevice, "x.cuf", 1);
  EXPECT_NE(launchesThatMayHaveFailed(), "");
  _FortranACUFDataTransferPtrPtr(host, device, 4, deviceToHost, "x.cuf", 1);
  EXPECT_EQ(launchesThatMayHaveFailed(), "");
}

TEST_F(TransferEntries, moduleVariables) {
  static FortranDescriptor table;
  static float constant[4];
  table = allocatable(FlangDevice, 4, {0});
  fake::TestImage image;
  image.variable("table", &table, table.sizeInBytes(), CufortEntryDescriptor);
  image.variable("constant", constant, sizeof constant, CufortEntryConstant);
  image.add();
  fake::device().sizes["table_"] = table.sizeInBytes();
  void *address = _FortranACUFGetDeviceAddress(constant, "x.cuf", 1);
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(address), fake::device().globals["constant_"]);
  FortranDescriptor src = describe(host, 4, {24});
  _FortranACUFDataTransferGlobalDescDesc(&table, &src, hostToDevice, "x.cuf", 1);
  auto *copy = reinterpret_cast<FortranDescriptor *>(fake::device().globals["table_"]);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->base, table.base);
  EXPECT_EQ(copy->dim[0].extent, 24);
  // p => null()
  void *kept = table.base;
  table.base = nullptr;
  _FortranACUFSyncGlobalDescriptor(&table, "x.cuf", 1);
  EXPECT_EQ(copy->base, nullptr);
  table.base = kept;
  _FortranACUFDescriptorSync(copy, &table, "x.cuf", 1);
  EXPECT_EQ(copy->base, kept);
  int other = 0;
  EXPECT_EXIT(_FortranACUFGetDeviceAddress(&other, "x.cuf", 3), ExitedWithCode(1),
              "x.cuf:3: a device variable: cudaErrorInvalidSymbol");
  EXPECT_EQ(_FortranACUFAllocatableDeallocate(table, true, nullptr, "x.cuf", 1), 0);
}

TEST_F(TransferEntries, sectionsMustBeContiguousForExplicitShapeDummies) {
  FortranDescriptor section = describe(device, 4, {12});
  _FortranACUFDescriptorCheckSection(&section, "x.cuf", 4);
  _FortranACUFDescriptorCheckSection(nullptr, "x.cuf", 4);
  section.dim[0].byteStride = 8;
  EXPECT_EXIT(_FortranACUFDescriptorCheckSection(&section, "x.cuf", 4), ExitedWithCode(1),
              "x.cuf:4: .*must be contiguous");
}

TEST_F(TransferEntries, graphsKeepTemporaryValues) {
  static std::vector<CUdeviceptr> sources;
  sources.clear();
  DriverTable captured = fake::table();
  captured.streamIsCapturing = [](CUstream, CUstreamCaptureStatus *status) {
    *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  };
  captured.memcpyAsync = [](CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream) {
    std::memcpy(reinterpret_cast<void *>(dst), reinterpret_cast<void *>(src), bytes);
    sources.push_back(src);
    return CUDA_SUCCESS;
  };
  installDriverForTest(&captured);
  setThreadDefaultStream(8);
  auto variable = reinterpret_cast<CUdeviceptr>(host);
  _FortranACUFDataTransferPtrPtr(device, host, sizeof host, hostToDevice, "x.cuf", 1);
  EXPECT_EQ(sources, std::vector{variable});
  std::memset(device, 0, sizeof host);
  cufortNoteTemporary();
  _FortranACUFDataTransferPtrPtr(device, host, sizeof host, hostToDevice, "x.cuf", 2);
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_NE(sources[1], variable);
  EXPECT_EQ(device[23], 24);
  // What was noted holds for one transfer; small values are filled in.
  _FortranACUFDataTransferPtrPtr(device, host, sizeof host, hostToDevice, "x.cuf", 3);
  EXPECT_EQ(sources[2], variable);
  cufortNoteTemporary();
  _FortranACUFDataTransferPtrPtr(device, host, 8, hostToDevice, "x.cuf", 4);
  EXPECT_EQ(sources.size(), 3u);
  EXPECT_EQ(fake::device().callsOf(Call::memsetD32Async), 2);
  // Backwards, with gaps in the source.
  FortranDescriptor to = describe(device, 4, {8}), from = describe(host, 4, {8});
  to.base = device + 7;
  to.dim[0].byteStride = -4;
  from.dim[0].byteStride = 12;
  cufortNoteTemporary();
  _FortranACUFDataTransferDescDescNoRealloc(&to, &from, hostToDevice, "x.cuf", 5);
  EXPECT_EQ(device[7], 1);
  EXPECT_EQ(device[0], 22);
  // A graph keeps its copies for good. This one ends here.
  for (CUdeviceptr source : sources)
    if (source != variable)
      std::free(reinterpret_cast<void *>(source));
  setThreadDefaultStream(0);
}

TEST_F(TransferEntries, launchesLoweredByFlang) {
  fake::TestImage image;
  void *stub = image.kernel("k");
  image.add();
  int64_t stream = 3;
  _FortranACUFLaunchKernel(stub, 1, 2, 3, 4, 5, 6, &stream, 16, nullptr, nullptr);
  _FortranACUFLaunchCooperativeKernel(stub, 1, 2, 3, 4, 5, 6, nullptr, 16, nullptr, nullptr);
  _FortranACUFLaunchClusterKernel(stub, 2, 1, 1, 4, 2, 3, 4, 5, 6, nullptr, 16, nullptr, nullptr);
  ASSERT_EQ(fake::device().launches.size(), 3u);
  EXPECT_EQ(fake::device().launches[0].stream, toStream(3));
  EXPECT_EQ(fake::device().launches[0].block[2], 6u);
  EXPECT_TRUE(fake::device().launches[1].cooperative);
  EXPECT_EQ(fake::device().launches[2].cluster[0], 2u);
  EXPECT_EQ(fake::device().launches[2].grid[0], 4u);
}
