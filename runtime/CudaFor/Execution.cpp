// Attributes of kernels and how many of their blocks a device can run (guide 4.7, 4.8).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Module/Module.h"
#include "runtime/Stream/DefaultStream.h"
#include <algorithm>
#include <climits>

namespace cufort::rt {

namespace {

/// Runs `body`, which takes a Current and a LoadedKernel, with the kernel whose host stub is `stub`.
template <typename Body>
int withKernel(const void *stub, Body body) {
  return withContext([&](const Current &current) {
    LoadedKernel *kernel = nullptr;
    Result result = findKernel(current, stub, kernel);
    return result.ok() ? body(current, *kernel) : result;
  });
}

template <typename Body>
int withKernel(Kernel stub, Body body) {
  return withKernel(reinterpret_cast<const void *>(stub), body);
}

template <typename Body>
int withNamedKernel(Any name, Body body) {
  const void *stub = findHostAddress(static_cast<const char *>(name.base), name.elementBytes, CufortEntryKernel);
  return stub ? withKernel(stub, body) : finishCall(Result(cudaErrorInvalidDeviceFunction, "kernel name"));
}

/// Attributes that every driver knows.
Result fillOldAttributes(const DriverTable &table, CUfunction function, FunctionAttributes &attributes) {
  struct {
    CUfunction_attribute attribute;
    int64_t *wide;
    int32_t *narrow;
  } const slots[] = {
      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &attributes.sharedSizeBytes, nullptr},
      {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &attributes.constSizeBytes, nullptr},
      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &attributes.localSizeBytes, nullptr},
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, nullptr, &attributes.maxThreadsPerBlock},
      {CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr, &attributes.numRegs},
      {CU_FUNC_ATTRIBUTE_PTX_VERSION, nullptr, &attributes.ptxVersion},
      {CU_FUNC_ATTRIBUTE_BINARY_VERSION, nullptr, &attributes.binaryVersion},
  };
  for (const auto &slot : slots) {
    int value = 0;
    if (CUresult result = table.funcGetAttribute(&value, slot.attribute, function); result != CUDA_SUCCESS)
      return Result(result, "cuFuncGetAttribute");
    if (slot.wide)
      *slot.wide = value;
    else
      *slot.narrow = value;
  }
  return {};
}

/// Attributes of newer drivers; 0 where the driver has none.
void fillNewAttributes(const DriverTable &table, CUfunction function, FunctionAttributes &attributes) {
  struct {
    CUfunction_attribute attribute;
    int32_t *value;
  } const slots[] = {
      {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &attributes.cacheModeCA},
      {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &attributes.maxDynamicSharedSizeBytes},
      {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &attributes.preferredShmemCarveout},
      {CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, &attributes.clusterDimMustBeSet},
      {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &attributes.requiredClusterWidth},
      {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &attributes.requiredClusterHeight},
      {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &attributes.requiredClusterDepth},
      {CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, &attributes.clusterSchedulingPolicyPreference},
      {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &attributes.nonPortableClusterSizeAllowed},
  };
  for (const auto &slot : slots)
    if (table.funcGetAttribute(slot.value, slot.attribute, function) != CUDA_SUCCESS)
      *slot.value = 0;
}

/// Calls `set` for all code that launches of `kernel` may run until it fails.
template <typename Set>
CUresult setForAll(const Current &current, LoadedKernel &kernel, Set set) {
  for (KernelFunction *code : withAlternatives(current, kernel, allCode(current, kernel)))
    if (CUresult result = set(*code); result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

/// Sets `value` to the least that `ask` sets it to for the code of `kernel`: the launch may run any of it.
template <typename Ask>
CUresult leastOfAll(const Current &current, LoadedKernel &kernel, int &value, Ask ask) {
  value = INT_MAX;
  for (KernelFunction *code : allCode(current, kernel)) {
    int each = 0;
    if (CUresult result = ask(code->function, each); result != CUDA_SUCCESS)
      return result;
    value = std::min(value, each);
  }
  return CUDA_SUCCESS;
}

Result setCacheConfig(const Current &current, LoadedKernel &kernel, int config) {
  return Result(setForAll(current, kernel,
                          [&](KernelFunction &code) {
                            return current.table->funcSetCacheConfig(code.function, static_cast<CUfunc_cache>(config));
                          }),
                "cuFuncSetCacheConfig");
}

Result setBankSize(const Current &current, LoadedKernel &kernel, int config) {
  auto size = static_cast<CUsharedconfig>(config);
  return Result(
      setForAll(current, kernel,
                [&](KernelFunction &code) { return current.table->funcSetSharedMemConfig(code.function, size); }),
      "cuFuncSetSharedMemConfig");
}

/// The driver's launch configuration for `config`; `cluster` receives its attribute.
CUlaunchConfig launchConfig(const ClusterConfig &config, CUlaunchAttribute &cluster) {
  CUlaunchConfig launch = {};
  launch.gridDimX = config.gridDim.x;
  launch.gridDimY = config.gridDim.y;
  launch.gridDimZ = config.gridDim.z;
  launch.blockDimX = config.blockDim.x;
  launch.blockDimY = config.blockDim.y;
  launch.blockDimZ = config.blockDim.z;
  launch.sharedMemBytes = static_cast<unsigned>(config.dynamicSmemBytes);
  launch.hStream = toStream(config.stream);
  const Dim3 &extent = config.clusterDim;
  cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
                              static_cast<unsigned>(extent.z)};
  launch.attrs = &cluster;
  // A kernel with cluster_dims has its own extents, which a cluster of one block would contradict.
  launch.numAttrs = extent.x * extent.y * extent.z > 1;
  return launch;
}

} // namespace

