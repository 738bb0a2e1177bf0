// The one context of the emulated device: what lives in it, and whether it still works.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"
#include "runtime/Emulated/Capture.h"
#include "runtime/Emulated/DeviceMemory.h"
#include "runtime/Emulated/Kernel.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <vector>

namespace cufort::rt::emulated {

struct Stream {
  unsigned flags;
  int priority;
  std::shared_ptr<Capture> capture = nullptr; ///< the last that it took part in
};

struct Event {
  unsigned flags;
  bool recorded = false;
  std::chrono::steady_clock::time_point time{};
  std::shared_ptr<Capture> capture = nullptr; ///< in which it was recorded last, if any
  StepsBefore steps{};                        ///< of that capture, which come before it
};

/// Memory that cuArrayCreate made: rows of `pitch` bytes, without padding.
struct Array {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  size_t elementBytes;
  char *data;
  size_t pitch() const { return descriptor.Width * elementBytes; }
};

/// A loaded CufortImage.
struct Module {
  const CufortImage *image = nullptr;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

/// A set of handles that knows which ones are alive, so that a wrong one is an error and not a crash. Thread-safe.
template <typename Object, typename Handle>
class Handles {
public:
  Handle add(std::unique_ptr<Object> object) {
    std::lock_guard<std::mutex> guard(lock);
    return reinterpret_cast<Handle>(objects.insert(object.release()).first.operator*());
  }
  /// Returns the object, or null if `handle` is not alive.
  Object *find(Handle handle) const {
    std::lock_guard<std::mutex> guard(lock);
    auto found = objects.find(reinterpret_cast<Object *>(handle));
    return found == objects.end() ? nullptr : *found;
  }
  /// Takes the object out, or returns null if `handle` is not alive.
  std::unique_ptr<Object> remove(Handle handle) {
    std::lock_guard<std::mutex> guard(lock);
    auto *object = reinterpret_cast<Object *>(handle);
    return std::unique_ptr<Object>(objects.erase(object) ? object : nullptr);
  }
  void clear() {
    std::lock_guard<std::mutex> guard(lock);
    for (Object *object : objects)
      delete object;
    objects.clear();
  }

private:
  mutable std::mutex lock;
  std::set<Object *> objects;
};

/// Thread-safe.
class EmulatedContext {
public:
  /// Returns the process's context object. It exists whether or not the context does.
  static EmulatedContext &instance();
  CUcontext handle() { return reinterpret_cast<CUcontext>(this); }

  /// Makes `code`, unless it is CUDA_SUCCESS, the result of every later call, until reset().
  void fail(CUresult code);
  /// Returns what a call that needs the context has to return at once: the error that made the context unusable,
  /// CUDA_ERROR_INVALID_CONTEXT if it is not the calling thread's current one, or CUDA_SUCCESS.
  CUresult check() const;

  void retain();
  /// False if it is not retained. The last release resets it.
  bool release();
  bool isActive() const { return retained > 0; }
  /// Frees everything that lives in the context, and makes it usable again.
  void reset();

  void setCurrent(bool current);
  bool isCurrent() const;

  /// Returns whether `stream` is one of ours, the null stream or one of the special handles.
  bool knows(CUstream stream) const;
  /// Returns a stream that can be captured: one of ours, or the calling thread's; else null.
  Stream *streamOf(CUstream stream) const;

  DeviceMemory memory;
  Handles<Stream, CUstream> streams;
  Handles<Event, CUevent> events;
  Handles<Module, CUmodule> modules;
  Handles<Array, CUarray> arrays;
  Handles<Graph, CUgraph> graphs;
  Handles<Graph, CUgraphExec> executableGraphs;
  std::atomic<size_t> stackLimit{1024}, printLimit{1 << 20};
  std::atomic<CUfunc_cache> cacheConfig{CU_FUNC_CACHE_PREFER_NONE};
  std::atomic<CUsharedconfig> sharedConfig{CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE};
  std::atomic<unsigned> flags{CU_CTX_SCHED_AUTO};

private:
  std::mutex lock;
  std::atomic<unsigned> retained{0};
  std::atomic<unsigned> generation{1}; ///< of the context; a thread's current one may be dead
  std::atomic<CUresult> sticky{CUDA_SUCCESS};
};

/// While one exists, the device's memory can be accessed: in the functions that copy and fill it, and while kernels
/// run.
class DeviceAccess {
public:
  DeviceAccess() { EmulatedContext::instance().memory.open(); }
  ~DeviceAccess() { EmulatedContext::instance().memory.close(); }
  DeviceAccess(const DeviceAccess &) = delete;
};

/// Returns, from the driver function that it is used in, what stands in the way of using the context, if anything.
#define CUFORT_EMULATED_ENTER(context)                                                                                 \
  EmulatedContext &context = EmulatedContext::instance();                                                              \
  if (CUresult entered = context.check(); entered != CUDA_SUCCESS)                                                     \
  return entered

/// Fill in the functions of one part of the driver each.
void addDeviceFunctions(DriverTable &table);
void addModuleFunctions(DriverTable &table);
void addLaunchFunctions(DriverTable &table);
void addStreamFunctions(DriverTable &table);
void addMemoryFunctions(DriverTable &table);
void addCopyFunctions(DriverTable &table);
void addFillFunctions(DriverTable &table);
void addArrayFunctions(DriverTable &table);
void addGraphFunctions(DriverTable &table);

} // namespace cufort::rt::emulated
