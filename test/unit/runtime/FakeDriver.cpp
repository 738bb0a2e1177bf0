#include "test/unit/runtime/FakeDriver.h"
#include "runtime/Context/Context.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include <cstdlib>
#include <cstring>

namespace cufort::rt::fake {

namespace {

/// Never destroyed at exit: other threads may be using it then.
Device *theDevice = nullptr;
thread_local CUcontext currentContext = nullptr;
thread_local Device *contextOwner = nullptr;

/// Counts a call; returns what it was told to return.
CUresult enter(Call call) {
  size_t i = size_t(call);
  theDevice->calls[i].fetch_add(1, std::memory_order_relaxed);
  int result = theDevice->results[i].load(std::memory_order_relaxed);
  if (result == CUDA_SUCCESS)
    return CUDA_SUCCESS;
  if (theDevice->grace[i].fetch_sub(1) > 0)
    return CUDA_SUCCESS;
  return static_cast<CUresult>(result);
}

#define ENTER(call)                                                                                                    \
  if (CUresult forced = enter(Call::call); forced != CUDA_SUCCESS)                                                     \
  return forced

/// A function that does nothing but count and fail on demand.
template <Call call, typename... Args>
void setDefault(CUresult (*&function)(Args...)) {
  function = [](Args...) { return enter(call); };
}

CUcontext contextOf(int device) { return reinterpret_cast<CUcontext>(uintptr_t(0x1000 + device)); }

CUresult allocate(CUdeviceptr *address, size_t bytes, bool managed, bool pinned) {
  if (bytes > theDevice->memoryLimit)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = std::malloc(bytes);
  // As on a device: whatever was there before.
  std::memset(memory, 0xA5, bytes);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  std::lock_guard<std::mutex> lock(theDevice->mutex);
  theDevice->memory[*address] = {bytes, managed, pinned, managed || pinned ? nullptr : currentContext};
  return CUDA_SUCCESS;
}

CUresult release(CUdeviceptr address) {
  std::lock_guard<std::mutex> lock(theDevice->mutex);
  auto found = theDevice->memory.find(address);
  if (found == theDevice->memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  std::memset(reinterpret_cast<void *>(address), 0xDD, found->second.bytes);
  theDevice->memory.erase(found);
  std::free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}

char *bytesAt(CUdeviceptr address) { return reinterpret_cast<char *>(address); }

CUresult copySlices(const CUDA_MEMCPY3D &copy) {
  size_t srcSlice = copy.srcPitch * copy.srcHeight, dstSlice = copy.dstPitch * copy.dstHeight;
  bool bad = copy.srcPitch < copy.WidthInBytes || copy.dstPitch < copy.WidthInBytes || copy.srcHeight < copy.Height ||
             copy.dstHeight < copy.Height || copy.srcMemoryType != CU_MEMORYTYPE_UNIFIED ||
             copy.dstMemoryType != CU_MEMORYTYPE_UNIFIED;
  if (bad)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t z = 0; z < copy.Depth; ++z)
    for (size_t y = 0; y < copy.Height; ++y)
      std::memcpy(bytesAt(copy.dstDevice) + z * dstSlice + y * copy.dstPitch,
                  bytesAt(copy.srcDevice) + z * srcSlice + y * copy.srcPitch, copy.WidthInBytes);
  return CUDA_SUCCESS;
}

CUresult copyRows(const CUDA_MEMCPY2D &copy) {
  CUDA_MEMCPY3D slice = {};
  slice.srcMemoryType = copy.srcMemoryType;
  slice.dstMemoryType = copy.dstMemoryType;
  slice.srcDevice = copy.srcDevice;
  slice.dstDevice = copy.dstDevice;
  slice.srcPitch = copy.srcPitch;
  slice.dstPitch = copy.dstPitch;
  slice.srcHeight = slice.dstHeight = slice.Height = copy.Height;
  slice.WidthInBytes = copy.WidthInBytes;
  slice.Depth = 1;
  return copySlices(slice);
}

/// True if `address` lies in memory of a device other than the current one.
bool isElsewhere(CUdeviceptr address) {
  std::lock_guard<std::mutex> lock(theDevice->mutex);
  auto next = theDevice->memory.upper_bound(address);
  if (next == theDevice->memory.begin())
    return false;
  auto &[base, block] = *std::prev(next);
  return address < base + block.bytes && block.owner && block.owner != currentContext;
}

template <typename T>
CUresult fill(CUdeviceptr dst, size_t pitch, T value, size_t width, size_t height) {
  if (dst % sizeof(T) || pitch % sizeof(T) || (height > 1 && pitch < width * sizeof(T)) || isElsewhere(dst))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x)
      reinterpret_cast<T *>(bytesAt(dst) + y * pitch)[x] = value;
  return CUDA_SUCCESS;
}

void recordLaunch(CUfunction function, Launch launch) {
  if (!theDevice->recordLaunches)
    return;
  launch.kernel = reinterpret_cast<Function *>(function)->name;
  std::lock_guard<std::mutex> lock(theDevice->mutex);
  if (auto known = theDevice->milliseconds.find(launch.kernel); known != theDevice->milliseconds.end())
    theDevice->clock += double(known->second);
  theDevice->launches.push_back(std::move(launch));
}

int defaultAttribute(int attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return 0x7fffffff;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return 227 * 1024;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return 132;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return 2048;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return 9;
  default:
    return 0;
  }
}

