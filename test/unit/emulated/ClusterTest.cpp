// Thread block clusters: which blocks belong together, their barrier, and each other's shared memory.
#include "test/unit/emulated/EmulatedTest.h"
#include <atomic>

namespace cufort::rt::emulated {
namespace {

class Clusters : public EmulatedTest {};

unsigned rankInCluster() {
  const CufortEmuThread &t = *cufortEmuThread;
  unsigned rank = 0;
  for (int i = 2; i >= 0; --i)
    rank = rank * t.clusterDim[i] + t.blockIdx[i] % t.clusterDim[i];
  return rank;
}

/// The value of thread 0 of block `rank` of the cluster, and then the sum over all blocks.
void sumOverCluster(void **params) {
  auto *out = param<int64_t *>(params, 0);
  const CufortEmuThread &t = *cufortEmuThread;
  auto *mine = reinterpret_cast<int64_t *>(t.dynamicShared);
  mine[threadNumber()] = blockNumber() * 1000 + threadNumber();
  cufortEmuClusterBarrier("sum:1");
  int64_t sum = 0;
  unsigned blocks = t.clusterDim[0] * t.clusterDim[1] * t.clusterDim[2];
  for (unsigned rank = 0; rank < blocks; ++rank) {
    auto *theirs = reinterpret_cast<int64_t *>(cufortEmuClusterShared(mine, int(rank), "sum:2"));
    sum += theirs[threadNumber()];
    EXPECT_EQ(theirs == mine, rank == rankInCluster());
  }
  cufortEmuClusterBarrier("sum:3");
  mine[threadNumber()] = -1;
  out[blockNumber() * t.blockDim[0] + threadNumber()] = sum;
}

void checkSums(const std::vector<int64_t> &out, const Shape &shape) {
  const unsigned grid[3] = {shape.gridX, shape.gridY, shape.gridZ}, *cluster = shape.cluster;
  unsigned index[3];
  for (unsigned number = 0; number < grid[0] * grid[1] * grid[2]; ++number) {
    index[0] = number % grid[0], index[1] = number / grid[0] % grid[1], index[2] = number / grid[0] / grid[1];
    int64_t expected = 0;
    for (unsigned z = 0; z < cluster[2]; ++z)
      for (unsigned y = 0; y < cluster[1]; ++y)
        for (unsigned x = 0; x < cluster[0]; ++x) {
          unsigned bx = index[0] / cluster[0] * cluster[0] + x, by = index[1] / cluster[1] * cluster[1] + y;
          expected += 1000 * int64_t(bx + grid[0] * (by + grid[1] * (index[2] / cluster[2] * cluster[2] + z))) + 7;
        }
    EXPECT_EQ(out[number * shape.blockX + 7], expected) << "block " << number;
  }
}

TEST_F(Clusters, blocksOfAClusterShareTheirMemory) {
  for (const char *workers : {"1", "3"})
    for (bool cooperative : {false, true}) {
      set("CUFORT_EMULATED_THREADS", workers);
      Shape shape{6, 33, 4, 1};
      shape.cluster[0] = 2, shape.cluster[1] = 2, shape.cluster[2] = 1;
      shape.dynamicShared = 33 * 8;
      shape.cooperative = cooperative;
      std::vector<int64_t> out(6 * 4 * 33, -1);
      int64_t *data = out.data();
      ASSERT_EQ(launch(sumOverCluster, shape, {&data}), CUDA_SUCCESS);
      checkSums(out, shape);
    }
}

TEST_F(Clusters, manyClusters) {
  set("CUFORT_EMULATED_THREADS", "2");
  Shape shape{8000, 32};
  shape.cluster[0] = 8, shape.cluster[1] = shape.cluster[2] = 1;
  shape.dynamicShared = 32 * 8;
  std::vector<int64_t> out(8000 * 32, -1);
  int64_t *data = out.data();
  ASSERT_EQ(launch(sumOverCluster, shape, {&data}), CUDA_SUCCESS);
  checkSums(out, shape);
}

TEST_F(Clusters, extentsOfTheKernelNeedNoAttribute) {
  KernelTraits traits;
  traits.cluster[0] = 4, traits.cluster[1] = traits.cluster[2] = 1;
  Shape shape{8, 32};
  shape.dynamicShared = 32 * 8;
  std::vector<int64_t> out(8 * 32, -1);
  int64_t *data = out.data();
  ASSERT_EQ(launch(sumOverCluster, shape, {&data}, traits), CUDA_SUCCESS);
  shape.cluster[0] = 4, shape.cluster[1] = shape.cluster[2] = 1;
  checkSums(out, shape);
  shape.cluster[0] = 2;
  EXPECT_EQ(launch(sumOverCluster, shape, {&data}, traits), CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

void onlyFirstBlockStays(void **params) {
  auto *count = param<std::atomic<int> *>(params, 0);
  if (rankInCluster() != 0 || threadNumber() % 2)
    return;
  cufortEmuClusterBarrier("stay:1");
  ++*count;
}

TEST_F(Clusters, endedThreadsDoNotCountAtTheBarrier) {
  std::atomic<int> count{0}, *pointer = &count;
  Shape shape{6, 64};
  shape.cluster[0] = 3, shape.cluster[1] = shape.cluster[2] = 1;
  ASSERT_EQ(launch(onlyFirstBlockStays, shape, {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(count, 2 * 32);
}

TEST_F(Clusters, withoutClusterTheBarrierIsTheBlocks) {
  std::atomic<int> count{0}, *pointer = &count;
  ASSERT_EQ(launch(onlyFirstBlockStays, {6, 64}, {&pointer}), CUDA_SUCCESS);
  EXPECT_EQ(count, 6 * 32);
}

void differentBarriers(void **) { cufortEmuClusterBarrier(rankInCluster() ? "different:1" : "different:2"); }

TEST_F(Clusters, differentBarriersAreADeadlock) {
  std::string output;
  Shape shape{4, 32};
  shape.cluster[0] = 2, shape.cluster[1] = shape.cluster[2] = 1;
  EXPECT_EQ(launchAndCapture(output, differentBarriers, shape), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_NE(output.find("wait for ever: 32 cluster barrier at different:"), std::string::npos) << output;
}

void mapNowhere(void **params) {
  cufortEmuClusterShared(cufortEmuThread->dynamicShared, param<int>(params, 0), "nowhere:1");
}
void mapPrivate(void **params) { cufortEmuClusterShared(params, 0, "private:1"); }

TEST_F(Clusters, mappingWhatIsNotThereIsReported) {
  std::string output;
  Shape shape{4, 1};
  shape.dynamicShared = 16;
  shape.cluster[0] = 2, shape.cluster[1] = shape.cluster[2] = 1;
  int rank = 2;
  EXPECT_EQ(launchAndCapture(output, mapNowhere, shape, {&rank}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(output.find("cluster_map_shared_rank with rank 3 at nowhere:1: the cluster has no block with this rank"),
            std::string::npos)
      << output;
  restart();
  EXPECT_EQ(launchAndCapture(output, mapPrivate, shape), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(output.find("this is no shared variable of the block"), std::string::npos) << output;
}

void nothing(void **) {}

TEST_F(Clusters, impossibleExtents) {
  Shape shape{12, 32};
  shape.cluster[0] = 5, shape.cluster[1] = shape.cluster[2] = 1;
  EXPECT_EQ(launch(nothing, shape), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  shape.cluster[0] = 12;
  EXPECT_EQ(launch(nothing, shape), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  shape.cluster[0] = 4;
  EXPECT_EQ(launch(nothing, shape), CUDA_SUCCESS);
}

TEST_F(Clusters, largeClustersNeedAPermission) {
  TestImage image(nothing);
  CUmodule module;
  CUfunction function;
  ASSERT_EQ(driver.moduleLoadDataEx(&module, image.image(), 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver.moduleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  CUlaunchConfig config = {32, 1, 1, 64, 1, 1, 0, nullptr, nullptr, 0};
  int size = -1, active = -1;
  EXPECT_EQ(driver.occupancyMaxPotentialClusterSize(&size, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(size, 8);
  Shape shape{32, 64};
  shape.cluster[0] = 16, shape.cluster[1] = shape.cluster[2] = 1;
  EXPECT_EQ(launchLoaded(function, shape, {}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  ASSERT_EQ(driver.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), CUDA_SUCCESS);
  EXPECT_EQ(launchLoaded(function, shape, {}), CUDA_SUCCESS);
  EXPECT_EQ(driver.occupancyMaxPotentialClusterSize(&size, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(size, 16);
  EXPECT_EQ(driver.occupancyMaxActiveClusters(&active, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(active, 2 * 32); // two multiprocessors of 2048 threads
}

} // namespace
} // namespace cufort::rt::emulated
