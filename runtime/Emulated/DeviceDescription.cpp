#include "runtime/Emulated/DeviceDescription.h"
#include "runtime/Emulated/HostLimits.h"
#include "runtime/Emulated/Settings.h"
#include <algorithm>
#include <unistd.h>

namespace cufort::rt::emulated {

std::string deviceName() {
  unsigned threads = settings().threads;
  return "cufort emulated device (" + std::to_string(threads) + " x86-64 thread" + (threads == 1 ? ")" : "s)");
}

int multiprocessorCount() { return int(settings().threads); }

namespace {
struct Constant {
  CUdevice_attribute attribute;
  int value;
};
} // namespace

// Limits are those of compute capability 9.0. Work is done in order at the call, hence no copy engines, no concurrent
// kernels and no stream priorities; memory is the host's, hence integrated and reachable from both sides. The memory
// clock and bus width are nominal: two channels of DDR5-4800.
static constexpr Constant constants[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, int(maxThreadsPerBlock)},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, int(maxBlockExtent[0])},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, int(maxBlockExtent[1])},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, int(maxBlockExtent[2])},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, int(maxGridExtent[0])},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, int(maxGridExtent[1])},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, int(maxGridExtent[2])},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, sharedPerBlock},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2400000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 128},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, threadsPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, sharedPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, sharedPerBlockOptIn},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 1},
    {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, blocksPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, sharedReserved},
    {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
};

bool deviceAttribute(CUdevice_attribute attribute, int &value) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    value = multiprocessorCount();
    return true;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    value = clockRateKHz();
    return true;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    value = int(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 1L << 20));
    return true;
  default:
    break;
  }
  value = 0;
  for (const Constant &constant : constants)
    if (constant.attribute == attribute)
      value = constant.value;
  return attribute >= CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
         attribute <= CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED;
}

uint32_t largestCluster(const Kernel &kernel) {
  return kernel.largeClusters ? maxClusterBlocks : portableClusterBlocks;
}

const uint32_t *clusterOf(const Kernel &kernel) {
  static constexpr uint32_t oneBlock[3] = {1, 1, 1};
  return kernel.code->clusterDim[0] ? kernel.code->clusterDim : oneBlock;
}

int residentBlocks(const Kernel &kernel, uint32_t threadsPerBlock, size_t dynamicShared) {
  size_t shared = kernel.code->staticSharedBytes + dynamicShared;
  uint32_t limit = kernel.code->maxThreads ? kernel.code->maxThreads : maxThreadsPerBlock;
  if (threadsPerBlock == 0 || threadsPerBlock > limit || shared > size_t(sharedPerBlockOptIn))
    return 0;
  int byThreads = threadsPerMultiprocessor / int((threadsPerBlock + 31) / 32 * 32);
  int byShared = sharedPerMultiprocessor / int(shared + sharedReserved);
  return std::min({byThreads, byShared, blocksPerMultiprocessor});
}

} // namespace cufort::rt::emulated
