#include "runtime/Emulated/AddressSpace.h"
#include "runtime/Emulated/HostLimits.h"
#include "runtime/Emulated/Settings.h"
#include <algorithm>
#include <sys/mman.h>

namespace cufort::rt::emulated {

static constexpr size_t pageBytes = 4096, hugePageBytes = 2 << 20, gigabyte = size_t(1) << 30;
// What an index of 32 bits reaches with elements of 8 bytes.
static constexpr size_t marginBytes = 16 * gigabyte;

static char *mapNothing(void *place, size_t bytes) {
  int fixed = place ? MAP_FIXED : 0;
  void *mapping = mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  return mapping == MAP_FAILED ? nullptr : static_cast<char *>(mapping);
}

AddressSpace &AddressSpace::instance() {
  static auto *space = new AddressSpace(); // used until the process is gone
  return *space;
}

// Addresses alone cost nothing; several times the memory keeps freed addresses unused for long. Where the process may
// not have so many (ulimit -v), pieces are mapped as they are needed.
AddressSpace::AddressSpace() {
  // A guarded piece is two mappings of the process; a quarter of what it may have leaves most to the program.
  guardedLimit = mappingLimit() / 8;
  size_t bytes = std::max(64 * gigabyte, 4 * settings().memoryBytes) / gigabyte * gigabyte;
  char *mapping = mapNothing(nullptr, bytes + 2 * marginBytes);
  if (!mapping)
    return;
  low = reinterpret_cast<uintptr_t>(mapping) + marginBytes;
  high = low + bytes;
  unused = RangeAllocator(low, high);
}

bool AddressSpace::contains(const void *address) const {
  auto place = reinterpret_cast<uintptr_t>(address);
  if (low < high && place >= low - marginBytes && place < high + marginBytes)
    return true;
  std::lock_guard<std::mutex> guard(lock);
  auto next = extra.upper_bound(place);
  return next != extra.begin() && place < std::prev(next)->second;
}

char *AddressSpace::find(size_t bytes, size_t alignment) {
  if (uintptr_t address = unused.take(bytes, alignment))
    return reinterpret_cast<char *>(address);
  char *mapping = mapNothing(nullptr, bytes);
  if (mapping)
    extra[reinterpret_cast<uintptr_t>(mapping)] = reinterpret_cast<uintptr_t>(mapping) + bytes;
  return mapping;
}

void AddressSpace::forget(char *mapping, size_t bytes) {
  // One call that frees the memory and lets the mapping grow together with its neighbours. At the limit of mappings
  // it fails, and the memory alone is freed.
  if (!mapNothing(mapping, bytes))
    madvise(mapping, bytes, MADV_DONTNEED);
  unused.give(reinterpret_cast<uintptr_t>(mapping), bytes);
}

GuardedMemory AddressSpace::take(size_t bytes, size_t alignment, bool begins) {
  GuardedMemory memory;
  size_t aligned = (bytes + alignment - 1) / alignment * alignment;
  memory.mappedBytes = (aligned + pageBytes - 1) / pageBytes * pageBytes;
  if (aligned < bytes || memory.mappedBytes < aligned)
    return {};
  std::lock_guard<std::mutex> guard(lock);
  memory.guardBytes = guardedPieces < guardedLimit ? guardBytes : 0;
  bool huge = memory.mappedBytes >= hugePageBytes;
  memory.mapping = find(memory.mappedBytes + memory.guardBytes, huge ? hugePageBytes : pageBytes);
  if (!memory.mapping)
    return {};
  if (mprotect(memory.mapping, memory.mappedBytes, PROT_READ | PROT_WRITE) != 0) {
    forget(memory.mapping, memory.mappedBytes + memory.guardBytes);
    return {};
  }
  if (huge)
    madvise(memory.mapping, memory.mappedBytes, MADV_HUGEPAGE);
  guardedPieces += memory.guardBytes != 0;
  memory.base = begins ? memory.mapping : memory.mapping + memory.mappedBytes - aligned;
  return memory;
}

void AddressSpace::give(const GuardedMemory &memory) {
  if (!memory.mapping)
    return;
  std::lock_guard<std::mutex> guard(lock);
  forget(memory.mapping, memory.mappedBytes + memory.guardBytes);
  guardedPieces -= memory.guardBytes != 0;
}

} // namespace cufort::rt::emulated