void setDefaults(DriverTable &t) {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...) setDefault<Call::name>(t.name);
#include "runtime/CudaDriver/DriverFunctions.def"
}

void setDevices(DriverTable &t) {
  t.deviceGetCount = [](int *count) {
    ENTER(deviceGetCount);
    *count = theDevice->deviceCount;
    return CUDA_SUCCESS;
  };
  t.deviceGet = [](CUdevice *device, int ordinal) {
    ENTER(deviceGet);
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  t.deviceGetAttribute = [](int *value, CUdevice_attribute attribute, CUdevice) {
    ENTER(deviceGetAttribute);
    auto found = theDevice->attributes.find(attribute);
    *value = found != theDevice->attributes.end() ? found->second : defaultAttribute(attribute);
    return CUDA_SUCCESS;
  };
  t.ctxGetFlags = [](unsigned *flags) {
    ENTER(ctxGetFlags);
    *flags = theDevice->contextFlags;
    return CUDA_SUCCESS;
  };
  t.devicePrimaryCtxRetain = [](CUcontext *context, CUdevice device) {
    ENTER(devicePrimaryCtxRetain);
    *context = contextOf(device);
    return CUDA_SUCCESS;
  };
  t.ctxSetCurrent = [](CUcontext context) {
    ENTER(ctxSetCurrent);
    currentContext = context;
    contextOwner = theDevice;
    return CUDA_SUCCESS;
  };
  t.ctxGetCurrent = [](CUcontext *context) {
    ENTER(ctxGetCurrent);
    *context = contextOwner == theDevice ? currentContext : nullptr;
    return CUDA_SUCCESS;
  };
  t.ctxGetDevice = [](CUdevice *device) {
    ENTER(ctxGetDevice);
    *device = static_cast<CUdevice>(reinterpret_cast<uintptr_t>(currentContext) - 0x1000);
    return CUDA_SUCCESS;
  };
}

void setModules(DriverTable &t) {
  t.moduleLoadDataEx = [](CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
    CUresult forced = enter(Call::moduleLoadDataEx);
    for (unsigned i = 0; forced != CUDA_SUCCESS && i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char *>(values[i]), theDevice->jitLog.c_str());
    if (forced != CUDA_SUCCESS)
      return forced;
    theDevice->imageAddresses.push_back(image);
    theDevice->images.push_back(std::string(static_cast<const char *>(image), 4));
    *module = reinterpret_cast<CUmodule>(uintptr_t(0x2000));
    return CUDA_SUCCESS;
  };
  t.moduleGetFunction = [](CUfunction *function, CUmodule, const char *name) {
    ENTER(moduleGetFunction);
    if (theDevice->missing.count(name))
      return CUDA_ERROR_NOT_FOUND;
    static std::map<std::string, Function> functions;
    functions[name] = {name, {{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 * 1024}}};
    *function = reinterpret_cast<CUfunction>(&functions[name]);
    return CUDA_SUCCESS;
  };
  t.ctxGetLimit = [](size_t *value, CUlimit) {
    ENTER(ctxGetLimit);
    *value = theDevice->outputBytes;
    return CUDA_SUCCESS;
  };
  t.ctxSetLimit = [](CUlimit limit, size_t value) {
    ENTER(ctxSetLimit);
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE)
      theDevice->outputBytes = value;
    return CUDA_SUCCESS;
  };
  t.moduleGetGlobal = [](CUdeviceptr *address, size_t *bytes, CUmodule, const char *name) {
    ENTER(moduleGetGlobal);
    if (theDevice->missing.count(name))
      return CUDA_ERROR_NOT_FOUND;
    auto size = theDevice->sizes.find(name);
    *bytes = size != theDevice->sizes.end() ? size->second : 64;
    CUdeviceptr &global = theDevice->globals[name];
    if (!global)
      allocate(&global, *bytes, /*managed=*/false, /*pinned=*/false);
    *address = global;
    return CUDA_SUCCESS;
  };
  t.funcGetAttribute = [](int *value, CUfunction_attribute attribute, CUfunction function) {
    ENTER(funcGetAttribute);
    *value = reinterpret_cast<Function *>(function)->attributes[attribute];
    return CUDA_SUCCESS;
  };
  t.funcSetAttribute = [](CUfunction function, CUfunction_attribute attribute, int value) {
    ENTER(funcSetAttribute);
    reinterpret_cast<Function *>(function)->attributes[attribute] = value;
    return CUDA_SUCCESS;
  };
  t.occupancyMaxActiveBlocks = [](int *blocks, CUfunction function, int blockSize, size_t) {
    ENTER(occupancyMaxActiveBlocks);
    auto known = theDevice->blocksAtOnce.find(reinterpret_cast<Function *>(function)->name);
    *blocks = known != theDevice->blocksAtOnce.end() ? known->second : 2048 / blockSize;
    return CUDA_SUCCESS;
  };
}

