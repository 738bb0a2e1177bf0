#include "runtime/Launch/Launch.h"
#include "runtime/Launch/DeviceLimits.h"
#include "runtime/Launch/Trial.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Support/Environment.h"
#include "runtime/Trace/Statement.h"
#include "runtime/Trace/TraceLine.h"
#include <algorithm>
#include <mutex>
#include <optional>

namespace cufort::rt {

namespace {

std::string extents(const int64_t value[3]) {
  return "(" + std::to_string(value[0]) + "," + std::to_string(value[1]) + "," + std::to_string(value[2]) + ")";
}

Result badConfiguration(std::string why) { return Result(cudaErrorInvalidConfiguration, "launch", std::move(why)); }

bool allWithin(const int64_t value[3], const int64_t limit[3]) {
  bool within = true;
  for (int i = 0; i < 3; ++i)
    within &= value[i] >= 1 && value[i] <= limit[i];
  return within;
}

Result checkBlock(const LaunchConfig &config, const DeviceLimits &limits) {
  if (!allWithin(config.block, limits.block))
    return badConfiguration("the block is " + extents(config.block) + ", the device takes (1,1,1) to " +
                            extents(limits.block));
  int64_t threads = config.threadsPerBlock();
  if (threads > limits.threadsPerBlock)
    return badConfiguration("the block has " + std::to_string(threads) + " threads, the device takes " +
                            std::to_string(limits.threadsPerBlock));
  return {};
}

Result checkGrid(const LaunchConfig &config, const DeviceLimits &limits) {
  if (allWithin(config.grid, limits.grid))
    return {};
  return badConfiguration("the grid is " + extents(config.grid) + ", the device takes (1,1,1) to " +
                          extents(limits.grid));
}

/// The code of `kernel` that the launch runs; sets `params` to its parameters, which are in `parameters`. A graph may
/// run it when module arrays have other strides.
KernelFunction &chooseCode(const Current &current, LoadedKernel &kernel, const LaunchConfig &config,
                           LaunchParameters &parameters, void **&params) {
  std::optional<bool> captured;
  for (KernelVersion &version : kernel.versions) {
    if (!version.serves(parameters, config.grid, config.block))
      continue;
    if (version.looksAtStrides()) {
      if (!captured)
        captured = isCapturing(*current.table, toStream(config.stream));
      if (*captured)
        continue;
    }
    KernelFunction *code = codeOf(current, kernel, version);
    if (code && code->mayHave(config.threadsPerBlock())) {
      params = parameters.forVersion(version.record.calculation);
      return *code;
    }
  }
  return kernel.general;
}

/// Raises the limit of `code` for dynamic shared memory, which the driver keeps at 48 KB less its static shared memory
/// until it is told that more is wanted.
Result allowSharedMemory(const Current &current, KernelFunction &code, int64_t bytes, const DeviceLimits &limits) {
  if (bytes <= code.dynamicSharedLimit.load(std::memory_order_relaxed))
    return {};
  if (bytes > limits.sharedBytesPerBlock)
    return Result(cudaErrorInvalidValue, "launch",
                  std::to_string(bytes) + " bytes of dynamic shared memory are asked for, the device has " +
                      std::to_string(limits.sharedBytesPerBlock) + " for a block");
  // The driver keeps the last value, so that a smaller one must not follow a larger one of another thread.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes <= code.dynamicSharedLimit.load(std::memory_order_relaxed))
    return {};
  CUresult result = current.table->funcSetAttribute(code.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    static_cast<int>(bytes));
  if (result != CUDA_SUCCESS)
    return Result(toCudaError(result), "cuFuncSetAttribute",
                  std::to_string(bytes) + " bytes of dynamic shared memory are too many beside its static ones");
  code.dynamicSharedLimit.store(static_cast<int>(bytes), std::memory_order_relaxed);
  return {};
}

/// Replaces a grid extent of -1.
Result resolveGrid(const Current &current, const KernelFunction &code, LaunchConfig &config) {
  int64_t *asked = nullptr;
  int64_t others = 1;
  for (int64_t &extent : config.grid) {
    if (extent != -1)
      others *= std::max<int64_t>(extent, 1);
    else if (asked)
      return badConfiguration("only one extent of the grid may be -1");
    else
      asked = &extent;
  }
  if (!asked)
    return {};
  int64_t blocks = 0;
  int64_t threads = config.threadsPerBlock();
  if (Result result = residentBlocks(current, code, threads, config.sharedBytes, blocks); !result)
    return result;
  int64_t clusterBlocks = std::max<int64_t>(config.cluster[asked - config.grid], 1);
  *asked = std::max<int64_t>(blocks / others / clusterBlocks, 1) * clusterBlocks;
  return {};
}

CUresult submitExtended(const Current &current, CUfunction function, const LaunchConfig &config, void **params) {
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig launch = {};
  launch.gridDimX = static_cast<unsigned>(config.grid[0]);
  launch.gridDimY = static_cast<unsigned>(config.grid[1]);
  launch.gridDimZ = static_cast<unsigned>(config.grid[2]);
  launch.blockDimX = static_cast<unsigned>(config.block[0]);
  launch.blockDimY = static_cast<unsigned>(config.block[1]);
  launch.blockDimZ = static_cast<unsigned>(config.block[2]);
  launch.sharedMemBytes = static_cast<unsigned>(config.sharedBytes);
  launch.hStream = toStream(config.stream);
  launch.attrs = attributes;
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim.x = static_cast<unsigned>(config.cluster[0]);
  attributes[0].value.clusterDim.y = static_cast<unsigned>(config.cluster[1]);
  attributes[0].value.clusterDim.z = static_cast<unsigned>(config.cluster[2]);
  launch.numAttrs = 1;
  if (config.cooperative) {
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[1].value.cooperative = 1;
    launch.numAttrs = 2;
  }
  return current.table->launchKernelEx(&launch, function, params, nullptr);
}

CUresult submit(const Current &current, CUfunction function, const LaunchConfig &config, void **params) {
  if (config.cluster[0] > 0)
    return submitExtended(current, function, config, params);
  auto size = [](int64_t value) { return static_cast<unsigned>(value); };
  const int64_t *grid = config.grid, *block = config.block;
  if (config.cooperative)
    return current.table->launchCooperativeKernel(function, size(grid[0]), size(grid[1]), size(grid[2]), size(block[0]),
                                                  size(block[1]), size(block[2]), size(config.sharedBytes),
                                                  toStream(config.stream), params);
  return current.table->launchKernel(function, size(grid[0]), size(grid[1]), size(grid[2]), size(block[0]),
                                     size(block[1]), size(block[2]), size(config.sharedBytes), toStream(config.stream),
                                     params, nullptr);
}

/// Launches `code`, whose blocks may each do two of the grid.
CUresult submitCode(const Current &current, const KernelFunction &code, LaunchConfig config, void **params) {
  CUfunction function = code.function.load(std::memory_order_relaxed);
  if (code.blocksEach == 1)
    return submit(current, function, config, params);
  void *all[CufortMaxVersionParameters + 1];
  std::copy(params, params + code.parameters, all);
  int64_t &blocks = config.grid[code.pairedAxis];
  auto extent = static_cast<uint32_t>(blocks);
  all[code.parameters] = &extent;
  blocks = (blocks + 1) / 2;
  return submit(current, function, config, all);
}

/// Returns why the driver may have refused a launch with clusters, or "".
std::string whyClusterRefused(const Current &current, const LaunchConfig &config) {
  constexpr int64_t portableBlocks = 8; // that every device with clusters can run together
  int possible = 1;
  CUresult result = current.table->deviceGetAttribute(&possible, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, current.device);
  if (result == CUDA_SUCCESS && !possible)
    return "thread block clusters need compute capability 9.0, which this device does not have";
  int64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    blocks *= config.cluster[i];
    if (config.grid[i] % std::max<int64_t>(config.cluster[i], 1))
      return "the grid " + extents(config.grid) + " is no multiple of the cluster " + extents(config.cluster);
  }
  if (blocks > portableBlocks)
    return "a cluster of " + std::to_string(blocks) + " blocks, more than " + std::to_string(portableBlocks) +
           ", needs cudaFuncSetAttribute with cudaFuncAttributeNonPortableClusterSizeAllowed, and a device that can";
  return "";
}

/// Returns why the driver may have refused a launch whose extents the device itself takes, or "".
std::string whyRefused(const Current &current, const KernelFunction &code, const LaunchConfig &config) {
  if (!code.mayHave(config.threadsPerBlock()))
    return "the block has " + std::to_string(config.threadsPerBlock()) + " threads, this kernel takes " +
           std::to_string(code.maxThreads.load(std::memory_order_relaxed));
  return config.cluster[0] > 0 ? whyClusterRefused(current, config) : "";
}

Result submitAndNote(const Current &current, const LoadedKernel &kernel, Trial &trial, const LaunchConfig &config,
                     void **params, const char *file, int line) {
  StatementScope statement(file, line, kernel.entry);
  if (kernel.writeOutput)
    kernel.writeOutput(file, line);
  CUresult result = CUDA_SUCCESS;
  do {
    trial.begin();
    result = submitCode(current, trial.code(), config, params);
  } while (!trial.end(result));
  if (result != CUDA_SUCCESS)
    return Result(toCudaError(result), "cuLaunchKernel", whyRefused(current, trial.code(), config));
  noteLaunch(kernel.entry->fortranName, file, line, config.stream);
  const Environment &env = environment();
  if (!env.debug && !env.synchronousLaunch)
    return {};
  debugLog("launch of '%s' <<<%s,%s,%lld,%lld>>>: %s", kernel.entry->fortranName, extents(config.grid).c_str(),
           extents(config.block).c_str(), static_cast<long long>(config.sharedBytes),
           static_cast<long long>(config.stream), trial.code().symbol);
  if (!env.synchronousLaunch)
    return {};
  return Result(current.table->streamSynchronize(toStream(config.stream)), "cuStreamSynchronize");
}

} // namespace

