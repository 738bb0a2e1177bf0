// Launches, waits and allocations.
#include "runtime/Trace/TracingDriver.h"
#include "runtime/Trace/Statement.h"
#include "runtime/Trace/TraceLine.h"
#include <cstring>

namespace cufort::rt {

namespace {

const DriverTable *real = nullptr;
DriverTable tracing;

uint64_t number(CUstream stream) { return reinterpret_cast<uintptr_t>(stream); }

std::string hexadecimal(CUdeviceptr address) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(address));
  return digits;
}

std::string extents(unsigned x, unsigned y, unsigned z) {
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

/// `module::kernel`, as far as the symbol in the device code tells the module.
std::string kernelName(const CufortEntry &kernel) {
  constexpr const char *ofModule = "_QM";
  const char *symbol = kernel.deviceName;
  if (std::strncmp(symbol, ofModule, std::strlen(ofModule)) != 0)
    return kernel.fortranName;
  symbol += std::strlen(ofModule);
  // The name of a module has no capitals here; one begins what follows it.
  size_t length = std::strcspn(symbol, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return std::string(symbol, length) + "::" + kernel.fortranName;
}

/// Prints `line` before the launch, so that it is there if the kernel never ends, or behind it with its time.
template <typename Submit>
CUresult launchWithLine(TraceLine &line, CUstream stream, Submit submit) {
  if (!wants(TraceTimes)) {
    line.print();
    return submit();
  }
  StreamTimer timer(*real, stream);
  CUresult result = submit();
  line.addTime(result == CUDA_SUCCESS ? timer.stop() : std::nullopt).print();
  return result;
}

struct Shape {
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  const CUlaunchAttribute *cluster;
};

template <typename Submit>
CUresult traceLaunch(const Shape &shape, CUstream stream, Submit submit) {
  if (!wants(TraceLaunches))
    return submit();
  TraceLine line(isCapturing(*real, stream) ? "capture CUDA kernel" : "launch CUDA kernel", *real);
  line.add("stream", number(stream));
  if (const CufortEntry *kernel = currentStatement().kernel)
    line.add("kernel", kernelName(*kernel));
  line.add("grid", extents(shape.grid[0], shape.grid[1], shape.grid[2]));
  line.add("block", extents(shape.block[0], shape.block[1], shape.block[2]));
  if (shape.cluster)
    line.add("cluster", extents(shape.cluster->value.clusterDim.x, shape.cluster->value.clusterDim.y,
                                shape.cluster->value.clusterDim.z));
  line.add("shared", shape.sharedBytes);
  return launchWithLine(line, stream, submit);
}

CUresult launchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                      unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **params,
                      void **extra) {
  return traceLaunch({{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, nullptr}, stream, [&] {
    return real->launchKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, params,
                              extra);
  });
}

CUresult launchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                 void **params) {
  return traceLaunch({{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, nullptr}, stream, [&] {
    return real->launchCooperativeKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream,
                                         params);
  });
}

CUresult launchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra) {
  Shape shape = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                 config->sharedMemBytes,
                 nullptr};
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      shape.cluster = &config->attrs[i];
  return traceLaunch(shape, config->hStream, [&] { return real->launchKernelEx(config, function, params, extra); });
}

CUresult graphLaunch(CUgraphExec exec, CUstream stream) {
  if (!wants(TraceLaunches))
    return real->graphLaunch(exec, stream);
  TraceLine line("launch CUDA graph", *real);
  line.add("stream", number(stream));
  return launchWithLine(line, stream, [&] { return real->graphLaunch(exec, stream); });
}

template <typename Wait>
CUresult traceWait(TraceLine line, Wait wait) {
  HostTimer timer;
  CUresult result = wait();
  line.addTime(timer.stop()).print();
  return result;
}

CUresult ctxSynchronize() {
  if (!wants(TraceWaits))
    return real->ctxSynchronize();
  return traceWait(TraceLine("wait for device", *real), [] { return real->ctxSynchronize(); });
}