void setLaunches(DriverTable &t) {
  t.launchKernel = [](CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, CUstream stream, void **params, void **) {
    ENTER(launchKernel);
    const std::string &name = reinterpret_cast<Function *>(f)->name;
    if (!theDevice->refused.empty() && theDevice->refused.count(name))
      return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (!theDevice->recordLaunches)
      return CUDA_SUCCESS;
    Launch launch = {"", {gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, stream, false};
    if (auto known = theDevice->parametersOf.find(name); known != theDevice->parametersOf.end())
      for (unsigned i = 0; i < known->second; ++i)
        std::memcpy(&launch.parameters.emplace_back(), params[i], sizeof(uint32_t));
    recordLaunch(f, launch);
    return CUDA_SUCCESS;
  };
  t.launchCooperativeKernel = [](CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned shared, CUstream stream, void **) {
    ENTER(launchCooperativeKernel);
    recordLaunch(f, {"", {gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, stream, true});
    return CUDA_SUCCESS;
  };
  t.launchKernelEx = [](const CUlaunchConfig *c, CUfunction f, void **, void **) {
    ENTER(launchKernelEx);
    Launch launch = {"",
                     {c->gridDimX, c->gridDimY, c->gridDimZ},
                     {c->blockDimX, c->blockDimY, c->blockDimZ},
                     {0, 0, 0},
                     c->sharedMemBytes,
                     c->hStream,
                     false};
    for (unsigned i = 0; i < c->numAttrs; ++i) {
      const CUlaunchAttribute &attribute = c->attrs[i];
      launch.cooperative |= attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative;
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        launch.cluster[0] = attribute.value.clusterDim.x;
        launch.cluster[1] = attribute.value.clusterDim.y;
        launch.cluster[2] = attribute.value.clusterDim.z;
      }
    }
    recordLaunch(f, launch);
    return CUDA_SUCCESS;
  };
  t.streamCreate = [](CUstream *stream, unsigned) {
    ENTER(streamCreate);
    *stream = createdStream;
    return CUDA_SUCCESS;
  };
  t.streamDestroy = [](CUstream) {
    ENTER(streamDestroy);
    return CUDA_SUCCESS;
  };
  t.streamQuery = [](CUstream) {
    ENTER(streamQuery);
    return CUDA_SUCCESS;
  };
  t.streamSynchronize = [](CUstream stream) {
    ENTER(streamSynchronize);
    std::lock_guard<std::mutex> lock(theDevice->mutex);
    if (stream != createdStream)
      theDevice->synchronized.push_back(stream);
    return CUDA_SUCCESS;
  };
}

void setMemory(DriverTable &t) {
  t.memAlloc = [](CUdeviceptr *address, size_t bytes) {
    ENTER(memAlloc);
    return allocate(address, bytes, /*managed=*/false, /*pinned=*/false);
  };
  t.memAllocManaged = [](CUdeviceptr *address, size_t bytes, unsigned) {
    ENTER(memAllocManaged);
    return allocate(address, bytes, /*managed=*/true, /*pinned=*/false);
  };
  t.memAdvise = [](CUdeviceptr address, size_t, CUmem_advise advice, CUdevice) {
    ENTER(memAdvise);
    theDevice->advice.push_back({address, advice});
    return CUDA_SUCCESS;
  };
  t.memAllocAsync = [](CUdeviceptr *address, size_t bytes, CUstream) {
    ENTER(memAllocAsync);
    return allocate(address, bytes, /*managed=*/false, /*pinned=*/false);
  };
  t.memHostAlloc = [](void **address, size_t bytes, unsigned) {
    ENTER(memHostAlloc);
    CUdeviceptr memory = 0;
    CUresult result = allocate(&memory, bytes, /*managed=*/false, /*pinned=*/true);
    *address = reinterpret_cast<void *>(memory);
    return result;
  };
  t.memFree = [](CUdeviceptr address) {
    ENTER(memFree);
    return release(address);
  };
  t.memFreeHost = [](void *address) {
    ENTER(memFreeHost);
    return release(reinterpret_cast<CUdeviceptr>(address));
  };
  t.memFreeAsync = [](CUdeviceptr address, CUstream stream) {
    ENTER(memFreeAsync);
    theDevice->streamFrees.push_back({address, stream});
    return release(address);
  };
  t.memPoolSetAttribute = [](CUmemoryPool, CUmemPool_attribute, void *value) {
    ENTER(memPoolSetAttribute);
    theDevice->poolKeeps = *static_cast<uint64_t *>(value);
    return CUDA_SUCCESS;
  };
  t.pointerGetAttribute = [](void *data, CUpointer_attribute attribute, CUdeviceptr address) {
    ENTER(pointerGetAttribute);
    std::lock_guard<std::mutex> lock(theDevice->mutex);
    auto found = theDevice->memory.find(address);
    bool known = found != theDevice->memory.end();
    if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE && !known)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned type = known && found->second.pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    bool isManaged = known && found->second.managed;
    *static_cast<unsigned *>(data) = attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? type : isManaged;
    return CUDA_SUCCESS;
  };
}

