// malloc and free of device code, with the limit that a GPU has: a kernel that needs a larger heap fails here as it
// would there.
#include "runtime/Emulated/DeviceHeap.h"
#include "runtime/Emulated/AddressSpace.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Worker.h"
#include <algorithm>
#include <unordered_map>
#include <vector>

namespace {

using namespace cufort::rt::emulated;

constexpr size_t usualLimit = 8 << 20, regionBytes = 4 << 20, alignment = 16;

/// What device code has allocated and not freed. It outlives the kernel, as on a GPU. All of it lies in regions of
/// device memory, and nothing that the host needs lies beside it.
struct Heap {
  std::mutex lock;
  std::unordered_map<void *, size_t> live;
  size_t used = 0;
  size_t limit = usualLimit;
  std::vector<GuardedMemory> regions;
  RangeAllocator unused;

  void *allocate(size_t bytes);
  bool release(void *memory);
  void clear();
};

size_t rounded(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

void *Heap::allocate(size_t bytes) {
  if (bytes == 0 || used > limit || bytes > limit - used)
    return nullptr;
  uintptr_t address = unused.take(rounded(bytes), alignment);
  if (!address) {
    GuardedMemory region = AddressSpace::instance().take(std::max(rounded(bytes), regionBytes), alignment);
    if (!region.base)
      return nullptr;
    regions.push_back(region);
    unused.give(reinterpret_cast<uintptr_t>(region.mapping), region.mappedBytes);
    address = unused.take(rounded(bytes), alignment);
  }
  auto *memory = reinterpret_cast<void *>(address);
  live[memory] = bytes;
  used += bytes;
  return memory;
}

bool Heap::release(void *memory) {
  auto found = live.find(memory);
  if (found == live.end())
    return false;
  used -= found->second;
  unused.give(reinterpret_cast<uintptr_t>(memory), rounded(found->second));
  live.erase(found);
  return true;
}

void Heap::clear() {
  for (const GuardedMemory &region : regions)
    AddressSpace::instance().give(region);
  regions.clear();
  unused = RangeAllocator();
  live.clear();
  used = 0;
  limit = usualLimit;
}

Heap &heap() {
  static auto *instance = new Heap();
  return *instance;
}

} // namespace

namespace cufort::rt::emulated {

void setDeviceHeapLimit(size_t bytes) {
  std::lock_guard<std::mutex> guard(heap().lock);
  heap().limit = bytes;
}

size_t deviceHeapLimit() {
  std::lock_guard<std::mutex> guard(heap().lock);
  return heap().limit;
}

void resetDeviceHeap() {
  std::lock_guard<std::mutex> guard(heap().lock);
  heap().clear();
}

} // namespace cufort::rt::emulated

using namespace cufort::rt;

extern "C" {

void *cufortEmuMalloc(int64_t bytes) {
  RuntimeCall call;
  std::lock_guard<std::mutex> guard(heap().lock);
  return bytes > 0 ? heap().allocate(size_t(bytes)) : nullptr;
}

void cufortEmuFree(void *memory) {
  RuntimeCall call;
  if (!memory)
    return;
  heap().lock.lock();
  bool known = heap().release(memory);
  heap().lock.unlock();
  if (!known)
    call.fail(CUDA_ERROR_LAUNCH_FAILED, [] { return "device code freed memory that it has not allocated"; });
}

} // extern "C"
