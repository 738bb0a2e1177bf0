#include "test/unit/cudafor/CudaForTest.h"
#include <numeric>

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

class Volumes : public CudaForTest {
protected:
  Volumes() { std::iota(source.begin(), source.end(), 0); }

  /// A copy of 5 x 4 x 3 bytes from `source` to `target`, whose rows and slices have room for more.
  Copy3D box() {
    Copy3D copy = {};
    copy.srcMemory = {source.data(), 5, 5, 4};
    copy.dstMemory = {target.data(), 8, 8, 6};
    copy.extent = {5, 4, 3};
    return copy;
  }
  std::vector<char> source = std::vector<char>(60), target = std::vector<char>(8 * 6 * 3, -1);
};

TEST_F(Volumes, PitchedMemory) {
  PitchedPointer memory = {};
  Extent extent = {100, 20, 3};
  EXPECT_EQ(cufort_cudaMalloc3DPitched(&memory, &extent), cudaSuccess);
  EXPECT_GE(memory.pitch, 100);
  EXPECT_EQ(memory.xsize, 100);
  EXPECT_EQ(memory.ysize, 20);
  EXPECT_TRUE(device().holds(reinterpret_cast<CUdeviceptr>(memory.address), size_t(memory.pitch) * 60));
  EXPECT_EQ(cufort_cudaFreeAddress(&memory.address), cudaSuccess);
}

TEST_F(Volumes, AllocatableArrays) {
  FortranDescriptor array = allocatable(FlangDevice, 8, {0, 0, 0});
  Extent extent = {100, 20, 3};
  EXPECT_EQ(cufort_cudaMalloc3DArray(&array, &extent), cudaSuccess);
  EXPECT_GE(array.dim[0].extent, 100);
  EXPECT_EQ(array.dim[1].extent, 20);
  EXPECT_EQ(array.dim[2].extent, 3);
  EXPECT_EQ(array.dim[2].byteStride, array.dim[0].extent * 8 * 20);
  EXPECT_EQ(cufort_cudaFreeArray(&array), cudaSuccess);
}

TEST_F(Volumes, TooLargeOrNegative) {
  PitchedPointer memory = {};
  Extent extents[] = {{100, -1, 3}, {-5, 1, 1}, {100, 3, -1}, {100, INT64_MAX / 2, 16}};
  for (const Extent &extent : extents)
    EXPECT_EQ(cufort_cudaMalloc3DPitched(&memory, &extent), cudaErrorInvalidValue);
}

TEST_F(Volumes, Copies) {
  Copy3D copy = box();
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaSuccess);
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 8; ++x)
        EXPECT_EQ(target[z * 48 + y * 8 + x], x < 5 && y < 4 ? source[z * 20 + y * 5 + x] : -1);
  EXPECT_EQ(cufort_cudaMemcpy3DAsync(&copy, &wide(0x5000)), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memcpy3DAsync), 1);
}

TEST_F(Volumes, CopiesThatMakeNoSense) {
  Copy3D copy = box();
  copy.dstMemory.pitch = 4;
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaErrorInvalidPitchValue);
  copy = box();
  copy.srcMemory.ysize = 3;
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  copy = box();
  copy.srcMemory.address = nullptr;
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  copy = box();
  copy.kind = 7;
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaErrorInvalidMemcpyDirection);
  copy = box();
  copy.extent.depth = -1;
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  EXPECT_EQ(device().callsOf(Call::memcpy3D), 0);
  copy.extent.depth = 0;
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaSuccess) << "nothing to do";
  device().fail(Call::memcpy3D, CUDA_ERROR_INVALID_VALUE);
  copy = box();
  EXPECT_EQ(cufort_cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

TEST_F(Volumes, Fills) {
  PitchedPointer memory = {target.data(), 8, 8, 6};
  Extent part = {3, 2, 3}, whole = {8, 6, 3};
  EXPECT_EQ(cufort_cudaMemset3D(&memory, 0x105, &part), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memsetD2D8), 3);
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 8; ++x)
        EXPECT_EQ(target[z * 48 + y * 8 + x], x < 3 && y < 2 ? 5 : -1);
  EXPECT_EQ(cufort_cudaMemset3D(&memory, 1, &whole), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::memsetD2D8), 4) << "slices without gaps are filled together";
  EXPECT_EQ(target, std::vector<char>(8 * 6 * 3, 1));
}

} // namespace
