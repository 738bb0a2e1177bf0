#include "runtime/Context/Context.h"
#include "runtime/Context/AtExit.h"
#include "runtime/Emulated/EmulatedDriver.h"
#include "runtime/Support/Environment.h"
#include "runtime/Support/FloatTraps.h"
#include "runtime/Trace/TracingDriver.h"
#include <atomic>
#include <cstdio>
#include <mutex>

namespace cufort::rt {

namespace {

/// What all threads share. Constant-initialised, and never destroyed: constructors and exit handlers may come here.
struct Process {
  std::mutex mutex;
  std::atomic<const DriverTable *> table{nullptr};
  std::atomic<bool> emulated{false};
  std::atomic<unsigned> generation{1};
  Result *failure = nullptr; ///< why there is no device, if choosing one has failed
  int deviceCount = 0;
  CUcontext primary[maxDevices] = {};
  std::atomic<ResetHook> hooks[8] = {};
};

Process process;

/// What a thread knows. Plain data, so that it survives until the very end of the thread.
struct Thread {
  const DriverTable *table;
  CUcontext context;
  int device;
  unsigned generation;
};

thread_local Thread thisThread;

Result countDevices(const DriverTable &table) {
  int count = 0;
  if (CUresult result = table.deviceGetCount(&count); result != CUDA_SUCCESS)
    return Result(result, "cuDeviceGetCount");
  if (count == 0)
    return Result(cudaErrorNoDevice, "cuDeviceGetCount");
  process.deviceCount = count < maxDevices ? count : maxDevices;
  return {};
}

Result useTable(const DriverTable &table, bool emulated) {
  if (Result counted = countDevices(table); !counted)
    return counted;
  process.emulated.store(emulated, std::memory_order_relaxed);
  process.table.store(environment().notify ? &tracingDriver(table) : &table, std::memory_order_release);
  synchronizeAtExit();
  return {};
}

Result chooseEmulated() {
  const DriverTable &table = emulatedDriver();
  if (CUresult result = table.init(0); result != CUDA_SUCCESS)
    return Result(result, "starting the emulated device");
  return useTable(table, /*emulated=*/true);
}

Result chooseDevice() {
  const Environment &env = environment();
  if (env.unknownDevice)
    return Result(cudaErrorInvalidValue, "CUFORT_DEVICE",
                  std::string("CUFORT_DEVICE is '") + env.unknownDevice + "'; it may be 'gpu' or 'emulated'");
  if (env.device == DeviceChoice::Emulated)
    return chooseEmulated();
  std::string why;
  if (const DriverTable *table = loadCudaDriver(why))
    return useTable(*table, /*emulated=*/false);
  if (env.device == DeviceChoice::Gpu)
    return Result(cudaErrorNoDevice, "CUFORT_DEVICE=gpu", why);
  if (!env.quiet)
    std::fprintf(stderr, "cufort: no GPU found (%s): using the emulated device\n", why.c_str());
  return chooseEmulated();
}

Result chooseDeviceOnce(const DriverTable *&table) {
  ExceptionsOff exceptionsOff;
  std::lock_guard<std::mutex> lock(process.mutex);
  if (!process.failure && !process.table.load(std::memory_order_relaxed))
    if (Result chosen = chooseDevice(); !chosen)
      process.failure = new Result(std::move(chosen));
  table = process.table.load(std::memory_order_relaxed);
  return process.failure ? *process.failure : Result();
}

/// If other code of this thread has made the primary context of a device current, that device becomes the thread's.
/// Returns true if `context` is to be used as it is.
bool adopt(const DriverTable &table, CUcontext context) {
  CUdevice device = 0;
  CUcontext primary = nullptr;
  if (!context || table.ctxGetDevice(&device) != CUDA_SUCCESS || device < 0 || device >= process.deviceCount)
    return false;
  if (!primaryContext(device, primary).ok() || primary != context)
    return false;
  thisThread = {&table, context, device, contextGeneration()};
  return true;
}

/// Makes the primary context of `device` the calling thread's.
Result enterDevice(const DriverTable &table, int device) {
  CUcontext context = nullptr;
  if (Result result = primaryContext(device, context); !result)
    return result;
  if (CUresult result = table.ctxSetCurrent(context); result != CUDA_SUCCESS)
    return Result(result, "cuCtxSetCurrent");
  thisThread = {&table, context, device, contextGeneration()};
  return {};
}

/// The driver's current context, if this thread has one there.
CUcontext contextInDriver(const DriverTable &table) {
  CUcontext context = nullptr;
  return table.ctxGetCurrent(&context) == CUDA_SUCCESS ? context : nullptr;
}

void runResetHooks(int device) {
  for (std::atomic<ResetHook> &hook : process.hooks)
    if (ResetHook function = hook.load())
      function(device);
}

bool threadIsValid(const DriverTable &table) {
  return thisThread.table == &table && thisThread.generation == contextGeneration();
}

} // namespace

Result driver(const DriverTable *&table) {
  table = process.table.load(std::memory_order_acquire);
  return table ? Result() : chooseDeviceOnce(table);
}

bool cachedContext(Current &current) {
  const DriverTable *table = process.table.load(std::memory_order_acquire);
  if (!table || !threadIsValid(*table))
    return false;
  CUcontext context = nullptr;
  if (table->ctxGetCurrent(&context) != CUDA_SUCCESS || !context || context != thisThread.context)
    return false;
  current = {table, context, thisThread.device};
  return true;
}

Result currentContext(Current &current) {
  if (cachedContext(current))
    return {};
  const DriverTable *table = nullptr;
  if (Result result = driver(table); !result)
    return result;
  int device = thisThread.table == table ? thisThread.device : 0;
  if (!adopt(*table, contextInDriver(*table)))
    if (Result result = enterDevice(*table, device); !result)
      return result;
  current = {table, thisThread.context, thisThread.device};
  return {};
}

Result deviceCount(int &count) {
  const DriverTable *table = nullptr;
  Result result = driver(table);
  count = result.ok() ? process.deviceCount : 0;
  return result;
}

Result currentDevice(int &device) {
  const DriverTable *table = nullptr;
  if (Result result = driver(table); !result)
    return result;
  CUcontext context = contextInDriver(*table);
  if (context && !(threadIsValid(*table) && context == thisThread.context))
    adopt(*table, context);
  device = thisThread.table == table ? thisThread.device : 0;
  return {};
}

Result setCurrentDevice(int device) {
  const DriverTable *table = nullptr;
  if (Result result = driver(table); !result)
    return result;
  return enterDevice(*table, device);
}

Result primaryContext(int device, CUcontext &context) {
  const DriverTable *table = nullptr;
  if (Result result = driver(table); !result)
    return result;
  if (device < 0 || device >= process.deviceCount)
    return Result(cudaErrorInvalidDevice, "cuDevicePrimaryCtxRetain");
  std::lock_guard<std::mutex> lock(process.mutex);
  if (!process.primary[device]) {
    ExceptionsOff exceptionsOff;
    CUdevice handle = 0;
    if (CUresult result = table->deviceGet(&handle, device); result != CUDA_SUCCESS)
      return Result(result, "cuDeviceGet");
    if (CUresult result = table->devicePrimaryCtxRetain(&process.primary[device], handle); result != CUDA_SUCCESS) {
      process.primary[device] = nullptr;
      return Result(result, "cuDevicePrimaryCtxRetain");
    }
    debugLog("device %d: primary context %p", device, static_cast<void *>(process.primary[device]));
  }
  context = process.primary[device];
  return {};
}

Result resetCurrentDevice() {
  const DriverTable *table = nullptr;
  int device = 0;
  if (Result result = driver(table); !result)
    return result;
  if (Result result = currentDevice(device); !result)
    return result;
  runResetHooks(device);
  std::lock_guard<std::mutex> lock(process.mutex);
  process.generation.fetch_add(1, std::memory_order_acq_rel);
  if (process.primary[device])
    table->devicePrimaryCtxRelease(device);
  process.primary[device] = nullptr;
  return Result(table->devicePrimaryCtxReset(device), "cuDevicePrimaryCtxReset");
}

void atDeviceReset(ResetHook hook) {
  for (std::atomic<ResetHook> &slot : process.hooks) {
    ResetHook expected = nullptr;
    if (slot.compare_exchange_strong(expected, hook) || expected == hook)
      return;
  }
}

Result synchronizeRetainedContexts() {
  const DriverTable *table = process.table.load(std::memory_order_acquire);
  Result worst;
  for (int device = 0; table && device < process.deviceCount; ++device) {
    if (!process.primary[device] || table->ctxSetCurrent(process.primary[device]) != CUDA_SUCCESS)
      continue;
    if (CUresult result = table->ctxSynchronize(); result != CUDA_SUCCESS && worst.ok())
      worst = Result(result, "cuCtxSynchronize");
  }
  return worst;
}

bool usingEmulatedDevice() { return process.emulated.load(std::memory_order_relaxed); }

unsigned contextGeneration() { return process.generation.load(std::memory_order_acquire); }

void installDriverForTest(const DriverTable *table) {
  runResetHooks(-1);
  std::lock_guard<std::mutex> lock(process.mutex);
  process.generation.fetch_add(1, std::memory_order_acq_rel);
  delete process.failure;
  process.failure = nullptr;
  process.emulated.store(false);
  for (CUcontext &context : process.primary)
    context = nullptr;
  thisThread = {};
  process.table.store(nullptr);
  if (!table)
    return;
  if (Result result = useTable(*table, /*emulated=*/false); !result)
    process.failure = new Result(std::move(result));
}

} // namespace cufort::rt