/// Events are done at once, unless the device is busy.
void setEvents(DriverTable &t) {
  t.eventCreate = [](CUevent *event, unsigned) {
    ENTER(eventCreate);
    static std::atomic<uintptr_t> next{0xe0};
    *event = reinterpret_cast<CUevent>(next++);
    std::lock_guard<std::mutex> lock(theDevice->mutex);
    theDevice->events[*event] = 0;
    return CUDA_SUCCESS;
  };
  t.eventDestroy = [](CUevent event) {
    ENTER(eventDestroy);
    std::lock_guard<std::mutex> lock(theDevice->mutex);
    return theDevice->events.erase(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  t.eventRecord = [](CUevent event, CUstream) {
    ENTER(eventRecord);
    std::lock_guard<std::mutex> lock(theDevice->mutex);
    theDevice->events[event] = theDevice->clock;
    return CUDA_SUCCESS;
  };
  t.eventQuery = [](CUevent) {
    ENTER(eventQuery);
    return theDevice->isBusy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  t.eventSynchronize = [](CUevent) {
    ENTER(eventSynchronize);
    return CUDA_SUCCESS;
  };
  t.eventElapsedTime = [](float *milliseconds, CUevent begin, CUevent end) {
    ENTER(eventElapsedTime);
    std::lock_guard<std::mutex> lock(theDevice->mutex);
    double elapsed = theDevice->events[end] - theDevice->events[begin];
    *milliseconds = theDevice->milliseconds.empty() ? 1.5f : static_cast<float>(elapsed);
    return CUDA_SUCCESS;
  };
}

void setCopies(DriverTable &t) {
  t.memcpy = [](CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    ENTER(memcpy);
    std::memmove(bytesAt(dst), bytesAt(src), bytes);
    return CUDA_SUCCESS;
  };
  t.memcpyAsync = [](CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream) {
    ENTER(memcpyAsync);
    std::memmove(bytesAt(dst), bytesAt(src), bytes);
    return CUDA_SUCCESS;
  };
  t.memcpyHtoD = [](CUdeviceptr dst, const void *src, size_t bytes) {
    ENTER(memcpyHtoD);
    std::memcpy(bytesAt(dst), src, bytes);
    return CUDA_SUCCESS;
  };
  t.memcpyHtoDAsync = [](CUdeviceptr dst, const void *src, size_t bytes, CUstream) {
    ENTER(memcpyHtoDAsync);
    std::memcpy(bytesAt(dst), src, bytes);
    return CUDA_SUCCESS;
  };
  t.memcpyDtoHAsync = [](void *dst, CUdeviceptr src, size_t bytes, CUstream) {
    ENTER(memcpyDtoHAsync);
    std::memcpy(dst, bytesAt(src), bytes);
    return CUDA_SUCCESS;
  };
  t.memcpyDtoD = [](CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    ENTER(memcpyDtoD);
    std::memcpy(bytesAt(dst), bytesAt(src), bytes);
    return CUDA_SUCCESS;
  };
  t.memcpyDtoDAsync = [](CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream) {
    ENTER(memcpyDtoDAsync);
    std::memcpy(bytesAt(dst), bytesAt(src), bytes);
    return CUDA_SUCCESS;
  };
  t.memcpy2DUnaligned = [](const CUDA_MEMCPY2D *copy) {
    ENTER(memcpy2DUnaligned);
    return copyRows(*copy);
  };
  t.memcpy2DAsync = [](const CUDA_MEMCPY2D *copy, CUstream) {
    ENTER(memcpy2DAsync);
    return copyRows(*copy);
  };
  t.memcpy3D = [](const CUDA_MEMCPY3D *copy) {
    ENTER(memcpy3D);
    return copySlices(*copy);
  };
  t.memcpy3DAsync = [](const CUDA_MEMCPY3D *copy, CUstream) {
    ENTER(memcpy3DAsync);
    return copySlices(*copy);
  };
}

void setFills(DriverTable &t) {
  t.memsetD8 = [](CUdeviceptr dst, unsigned char value, size_t count) {
    ENTER(memsetD8);
    return fill(dst, 0, value, count, 1);
  };
  t.memsetD16 = [](CUdeviceptr dst, unsigned short value, size_t count) {
    ENTER(memsetD16);
    return fill(dst, 0, value, count, 1);
  };
  t.memsetD32 = [](CUdeviceptr dst, unsigned value, size_t count) {
    ENTER(memsetD32);
    return fill(dst, 0, value, count, 1);
  };
  t.memsetD8Async = [](CUdeviceptr dst, unsigned char value, size_t count, CUstream) {
    ENTER(memsetD8Async);
    return fill(dst, 0, value, count, 1);
  };
  t.memsetD16Async = [](CUdeviceptr dst, unsigned short value, size_t count, CUstream) {
    ENTER(memsetD16Async);
    return fill(dst, 0, value, count, 1);
  };
  t.memsetD32Async = [](CUdeviceptr dst, unsigned value, size_t count, CUstream) {
    ENTER(memsetD32Async);
    return fill(dst, 0, value, count, 1);
  };
  t.memsetD2D8 = [](CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height) {
    ENTER(memsetD2D8);
    return fill(dst, pitch, value, width, height);
  };
  t.memsetD2D16 = [](CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height) {
    ENTER(memsetD2D16);
    return fill(dst, pitch, value, width, height);
  };
  t.memsetD2D32 = [](CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height) {
    ENTER(memsetD2D32);
    return fill(dst, pitch, value, width, height);
  };
}

DriverTable makeTable(bool loadsWholeImage) {
  DriverTable t;
  setDefaults(t);
  setDevices(t);
  setModules(t);
  setLaunches(t);
  setMemory(t);
  setEvents(t);
  setCopies(t);
  setFills(t);
  t.loadsWholeImage = loadsWholeImage;
  return t;
}

} // namespace

bool Device::holds(CUdeviceptr address, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return false;
  auto block = std::prev(after);
  return address + bytes <= block->first + block->second.bytes;
}

Device &device() { return *theDevice; }

const DriverTable &table(bool loadsWholeImage) {
  static const DriverTable code = makeTable(false), whole = makeTable(true);
  return loadsWholeImage ? whole : code;
}

void install(bool loadsWholeImage, int deviceCount) {
  if (theDevice)
    for (auto &block : theDevice->memory)
      std::free(reinterpret_cast<void *>(block.first));
  installDriverForTest(nullptr);
  delete theDevice;
  theDevice = new Device;
  theDevice->deviceCount = deviceCount;
  contextOwner = nullptr;
  installDriverForTest(&table(loadsWholeImage));
  clearErrorState();
  setThreadDefaultStream(0);
  clearVariableDefaultStreams();
}

} // namespace cufort::rt::fake