KernelFunction &codeOfLaunch(const Current &current, LoadedKernel &kernel, const LaunchConfig &config, void **params) {
  LaunchParameters parameters(params);
  return chooseCode(current, kernel, config, parameters, params);
}

Result residentBlocks(const Current &current, const KernelFunction &code, int64_t threadsPerBlock, int64_t sharedBytes,
                      int64_t &blocks) {
  int perMultiprocessor = 0;
  const DeviceLimits *limits = nullptr;
  if (Result result = deviceLimits(current, limits); !result)
    return result;
  CUresult result = current.table->occupancyMaxActiveBlocks(
      &perMultiprocessor, code.function, static_cast<int>(threadsPerBlock), static_cast<size_t>(sharedBytes));
  blocks = perMultiprocessor * limits->multiprocessors;
  return Result(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

Result launchKernel(const void *stub, const LaunchConfig &requested, void **params, const char *file, int line) {
  LaunchConfig config = requested;
  Current current;
  LoadedKernel *kernel = nullptr;
  const DeviceLimits *limits = nullptr;
  if (!cachedContext(current))
    if (Result result = currentContext(current); !result)
      return result;
  kernel = findLoadedKernel(current.device, stub);
  if (!kernel)
    if (Result result = findKernel(current, stub, kernel); !result)
      return result;
  if (Result result = deviceLimits(current, limits); !result)
    return result;
  if (Result result = checkBlock(config, *limits); !result)
    return result;
  if (config.sharedBytes < 0)
    return badConfiguration("the size of dynamic shared memory is negative");
  config.cooperative |= (kernel->entry->flags & CufortEntryCooperative) != 0;
  if (!config.stream)
    config.stream = threadDefaultStream();
  if (kernel->followed)
    if (Result result = kernel->followed->update(current); !result)
      return result;
  LaunchParameters parameters(params);
  KernelFunction &code = chooseCode(current, *kernel, config, parameters, params);
  if (Result result = allowSharedMemory(current, code, config.sharedBytes, *limits); !result)
    return result;
  if (Result result = resolveGrid(current, code, config); !result)
    return result;
  if (Result result = checkGrid(config, *limits); !result)
    return result;
  Trial trial(current, *kernel, code, config);
  if (Result result = allowSharedMemory(current, trial.code(), config.sharedBytes, *limits); !result)
    return result;
  return submitAndNote(current, *kernel, trial, config, params, file, line);
}

} // namespace cufort::rt
