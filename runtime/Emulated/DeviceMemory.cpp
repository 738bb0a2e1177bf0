#include "runtime/Emulated/DeviceMemory.h"
#include "runtime/Emulated/Settings.h"
#include <cstdlib>
#include <sys/mman.h>

namespace cufort::rt::emulated {

static constexpr size_t pageBytes = 4096, hugePageBytes = 2 << 20;
// From here on an allocation has its own mapping, so that using it after it was freed faults.
static constexpr size_t mappingThreshold = 256 << 10;

static bool countsAsDevice(MemoryKind kind) { return kind == MemoryKind::Device || kind == MemoryKind::Managed; }

size_t DeviceMemory::total() { return settings().memoryBytes; }

size_t DeviceMemory::used() const {
  std::lock_guard<std::mutex> guard(lock);
  return usedBytes;
}

/// Sets the address of `made`, whose size and kind are set.
static CUresult obtain(Allocation &made) {
  if (made.bytes < mappingThreshold) {
    size_t alignment = made.kind == MemoryKind::PinnedHost ? pageBytes : 256;
    made.base = static_cast<char *>(aligned_alloc(alignment, (made.bytes + alignment - 1) / alignment * alignment));
    return made.base ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  bool huge = made.bytes >= hugePageBytes;
  made.mappedBytes = (made.bytes + pageBytes - 1) / pageBytes * pageBytes + (huge ? hugePageBytes : 0);
  made.mapping =
      mmap(nullptr, made.mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made.mapping == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made.base = static_cast<char *>(made.mapping);
  if (huge) {
    auto address = reinterpret_cast<uintptr_t>(made.mapping);
    made.base += (hugePageBytes - address % hugePageBytes) % hugePageBytes;
    madvise(made.mapping, made.mappedBytes, MADV_HUGEPAGE);
  }
  return CUDA_SUCCESS;
}

void DeviceMemory::giveBack(const Allocation &allocation) {
  if (allocation.mapping)
    munmap(allocation.mapping, allocation.mappedBytes);
  else
    free(allocation.base);
}

CUresult DeviceMemory::allocate(size_t bytes, MemoryKind kind, unsigned flags, char *&base) {
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> guard(lock);
  if (countsAsDevice(kind) && (usedBytes > total() || bytes > total() - usedBytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation made;
  made.bytes = bytes;
  made.kind = kind;
  made.flags = flags;
  made.id = nextId++;
  if (CUresult result = obtain(made); result != CUDA_SUCCESS)
    return result;
  if (countsAsDevice(kind))
    usedBytes += bytes;
  base = made.base;
  byBase[base] = made;
  return CUDA_SUCCESS;
}

CUresult DeviceMemory::release(const void *base, bool pinned) {
  std::lock_guard<std::mutex> guard(lock);
  auto found = byBase.find(static_cast<const char *>(base));
  if (found == byBase.end())
    return CUDA_ERROR_INVALID_VALUE;
  MemoryKind kind = found->second.kind;
  if (pinned ? kind != MemoryKind::PinnedHost : !countsAsDevice(kind))
    return CUDA_ERROR_INVALID_VALUE;
  if (!pinned)
    usedBytes -= found->second.bytes;
  giveBack(found->second);
  byBase.erase(found);
  return CUDA_SUCCESS;
}

CUresult DeviceMemory::enter(void *base, size_t bytes, MemoryKind kind, unsigned flags) {
  if (!base || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> guard(lock);
  auto *begin = static_cast<char *>(base);
  auto next = byBase.upper_bound(begin);
  bool overlaps = next != byBase.end() && next->first < begin + bytes;
  if (next != byBase.begin()) {
    const Allocation &before = std::prev(next)->second;
    overlaps |= before.base + before.bytes > begin;
  }
  if (overlaps)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  Allocation &made = byBase[begin];
  made.base = begin;
  made.bytes = bytes;
  made.kind = kind;
  made.flags = flags;
  made.id = nextId++;
  return CUDA_SUCCESS;
}

bool DeviceMemory::remove(const void *base, MemoryKind kind) {
  std::lock_guard<std::mutex> guard(lock);
  auto found = byBase.find(static_cast<const char *>(base));
  if (found == byBase.end() || found->second.kind != kind)
    return false;
  byBase.erase(found);
  return true;
}

bool DeviceMemory::find(const void *address, Allocation &found) const {
  std::lock_guard<std::mutex> guard(lock);
  auto *place = static_cast<const char *>(address);
  auto next = byBase.upper_bound(place);
  if (next == byBase.begin())
    return false;
  const Allocation &candidate = std::prev(next)->second;
  if (place >= candidate.base + candidate.bytes)
    return false;
  found = candidate;
  return true;
}

bool DeviceMemory::isAccessible(const void *address, size_t bytes) const {
  Allocation found;
  return find(address, found) && static_cast<const char *>(address) + bytes <= found.base + found.bytes;
}

void DeviceMemory::clear() {
  std::lock_guard<std::mutex> guard(lock);
  for (auto &entry : byBase)
    if (entry.second.kind != MemoryKind::RegisteredHost && entry.second.kind != MemoryKind::Variable)
      giveBack(entry.second);
  byBase.clear();
  usedBytes = 0;
}

} // namespace cufort::rt::emulated
