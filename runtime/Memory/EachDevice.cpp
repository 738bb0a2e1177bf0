#include "runtime/Memory/EachDevice.h"
#include "runtime/Context/RelaxedCapture.h"
#include "runtime/Memory/Allocation.h"
#include <map>
#include <mutex>

using namespace cufort::rt;

namespace {

/// By variable and device.
struct Memories {
  std::mutex mutex;
  std::map<std::pair<const void *, int>, void *> addresses;
};

/// Never destroyed: host threads may outlive main.
Memories &memories() {
  static auto *instance = new Memories;
  return *instance;
}

/// What was there has gone with the context.
void forget(int device) {
  Memories &all = memories();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (auto each = all.addresses.begin(); each != all.addresses.end();)
    each = device == -1 || each->first.second == device ? all.addresses.erase(each) : std::next(each);
}

Result allocateUncaptured(const Current &current, size_t bytes, void *&address) {
  RelaxedCapture relaxed(current);
  return allocateMemory(MemoryKind::Device, bytes, address);
}

} // namespace

Result cufort::rt::memoryInDevice(const void *variable, size_t bytes, void *&address) {
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  Memories &all = memories();
  std::lock_guard<std::mutex> lock(all.mutex);
  void *&memory = all.addresses[{variable, current.device}];
  if (!memory) {
    if (Result result = allocateUncaptured(current, bytes, memory); !result)
      return result;
    atDeviceReset(forget);
  }
  address = memory;
  return {};
}
