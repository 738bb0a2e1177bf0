// Launching: the checks that a GPU's driver makes, then the launch itself.
#include "runtime/Emulated/DeviceDescription.h"
#include "runtime/Emulated/EmulatedContext.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"
#include "runtime/Emulated/WorkerPool.h"
#include <algorithm>

namespace cufort::rt::emulated {

// A stack limit says what the frames of GPU code need; the same code needs more here, and so do the functions of the
// runtime and of the C library that it calls.
static constexpr size_t stackOverhead = 32 << 10;

static uint64_t blocksOf(const LaunchShape &shape) { return uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2]; }

static CUresult checkCluster(const Kernel &kernel, const LaunchShape &shape) {
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    uint32_t extent = shape.cluster[i];
    bool contradicts = kernel.code->clusterDim[i] && kernel.code->clusterDim[i] != extent;
    if (extent == 0 || extent > maxClusterBlocks || shape.grid[i] % extent || contradicts)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    blocks *= extent;
  }
  return blocks > largestCluster(kernel) ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
}

static CUresult checkShape(const Kernel &kernel, const LaunchShape &shape) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.grid[i] > maxGridExtent[i] || shape.block[i] == 0 ||
        shape.block[i] > maxBlockExtent[i])
      return CUDA_ERROR_INVALID_VALUE;
    threads *= shape.block[i];
  }
  uint32_t limit = kernel.code->maxThreads ? std::min(kernel.code->maxThreads, maxThreadsPerBlock) : maxThreadsPerBlock;
  if (threads > limit)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult result = checkCluster(kernel, shape); result != CUDA_SUCCESS)
    return result;
  if (kernel.code->staticSharedBytes > uint32_t(sharedPerBlock) ||
      shape.dynamicShared > uint32_t(kernel.maxDynamicShared))
    return CUDA_ERROR_INVALID_VALUE;
  if (!shape.cooperative)
    return CUDA_SUCCESS;
  uint64_t resident = uint64_t(residentBlocks(kernel, uint32_t(threads), shape.dynamicShared)) * multiprocessorCount();
  return blocksOf(shape) > resident ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

/// True if all blocks have to run at the same time. A kernel whose threads wait in loops may wait for other blocks, as
/// programs do that know how many a GPU holds; with more threads than this it would take too much memory.
static bool needsAllBlocks(const Kernel &kernel, const LaunchShape &shape) {
  constexpr uint64_t manyThreads = 16384;
  uint64_t threads = blocksOf(shape) * shape.block[0] * shape.block[1] * shape.block[2];
  bool waits = kernel.code->flags & CufortEntryWaits;
  return shape.cooperative || (waits && threads <= manyThreads);
}

static void run(EmulatedContext &context, const Kernel &kernel, const LaunchShape &shape, void **params) {
  Launch launch(kernel, shape, params, std::max(settings().stackBytes, context.stackLimit + stackOverhead));
  DeviceAccess access;
  // What the host wrote beside managed memory is no mistake of the kernel.
  if (settings().checks.places())
    context.memory.restoreSurroundings();
  // What goes wrong in a kernel is, as on a GPU, the result of the calls after the launch.
  context.fail(WorkerPool::instance().run(launch));
}

/// Adds a launch in `stream` with copies of its arguments to a graph.
static CUresult record(Capture &capture, CUstream stream, const Kernel &kernel, const LaunchShape &shape,
                       void **params) {
  std::vector<std::vector<char>> arguments;
  for (uint32_t i = 0; i < kernel.code->paramCount; ++i) {
    auto *bytes = static_cast<const char *>(params[i]);
    arguments.emplace_back(bytes, bytes + kernel.code->paramSizes[i]);
  }
  return capture.add(stream, [&kernel, shape, arguments = std::move(arguments)] {
    CUFORT_EMULATED_ENTER(context);
    std::vector<void *> addresses; // no kernel writes there: each thread has its own copy
    for (const std::vector<char> &argument : arguments)
      addresses.push_back(const_cast<char *>(argument.data()));
    run(context, kernel, shape, addresses.data());
    return CUDA_SUCCESS;
  });
}

static CUresult launchShape(CUfunction function, LaunchShape shape, CUstream stream, void **params, void **extra) {
  if (Worker::active())
    return CUDA_ERROR_NOT_PERMITTED; // device code called the host's function
  CUFORT_EMULATED_ENTER(context);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  const Kernel &kernel = *reinterpret_cast<const Kernel *>(function);
  if (!shape.cluster[0])
    std::copy_n(clusterOf(kernel), 3, shape.cluster);
  if (extra || (!params && kernel.code->paramCount))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult result = checkShape(kernel, shape); result != CUDA_SUCCESS)
    return result;
  shape.together = needsAllBlocks(kernel, shape);
  if (Capture *capture = captureOf(stream))
    return record(*capture, stream, kernel, shape, params);
  run(context, kernel, shape, params);
  return CUDA_SUCCESS;
}

static CUresult launchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **params,
                             void **extra) {
  return launchShape(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, false, {}}, stream,
                     params, extra);
}

static CUresult launchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                        CUstream stream, void **params) {
  return launchShape(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, true, {}}, stream, params,
                     nullptr);
}

static CUresult launchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra) {
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  LaunchShape shape = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                       {config->blockDimX, config->blockDimY, config->blockDimZ},
                       config->sharedMemBytes,
                       false,
                       {}};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      shape.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      auto &cluster = attribute.value.clusterDim;
      if (!cluster.x || !cluster.y || !cluster.z)
        return CUDA_ERROR_INVALID_VALUE;
      const uint32_t extents[3] = {cluster.x, cluster.y, cluster.z};
      std::copy_n(extents, 3, shape.cluster);
    }
  }
  return launchShape(function, shape, config->hStream, params, extra);
}

void addLaunchFunctions(DriverTable &table) {
  table.launchKernel = launchKernel;
  table.launchCooperativeKernel = launchCooperativeKernel;
  table.launchKernelEx = launchKernelEx;
}

} // namespace cufort::rt::emulated
