#include "runtime/Stream/DefaultStream.h"
#include "runtime/Memory/Allocation.h"
#include <atomic>
#include <map>
#include <mutex>

namespace cufort::rt {

namespace {

thread_local int64_t threadStream = 0;

/// Streams of variables that are no allocation: module variables. Never destroyed, because exit handlers may come here.
struct Bindings {
  std::mutex mutex;
  std::map<const void *, int64_t> streams;
};

Bindings &bindings() {
  static Bindings *instance = new Bindings;
  return *instance;
}

/// Set by the first binding, so that programs without bindings pay one load per transfer.
std::atomic<bool> anyBound{false};

} // namespace

void setThreadDefaultStream(int64_t stream) { threadStream = stream; }

int64_t threadDefaultStream() { return threadStream; }

void setVariableDefaultStream(const void *address, int64_t stream) {
  anyBound.store(true, std::memory_order_relaxed);
  if (bindAllocationToStream(address, stream))
    return;
  Bindings &all = bindings();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (stream)
    all.streams[address] = stream;
  else
    all.streams.erase(address);
}

void noteVariableBinding() { anyBound.store(true, std::memory_order_relaxed); }

bool mayVariablesHaveStreams() { return anyBound.load(std::memory_order_relaxed); }

bool variableDefaultStream(const void *address, int64_t &stream) {
  if (!mayVariablesHaveStreams())
    return false;
  Allocation allocation;
  if (findAllocation(address, allocation)) {
    stream = allocation.stream;
    return stream != 0;
  }
  Bindings &all = bindings();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.streams.find(address);
  if (found == all.streams.end())
    return false;
  stream = found->second;
  return true;
}

int64_t defaultStreamFor(const void *address) {
  int64_t stream = 0;
  return variableDefaultStream(address, stream) ? stream : threadStream;
}

void clearVariableDefaultStreams() {
  Bindings &all = bindings();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.streams.clear();
  anyBound.store(false, std::memory_order_relaxed);
}

} // namespace cufort::rt
