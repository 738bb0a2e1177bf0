// malloc and free of device code, from the host's heap, with the limit that a GPU has: a kernel that needs a larger
// heap fails here as it would there.
#include "runtime/Emulated/DeviceHeap.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Worker.h"
#include <cstdlib>
#include <unordered_map>

namespace {

/// What device code has allocated and not freed. It outlives the kernel, as on a GPU.
struct Heap {
  std::mutex lock;
  std::unordered_map<void *, size_t> live;
  size_t used = 0;
  size_t limit = 8 << 20;
};

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

} // namespace cufort::rt::emulated

using namespace cufort::rt;
using namespace cufort::rt::emulated;

extern "C" {

void *cufortEmuMalloc(int64_t bytes) {
  RuntimeCall call;
  Heap &all = heap();
  std::lock_guard<std::mutex> guard(all.lock);
  if (bytes <= 0 || all.used > all.limit || size_t(bytes) > all.limit - all.used)
    return nullptr;
  void *memory = malloc(size_t(bytes));
  if (memory) {
    all.live[memory] = size_t(bytes);
    all.used += size_t(bytes);
  }
  return memory;
}

void cufortEmuFree(void *memory) {
  RuntimeCall call;
  if (!memory)
    return;
  Heap &all = heap();
  all.lock.lock();
  auto found = all.live.find(memory);
  bool known = found != all.live.end();
  if (known) {
    all.used -= found->second;
    all.live.erase(found);
    free(memory);
  }
  all.lock.unlock();
  if (known)
    return;
  call.worker().launch().fail(CUDA_ERROR_LAUNCH_FAILED, "device code freed memory that it has not allocated");
  call.scheduler().escape();
}

} // extern "C"
