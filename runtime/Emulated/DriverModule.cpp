// Modules: a CufortImage's kernels and variables by name, and what is asked about kernels.
#include "runtime/Emulated/DeviceDescription.h"
#include "runtime/Emulated/EmulatedContext.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <sys/mman.h>

namespace cufort::rt::emulated {

namespace {

/// The values that the variables of loaded images had when they were loaded first: after a reset, a new load starts
/// with them again.
class InitialValues {
public:
  /// The first time, notes the variable's bytes; later, puts them back.
  void restore(const CufortEmuVariable &variable) {
    auto *bytes = static_cast<char *>(variable.address);
    auto [entry, isNew] = saved.try_emplace(bytes);
    if (isNew) {
      if (std::any_of(bytes, bytes + variable.size, [](char byte) { return byte != 0; }))
        entry->second.assign(bytes, bytes + variable.size);
    } else if (entry->second.empty()) {
      memset(bytes, 0, variable.size);
    } else {
      memcpy(bytes, entry->second.data(), entry->second.size());
    }
  }
  /// Puts the bytes back for good: the memory may belong to another library afterwards.
  void forget(const CufortEmuVariable &variable) {
    restore(variable);
    saved.erase(static_cast<char *>(variable.address));
  }

  std::mutex lock; ///< to be held by the caller

private:
  std::map<char *, std::vector<char>> saved; ///< an empty one stands for zeros
};

InitialValues &initialValues() {
  static auto *values = new InitialValues();
  return *values;
}

} // namespace

/// Returns what the user called the kernel, for messages.
static std::string kernelName(const CufortImage &image, const CufortEmuKernel &kernel) {
  for (const CufortEntry *entry = image.entriesBegin; entry != image.entriesEnd; ++entry)
    if (entry->kind == CufortEntryKernel && entry->deviceName && strcmp(entry->deviceName, kernel.deviceName) == 0 &&
        entry->fortranName)
      return entry->fortranName;
  return kernel.deviceName;
}

static bool isManaged(const CufortImage &image, const CufortEmuVariable &variable) {
  return std::any_of(image.entriesBegin, image.entriesEnd, [&](const CufortEntry &entry) {
    return entry.kind == CufortEntryVariable && entry.flags & CufortEntryManaged && entry.deviceName &&
           strcmp(entry.deviceName, variable.deviceName) == 0;
  });
}

static std::unique_ptr<Kernel> makeKernel(const CufortImage &image, const CufortEmuKernel &code) {
  auto kernel = std::make_unique<Kernel>();
  kernel->code = &code;
  kernel->name = kernelName(image, code);
  kernel->lines = SourceLines(image);
  kernel->objectCode = codeAround(code.thread ? reinterpret_cast<const void *>(code.thread)
                                              : reinterpret_cast<const void *>(code.blocks));
  kernel->maxDynamicShared = std::max(sharedPerBlock - int(code.staticSharedBytes), 0);
  return kernel;
}

/// Makes what lies behind a variable fault. Returns the bytes from its end on that do.
static size_t protectGuard(const CufortEmuVariable &variable) {
  constexpr uintptr_t pageBytes = 4096;
  uintptr_t end = reinterpret_cast<uintptr_t>(variable.address) + variable.size;
  uintptr_t pageEnd = (end + pageBytes - 1) / pageBytes * pageBytes;
  if (variable.guardBytes == 0 || mprotect(reinterpret_cast<void *>(pageEnd), variable.guardBytes, PROT_NONE) != 0)
    return 0;
  return pageEnd - end + variable.guardBytes;
}

static CUresult moduleLoadDataEx(CUmodule *module, const void *data, unsigned, CUjit_option *, void **) {
  CUFORT_EMULATED_ENTER(context);
  if (!module || !data)
    return CUDA_ERROR_INVALID_VALUE;
  const auto &image = *static_cast<const CufortImage *>(data);
  if (image.abiVersion != CUFORT_ABI_VERSION)
    return CUDA_ERROR_INVALID_IMAGE;
  DeviceAccess access;
  std::lock_guard<std::mutex> guard(initialValues().lock);
  auto loaded = std::make_unique<Module>();
  loaded->image = &image;
  for (const CufortEmuKernel *kernel = image.emuKernelsBegin; kernel != image.emuKernelsEnd; ++kernel)
    loaded->kernels.push_back(makeKernel(image, *kernel));
  for (const CufortEmuVariable *variable = image.emuVariablesBegin; variable != image.emuVariablesEnd; ++variable) {
    if (variable->size == 0)
      continue;
    initialValues().restore(*variable);
    unsigned flags = isManaged(image, *variable) ? static_cast<unsigned>(CU_MEM_ATTACH_GLOBAL) : 0;
    context.memory.enter(variable->address, variable->size, MemoryKind::Variable, flags, protectGuard(*variable));
  }
  *module = context.modules.add(std::move(loaded));
  return CUDA_SUCCESS;
}

static CUresult moduleUnload(CUmodule module) {
  CUFORT_EMULATED_ENTER(context);
  std::unique_ptr<Module> unloaded = context.modules.remove(module);
  if (!unloaded)
    return CUDA_ERROR_INVALID_HANDLE;
  const CufortImage &image = *unloaded->image;
  DeviceAccess access;
  std::lock_guard<std::mutex> guard(initialValues().lock);
  for (const CufortEmuVariable *variable = image.emuVariablesBegin; variable != image.emuVariablesEnd; ++variable)
    if (context.memory.remove(variable->address, MemoryKind::Variable))
      initialValues().forget(*variable);
  return CUDA_SUCCESS;
}

static CUresult moduleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  CUFORT_EMULATED_ENTER(context);
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  const Module *found = context.modules.find(module);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  for (const std::unique_ptr<Kernel> &kernel : found->kernels)
    if (strcmp(kernel->code->deviceName, name) == 0) {
      *function = reinterpret_cast<CUfunction>(kernel.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

static CUresult moduleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  CUFORT_EMULATED_ENTER(context);
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  const Module *found = context.modules.find(module);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  const CufortImage &image = *found->image;
  for (const CufortEmuVariable *variable = image.emuVariablesBegin; variable != image.emuVariablesEnd; ++variable)
    if (strcmp(variable->deviceName, name) == 0) {
      if (address)
        *address = reinterpret_cast<CUdeviceptr>(variable->address);
      if (bytes)
        *bytes = variable->size;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

static CUresult funcGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  CUFORT_EMULATED_ENTER(context);
  if (!value || !function)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel &kernel = *reinterpret_cast<const Kernel *>(function);
  *value = 0;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = int(kernel.code->maxThreads ? kernel.code->maxThreads : maxThreadsPerBlock);
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = int(kernel.code->staticSharedBytes);
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: // nominal: allows the full occupancy that the device has
    *value = 32;
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = 90;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = kernel.maxDynamicShared;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = kernel.sharedCarveout;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: // cluster_dims says it
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *value = int(kernel.code->clusterDim[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH]);
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = kernel.largeClusters;
    break;
  default:
    return attribute >= 0 && attribute <= CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static CUresult funcSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  CUFORT_EMULATED_ENTER(context);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  Kernel &kernel = *reinterpret_cast<Kernel *>(function);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (value < 0 || value > sharedPerBlockOptIn - int(kernel.code->staticSharedBytes))
      return CUDA_ERROR_INVALID_VALUE;
    kernel.maxDynamicShared = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (value < -1 || value > 100)
      return CUDA_ERROR_INVALID_VALUE;
    kernel.sharedCarveout = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    kernel.largeClusters = value != 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult occupancyWithFlags(int *blocks, CUfunction function, int blockSize, size_t dynamicShared, unsigned) {
  CUFORT_EMULATED_ENTER(context);
  if (!blocks || !function || blockSize <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = residentBlocks(*reinterpret_cast<const Kernel *>(function), unsigned(blockSize), dynamicShared);
  return CUDA_SUCCESS;
}

static CUresult occupancy(int *blocks, CUfunction function, int blockSize, size_t dynamicShared) {
  return occupancyWithFlags(blocks, function, blockSize, dynamicShared, CU_OCCUPANCY_DEFAULT);
}

/// Blocks of the configuration that are resident on the whole device; 0 if not even one fits.
static uint64_t residentOnDevice(const Kernel &kernel, const CUlaunchConfig &config) {
  unsigned threads = config.blockDimX * config.blockDimY * config.blockDimZ;
  return uint64_t(residentBlocks(kernel, threads, config.sharedMemBytes)) * uint64_t(multiprocessorCount());
}

// A worker runs all blocks of a cluster, so that the number of multiprocessors does not limit it.
static CUresult maxPotentialClusterSize(int *clusterSize, CUfunction function, const CUlaunchConfig *config) {
  CUFORT_EMULATED_ENTER(context);
  if (!clusterSize || !function || !config)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel &kernel = *reinterpret_cast<const Kernel *>(function);
  *clusterSize = residentOnDevice(kernel, *config) ? int(largestCluster(kernel)) : 0;
  return CUDA_SUCCESS;
}

static CUresult maxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  CUFORT_EMULATED_ENTER(context);
  if (!clusters || !function || !config)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel &kernel = *reinterpret_cast<const Kernel *>(function);
  const uint32_t *extents = clusterOf(kernel);
  uint64_t blocks = uint64_t(extents[0]) * extents[1] * extents[2];
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (const CUlaunchAttribute &attribute = config->attrs[i]; attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      auto &extent = attribute.value.clusterDim;
      blocks = uint64_t(extent.x) * extent.y * extent.z;
    }
  if (blocks == 0 || blocks > largestCluster(kernel))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *clusters = int(residentOnDevice(kernel, *config) / blocks);
  return CUDA_SUCCESS;
}

void addModuleFunctions(DriverTable &table) {
  table.moduleLoadDataEx = moduleLoadDataEx;
  table.moduleUnload = moduleUnload;
  table.moduleGetFunction = moduleGetFunction;
  table.moduleGetGlobal = moduleGetGlobal;
  table.funcGetAttribute = funcGetAttribute;
  table.funcSetAttribute = funcSetAttribute;
  table.funcSetCacheConfig = [](CUfunction, CUfunc_cache) { return EmulatedContext::instance().check(); };
  table.funcSetSharedMemConfig = [](CUfunction, CUsharedconfig) { return EmulatedContext::instance().check(); };
  table.occupancyMaxActiveBlocks = occupancy;
  table.occupancyMaxActiveBlocksWithFlags = occupancyWithFlags;
  table.occupancyMaxPotentialClusterSize = maxPotentialClusterSize;
  table.occupancyMaxActiveClusters = maxActiveClusters;
}

} // namespace cufort::rt::emulated