extern "C" {

int cufort_cudaFuncGetAttributes(FunctionAttributes *attributes, Kernel stub) {
  return withKernel(stub, [=](const Current &current, LoadedKernel &kernel) {
    *attributes = {};
    CUfunction function = usualCode(current, kernel).function;
    Result result = fillOldAttributes(*current.table, function, *attributes);
    fillNewAttributes(*current.table, function, *attributes);
    return result;
  });
}

int cufort_cudaFuncSetAttribute(Kernel stub, int attribute, int value) {
  return withKernel(stub, [=](const Current &current, LoadedKernel &kernel) {
    auto which = static_cast<CUfunction_attribute>(attribute);
    CUresult result = setForAll(current, kernel, [&](KernelFunction &code) {
      CUresult result = current.table->funcSetAttribute(code.function, which, value);
      if (result == CUDA_SUCCESS && which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        code.dynamicSharedLimit.store(value);
      return result;
    });
    return Result(result, "cuFuncSetAttribute");
  });
}

int cufort_cudaFuncSetCacheConfig(Kernel stub, int config) {
  return withKernel(
      stub, [=](const Current &current, LoadedKernel &kernel) { return setCacheConfig(current, kernel, config); });
}

int cufort_cudaFuncSetSharedMemConfig(Kernel stub, int config) {
  return withKernel(stub,
                    [=](const Current &current, LoadedKernel &kernel) { return setBankSize(current, kernel, config); });
}

int cudaforSetNamedCacheConfig(Any name, int config) {
  return withNamedKernel(
      name, [=](const Current &current, LoadedKernel &kernel) { return setCacheConfig(current, kernel, config); });
}

int cudaforSetNamedSharedMemConfig(Any name, int config) {
  return withNamedKernel(
      name, [=](const Current &current, LoadedKernel &kernel) { return setBankSize(current, kernel, config); });
}

// Every device has had real(8) since compute capability 1.3, so there is nothing to convert.
int cufort_cudaSetDoubleForDevice(double *value) { return finishCall({}); }
int cufort_cudaSetDoubleForHost(double *value) { return finishCall({}); }

int cufort_cudaOccupancyMaxActiveBlocks(int *blocks, Kernel stub, int blockSize, Any sharedBytes) {
  return cufort_cudaOccupancyMaxActiveBlocksWithFlags(blocks, stub, blockSize, sharedBytes, CU_OCCUPANCY_DEFAULT);
}

int cufort_cudaOccupancyMaxActiveBlocksWithFlags(int *blocks, Kernel stub, int blockSize, Any sharedBytes, int flags) {
  return withKernel(stub, [&](const Current &current, LoadedKernel &kernel) {
    size_t bytes = 0;
    if (Result result = bytesOf(integerOf(sharedBytes), 1, bytes); !result)
      return result;
    CUresult result = leastOfAll(current, kernel, *blocks, [&](CUfunction function, int &least) {
      return current.table->occupancyMaxActiveBlocksWithFlags(&least, function, blockSize, bytes,
                                                              static_cast<unsigned>(flags));
    });
    return Result(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  });
}

int cufort_cudaOccupancyMaxPotentialClusterSize(int *clusterSize, Kernel stub, const ClusterConfig *config) {
  return withKernel(stub, [=](const Current &current, LoadedKernel &kernel) {
    CUlaunchAttribute cluster;
    CUlaunchConfig launch = launchConfig(*config, cluster);
    CUresult result = leastOfAll(current, kernel, *clusterSize, [&](CUfunction function, int &least) {
      return current.table->occupancyMaxPotentialClusterSize(&least, function, &launch);
    });
    return Result(result, "cuOccupancyMaxPotentialClusterSize");
  });
}

int cufort_cudaOccupancyMaxActiveClusters(int *clusters, Kernel stub, const ClusterConfig *config) {
  return withKernel(stub, [=](const Current &current, LoadedKernel &kernel) {
    CUlaunchAttribute cluster;
    CUlaunchConfig launch = launchConfig(*config, cluster);
    CUresult result = leastOfAll(current, kernel, *clusters, [&](CUfunction function, int &least) {
      return current.table->occupancyMaxActiveClusters(&least, function, &launch);
    });
    return Result(result, "cuOccupancyMaxActiveClusters");
  });
}

} // extern "C"

} // namespace cufort::rt