CUresult streamSynchronize(CUstream stream) {
  if (!wants(TraceWaits))
    return real->streamSynchronize(stream);
  return traceWait(TraceLine("wait for stream", *real).add("stream", number(stream)),
                   [=] { return real->streamSynchronize(stream); });
}

CUresult eventSynchronize(CUevent event) {
  if (!wants(TraceWaits))
    return real->eventSynchronize(event);
  return traceWait(TraceLine("wait for event", *real), [=] { return real->eventSynchronize(event); });
}

/// Tells of an allocation of `bytes` bytes at `address` that ended with `result`, which it returns.
CUresult noteAllocated(CUresult result, const char *kind, size_t bytes, CUdeviceptr address) {
  if (!wants(TraceMemory))
    return result;
  TraceLine line(result == CUDA_SUCCESS ? "allocate CUDA data" : "cannot allocate CUDA data", *real);
  line.add("variable", currentStatement().target).add("kind", kind).add("bytes", bytes);
  if (result == CUDA_SUCCESS)
    line.add("address", hexadecimal(address));
  line.print();
  return result;
}

CUresult memAlloc(CUdeviceptr *address, size_t bytes) {
  return noteAllocated(real->memAlloc(address, bytes), "device", bytes, *address);
}

CUresult memAllocPitch(CUdeviceptr *address, size_t *pitch, size_t widthInBytes, size_t height, unsigned elementSize) {
  CUresult result = real->memAllocPitch(address, pitch, widthInBytes, height, elementSize);
  return noteAllocated(result, "device", (result == CUDA_SUCCESS ? *pitch : widthInBytes) * height, *address);
}

CUresult memAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  return noteAllocated(real->memAllocManaged(address, bytes, flags), "managed", bytes, *address);
}

CUresult memAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return noteAllocated(real->memAllocAsync(address, bytes, stream), "device", bytes, *address);
}

CUresult memHostAlloc(void **address, size_t bytes, unsigned flags) {
  CUresult result = real->memHostAlloc(address, bytes, flags);
  return noteAllocated(result, "pinned", bytes, reinterpret_cast<CUdeviceptr>(*address));
}

void noteFree(CUdeviceptr address) {
  if (wants(TraceMemory))
    TraceLine("free CUDA data", *real)
        .add("variable", currentStatement().target)
        .add("address", hexadecimal(address))
        .print();
}

CUresult memFree(CUdeviceptr address) {
  noteFree(address);
  return real->memFree(address);
}

CUresult memFreeAsync(CUdeviceptr address, CUstream stream) {
  noteFree(address);
  return real->memFreeAsync(address, stream);
}

CUresult memFreeHost(void *address) {
  noteFree(reinterpret_cast<CUdeviceptr>(address));
  return real->memFreeHost(address);
}

} // namespace

const DriverTable &tracingDriver(const DriverTable &device) {
  real = &device;
  tracing = device;
  tracing.launchKernel = launchKernel;
  tracing.launchCooperativeKernel = launchCooperativeKernel;
  tracing.launchKernelEx = launchKernelEx;
  tracing.graphLaunch = graphLaunch;
  tracing.ctxSynchronize = ctxSynchronize;
  tracing.streamSynchronize = streamSynchronize;
  tracing.eventSynchronize = eventSynchronize;
  tracing.memAlloc = memAlloc;
  tracing.memAllocPitch = memAllocPitch;
  tracing.memAllocManaged = memAllocManaged;
  tracing.memAllocAsync = memAllocAsync;
  tracing.memHostAlloc = memHostAlloc;
  tracing.memFree = memFree;
  tracing.memFreeAsync = memFreeAsync;
  tracing.memFreeHost = memFreeHost;
  traceCopies(tracing, device);
  return tracing;
}

} // namespace cufort::rt
