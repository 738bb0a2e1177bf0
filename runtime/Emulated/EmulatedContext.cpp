#include "runtime/Emulated/EmulatedContext.h"
#include "runtime/Emulated/DeviceHeap.h"
#include "runtime/Emulated/Fault.h"
#include "runtime/Emulated/Settings.h"

namespace cufort::rt::emulated {

/// The generation of the context that is current in this thread; 0: none.
static thread_local unsigned currentGeneration;

EmulatedContext &EmulatedContext::instance() {
  static auto *context = new EmulatedContext(); // used until the process is gone
  return *context;
}

void EmulatedContext::fail(CUresult code) {
  CUresult expected = CUDA_SUCCESS;
  sticky.compare_exchange_strong(expected, code);
}

CUresult EmulatedContext::check() const {
  if (!isCurrent())
    return currentGeneration ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
  return sticky;
}

void EmulatedContext::retain() {
  if (settings().checks.host)
    installFaultHandlers(); // they say why there is no access
  ++retained;
}

bool EmulatedContext::release() {
  unsigned before = retained;
  do {
    if (before == 0)
      return false;
  } while (!retained.compare_exchange_weak(before, before - 1));
  if (before == 1)
    reset();
  return true;
}

void EmulatedContext::reset() {
  std::lock_guard<std::mutex> guard(lock);
  streams.clear();
  events.clear();
  modules.clear();
  arrays.clear();
  graphs.clear();
  executableGraphs.clear();
  memory.clear();
  stackLimit = 1024;
  printLimit = 1 << 20;
  resetDeviceHeap();
  cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  sharedConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  sticky = CUDA_SUCCESS;
  ++generation;
}

void EmulatedContext::setCurrent(bool current) { currentGeneration = current ? generation.load() : 0; }

bool EmulatedContext::isCurrent() const { return currentGeneration == generation; }

bool EmulatedContext::knows(CUstream stream) const {
  return !stream || stream == legacyStream() || stream == perThreadStream() || streams.find(stream);
}

Stream *EmulatedContext::streamOf(CUstream stream) const {
  thread_local Stream ofThread{0, 0};
  return stream == perThreadStream() ? &ofThread : streams.find(stream);
}

} // namespace cufort::rt::emulated
