// Device memory: allocation, what addresses are, copies, fills and arrays.
#include "test/unit/emulated/EmulatedTest.h"
#include <cstring>
#include <numeric>

namespace cufort::rt::emulated {
namespace {

class Memory : public EmulatedTest {
protected:
  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver.memAlloc(&address, bytes), CUDA_SUCCESS);
    return address;
  }
  template <typename T>
  T attribute(CUpointer_attribute attribute, CUdeviceptr address) {
    T value{};
    EXPECT_EQ(driver.pointerGetAttribute(&value, attribute, address), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Memory, AllocationsAreAligned) {
  for (size_t bytes : {1, 255, 4097, 300000, 5000000}) {
    CUdeviceptr address = allocate(bytes);
    EXPECT_EQ(address % 256, 0u);
    EXPECT_EQ(driver.memsetD8(address, 1, bytes), CUDA_SUCCESS);
    EXPECT_EQ(driver.memsetD8(address, 1, bytes + 1), CUDA_ERROR_INVALID_VALUE) << "one byte too many";
    EXPECT_EQ(driver.memFree(address), CUDA_SUCCESS);
    EXPECT_EQ(driver.memFree(address), CUDA_ERROR_INVALID_VALUE) << "freed twice";
  }
  CUdeviceptr address;
  EXPECT_EQ(driver.memAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memFree(0), CUDA_SUCCESS);
  EXPECT_EQ(driver.memFree(allocate(100) + 4), CUDA_ERROR_INVALID_VALUE) << "not the first byte";
  int local;
  EXPECT_EQ(driver.memFree(reinterpret_cast<CUdeviceptr>(&local)), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, IsLimited) {
  set("CUFORT_EMULATED_MEMORY", "3M");
  size_t free = 0, total = 0;
  CUdeviceptr address = allocate(2 << 20), other;
  EXPECT_EQ(driver.memGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(total, 3u << 20);
  EXPECT_EQ(free, 1u << 20);
  EXPECT_EQ(driver.memAlloc(&other, (1 << 20) + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver.memAllocManaged(&other, (1 << 20) + 1, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver.memAlloc(&other, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver.memAlloc(&other, 1 << 20), CUDA_SUCCESS);
  EXPECT_EQ(driver.memFree(address), CUDA_SUCCESS);
  EXPECT_EQ(driver.memGetInfo(&free, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(free, 2u << 20);
}

TEST_F(Memory, ResetFreesEverything) {
  size_t free = 0, total = 0;
  CUdeviceptr address = allocate(1 << 20);
  restart();
  EXPECT_EQ(driver.memGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(free, total);
  EXPECT_EQ(driver.memFree(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, AttributesOfAddresses) {
  CUdeviceptr device = allocate(1000), managed = 0;
  void *host = nullptr;
  std::vector<char> registered(5000);
  ASSERT_EQ(driver.memAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  ASSERT_EQ(driver.memHostAlloc(&host, 1000, memHostAllocPortable), CUDA_SUCCESS);
  ASSERT_EQ(driver.memHostRegister(registered.data(), 5000, 0), CUDA_SUCCESS);
  auto pinned = reinterpret_cast<CUdeviceptr>(host), mine = reinterpret_cast<CUdeviceptr>(registered.data());
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 999), CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, managed), CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pinned), CU_MEMORYTYPE_HOST);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mine + 100), CU_MEMORYTYPE_HOST);
  EXPECT_EQ(attribute<int>(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), 1);
  EXPECT_EQ(attribute<int>(CU_POINTER_ATTRIBUTE_IS_MANAGED, device), 0);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 20), device);
  EXPECT_EQ(attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, device + 20), 1000u);
  unsigned type;
  EXPECT_EQ(driver.pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 1000),
            CUDA_ERROR_INVALID_VALUE);
  int local = 0, ordinal = 0, isManaged = 7;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *data[] = {&ordinal, &isManaged};
  EXPECT_EQ(driver.pointerGetAttributes(2, which, data, reinterpret_cast<CUdeviceptr>(&local)), CUDA_SUCCESS);
  EXPECT_EQ(ordinal, -2);
  EXPECT_EQ(isManaged, 0);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  EXPECT_EQ(driver.memGetAddressRange(&base, &bytes, managed + 7), CUDA_SUCCESS);
  EXPECT_EQ(base, managed);
  EXPECT_EQ(bytes, 1000u);
}

TEST_F(Memory, HostMemory) {
  void *host = nullptr;
  CUdeviceptr address = 0;
  unsigned flags = 0;
  ASSERT_EQ(driver.memHostAlloc(&host, 100, memHostAllocWriteCombined), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(host) % 4096, 0u);
  EXPECT_EQ(driver.memHostGetDevicePointer(&address, host, 0), CUDA_SUCCESS);
  EXPECT_EQ(address, reinterpret_cast<CUdeviceptr>(host));
  EXPECT_EQ(driver.memHostGetFlags(&flags, host), CUDA_SUCCESS);
  EXPECT_EQ(flags, memHostAllocWriteCombined | memHostAllocDeviceMap);
  EXPECT_EQ(driver.memFree(address), CUDA_ERROR_INVALID_VALUE) << "it is no device memory";
  EXPECT_EQ(driver.memFreeHost(host), CUDA_SUCCESS);
  EXPECT_EQ(driver.memFreeHost(host), CUDA_ERROR_INVALID_VALUE);
  std::vector<char> memory(100);
  EXPECT_EQ(driver.memHostRegister(memory.data(), 100, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.memHostRegister(memory.data() + 50, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(driver.memHostUnregister(memory.data()), CUDA_SUCCESS);
  EXPECT_EQ(driver.memHostUnregister(memory.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(Memory, ManagedMemory) {
  CUdeviceptr managed = 0;
  ASSERT_EQ(driver.memAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(driver.memAllocManaged(&managed, 4096, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memPrefetchAsync(managed, 4096, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.memPrefetchAsync(managed, 4097, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, cpuDevice), CUDA_SUCCESS);
  EXPECT_EQ(driver.memAdvise(allocate(100), 100, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, ManagedMemoryOfAStream) {
  CUdeviceptr managed = 0;
  CUstream stream = nullptr;
  ASSERT_EQ(driver.memAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  ASSERT_EQ(driver.streamCreate(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_SINGLE), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamAttachMemAsync(stream, managed, 4096, CU_MEM_ATTACH_HOST), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamAttachMemAsync(stream, managed, 4000, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.streamAttachMemAsync(nullptr, managed, 0, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamAttachMemAsync(nullptr, managed, 0, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.streamAttachMemAsync(stream, managed, 0, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.streamAttachMemAsync(stream, allocate(100), 0, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  int ordinary = 0;
  auto address = reinterpret_cast<CUdeviceptr>(&ordinary);
  EXPECT_EQ(driver.streamAttachMemAsync(stream, address, 0, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, Copies) {
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 5);
  CUdeviceptr a = allocate(4000), b = allocate(4000);
  EXPECT_EQ(driver.memcpyHtoD(a, in.data(), 4000), CUDA_SUCCESS);
  EXPECT_EQ(driver.memcpyDtoD(b, a, 4000), CUDA_SUCCESS);
  EXPECT_EQ(driver.memcpyDtoHAsync(out.data(), b, 4000, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(out, in);
  EXPECT_EQ(driver.memcpy(a + 4, a, 400), CUDA_SUCCESS) << "ranges may overlap";
  EXPECT_EQ(driver.memcpyHtoD(a, in.data(), 4001), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memcpyDtoH(out.data(), a + 4, 4000), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.memcpyHtoD(reinterpret_cast<CUdeviceptr>(out.data()), in.data(), 40), CUDA_ERROR_INVALID_VALUE)
      << "host memory is no device memory";
  EXPECT_EQ(driver.memcpyHtoD(0, in.data(), 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.memcpy(0, a, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, TwoDimensionalCopies) {
  constexpr size_t width = 7, height = 5;
  CUdeviceptr device = 0;
  size_t pitch = 0;
  ASSERT_EQ(driver.memAllocPitch(&device, &pitch, width, height, 4), CUDA_SUCCESS);
  EXPECT_GE(pitch, width);
  EXPECT_EQ(pitch % 512, 0u);
  std::vector<char> in(width * height), out(20 * height, '.');
  std::iota(in.begin(), in.end(), 'A');
  CUDA_MEMCPY2D up{};
  up.srcMemoryType = CU_MEMORYTYPE_HOST;
  up.srcHost = in.data();
  up.srcPitch = width;
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstDevice = device;
  up.dstPitch = pitch;
  up.WidthInBytes = width;
  up.Height = height;
  ASSERT_EQ(driver.memcpy2DUnaligned(&up), CUDA_SUCCESS);
  CUDA_MEMCPY2D down{};
  down.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  down.srcDevice = device;
  down.srcPitch = pitch;
  down.srcXInBytes = 2;
  down.srcY = 1;
  down.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.dstHost = out.data();
  down.dstPitch = 20;
  down.dstXInBytes = 3;
  down.WidthInBytes = 4;
  down.Height = 3;
  ASSERT_EQ(driver.memcpy2DAsync(&down, nullptr), CUDA_SUCCESS);
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < 20; ++x)
      EXPECT_EQ(out[y * 20 + x], y < 3 && x >= 3 && x < 7 ? in[(y + 1) * width + x - 3 + 2] : '.');
  up.dstY = 1;
  EXPECT_EQ(driver.memcpy2DUnaligned(&up), CUDA_ERROR_INVALID_VALUE) << "beyond the last row";
  down.dstPitch = 3;
  EXPECT_EQ(driver.memcpy2DUnaligned(&down), CUDA_ERROR_INVALID_VALUE) << "pitch below width";
}

TEST_F(Memory, ArraysAndThreeDimensionalCopies) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{4, 3, 2, CU_AD_FORMAT_FLOAT, 2, 0}, found{};
  CUarray array;
  ASSERT_EQ(driver.array3DCreate(&array, &descriptor), CUDA_SUCCESS);
  ASSERT_EQ(driver.array3DGetDescriptor(&found, array), CUDA_SUCCESS);
  EXPECT_EQ(found.Height, 3u);
  EXPECT_EQ(found.NumChannels, 2u);
  constexpr size_t rowBytes = 4 * 8;
  std::vector<char> in(rowBytes * 6), out(rowBytes * 6);
  std::iota(in.begin(), in.end(), 0);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.srcPitch = rowBytes;
  copy.srcHeight = 3;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = rowBytes;
  copy.Height = 3;
  copy.Depth = 2;
  ASSERT_EQ(driver.memcpy3D(&copy), CUDA_SUCCESS);
  CUDA_MEMCPY3D back{};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = array;
  back.srcZ = 1;
  back.srcXInBytes = 8;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = out.data();
  back.WidthInBytes = 16;
  back.Height = 3;
  back.Depth = 1;
  ASSERT_EQ(driver.memcpy3DAsync(&back, nullptr), CUDA_SUCCESS);
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 16; ++x)
      EXPECT_EQ(out[y * 16 + x], in[(3 + y) * rowBytes + 8 + x]);
  back.srcY = 1;
  EXPECT_EQ(driver.memcpy3D(&back), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.arrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(driver.arrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  CUDA_ARRAY_DESCRIPTOR wrong{4, 3, CU_AD_FORMAT_FLOAT, 3};
  EXPECT_EQ(driver.arrayCreate(&array, &wrong), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, Fills) {
  CUdeviceptr device = allocate(64);
  auto *words = reinterpret_cast<uint32_t *>(device);
  auto *bytes = reinterpret_cast<unsigned char *>(device);
  EXPECT_EQ(driver.memsetD32(device, 0x01020304, 16), CUDA_SUCCESS);
  EXPECT_EQ(words[15], 0x01020304u);
  EXPECT_EQ(driver.memsetD16Async(device + 2, 0xabcd, 3, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(words[0], 0xabcd0304u);
  EXPECT_EQ(words[1], 0xabcdabcdu);
  EXPECT_EQ(driver.memsetD2D8(device, 16, 9, 3, 4), CUDA_SUCCESS);
  EXPECT_EQ(bytes[50], 9);
  EXPECT_EQ(bytes[51], 1);
  EXPECT_EQ(driver.memsetD32(device + 1, 0, 1), CUDA_ERROR_INVALID_VALUE) << "not aligned";
  EXPECT_EQ(driver.memsetD2D32(device, 16, 0, 4, 5), CUDA_ERROR_INVALID_VALUE);
}

void increment(void **params) { ++param<char *>(params, 0)[threadNumber()]; }

TEST_F(Memory, IsHiddenFromTheHost) {
  set("CUFORT_CHECK", "host");
  restart();
  CUdeviceptr device = allocate(5000), managed = 0;
  ASSERT_EQ(driver.memAllocManaged(&managed, 5000, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  auto *bytes = reinterpret_cast<char *>(device);
  ASSERT_EQ(driver.memsetD8(device, 3, 5000), CUDA_SUCCESS);
  EXPECT_EQ(launch(increment, {.blockX = 1000}, {&bytes}, {.paramSizes = {8}}), CUDA_SUCCESS);
  ASSERT_EQ(driver.memcpyDtoD(managed, device, 5000), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<char *>(managed)[999], 4);
  EXPECT_EQ(reinterpret_cast<char *>(managed)[1000], 3);
  EXPECT_DEATH(*static_cast<volatile char *>(bytes + 4999) = 1, "host code has accessed device memory at address 0x");
  EXPECT_EQ(driver.memFree(device), CUDA_SUCCESS);
}

} // namespace
} // namespace cufort::rt::emulated
