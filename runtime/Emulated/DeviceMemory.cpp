#include "runtime/Emulated/DeviceMemory.h"
#include "runtime/Emulated/Settings.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <sys/mman.h>

namespace cufort::rt::emulated {

static constexpr size_t pageBytes = 4096, usualAlignment = 256;

/// What memory is filled with that nobody has written, and what lies in front of and behind it in its pages.
static constexpr unsigned char unwritten = 0xcb;

static bool countsAsDevice(MemoryKind kind) { return kind == MemoryKind::Device || kind == MemoryKind::Managed; }

/// Memory that the host of a GPU cannot read or write. Small constants share their pages with the host's data.
static bool isHiddenKind(const Allocation &allocation) {
  bool hasPages = allocation.kind == MemoryKind::Variable && allocation.memory.guardBytes && !allocation.flags;
  return settings().checks.host && (allocation.kind == MemoryKind::Device || hasPages);
}

static void setAccess(const Allocation &allocation, int protection) {
  if (!isHiddenKind(allocation))
    return;
  auto first = reinterpret_cast<uintptr_t>(allocation.base) / pageBytes * pageBytes;
  auto end = reinterpret_cast<uintptr_t>(allocation.base) + allocation.bytes;
  mprotect(reinterpret_cast<void *>(first), (end - first + pageBytes - 1) / pageBytes * pageBytes, protection);
}

size_t DeviceMemory::total() { return settings().memoryBytes; }

size_t DeviceMemory::used() const {
  std::lock_guard<std::mutex> guard(lock);
  return usedBytes;
}

static size_t alignmentOf(MemoryKind kind, size_t bytes) {
  if (kind == MemoryKind::PinnedHost)
    return pageBytes;
  size_t natural = bytes & -bytes;
  return settings().checks.bounds ? std::min(natural, usualAlignment) : usualAlignment;
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
  made.memory = AddressSpace::instance().take(bytes, alignmentOf(kind, bytes), settings().checks.below);
  made.base = made.memory.base;
  if (!made.base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made.isFilled = settings().checks.any();
  if (made.isFilled)
    memset(made.memory.mapping, unwritten, made.memory.mappedBytes);
  if (countsAsDevice(kind))
    usedBytes += bytes;
  base = made.base;
  byBase[base] = made;
  if (openings == 0)
    setAccess(made, PROT_NONE);
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
  AddressSpace::instance().give(found->second.memory);
  byBase.erase(found);
  return CUDA_SUCCESS;
}

CUresult DeviceMemory::enter(void *base, size_t bytes, MemoryKind kind, unsigned flags, size_t guardBytes) {
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
  made.memory.guardBytes = guardBytes;
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
  if (hostMemoryToo.load(std::memory_order_relaxed))
    return isCopyable(address, bytes);
  return find(address, found) && bytes <= size_t(found.base + found.bytes - static_cast<const char *>(address));
}

bool DeviceMemory::isCopyable(const void *address, size_t bytes) const {
  Allocation found;
  if (find(address, found))
    return bytes <= size_t(found.base + found.bytes - static_cast<const char *>(address));
  return address && !AddressSpace::instance().contains(address);
}

static std::string distanceText(size_t bytes, const char *where, const Allocation &allocation) {
  return std::to_string(bytes) + " bytes " + where + " of " + std::to_string(allocation.bytes) +
         " bytes of device memory";
}

static bool isUnwritten(char byte) { return static_cast<unsigned char>(byte) == unwritten; }

std::string DeviceMemory::restoreSurroundings() {
  std::lock_guard<std::mutex> guard(lock);
  std::string found;
  for (const auto &[base, allocation] : byBase) {
    if (!allocation.isFilled)
      continue;
    char *first = allocation.memory.mapping, *last = first + allocation.memory.mappedBytes;
    char *begin = allocation.base, *end = begin + allocation.bytes;
    char *belowFirst =
        std::find_if_not(std::make_reverse_iterator(begin), std::make_reverse_iterator(first), isUnwritten).base();
    char *past = std::find_if_not(end, last, isUnwritten);
    if (belowFirst == first && past == last)
      continue;
    if (found.empty()) {
      // Where the written bytes begin that lie nearest.
      char *start =
          std::find_if(std::make_reverse_iterator(belowFirst), std::make_reverse_iterator(first), isUnwritten).base();
      found = past != last ? distanceText(size_t(past - end), "past the end", allocation)
                           : distanceText(size_t(begin - start), "before the start", allocation);
    }
    memset(first, unwritten, size_t(begin - first));
    memset(end, unwritten, size_t(last - end));
  }
  return found;
}

std::string DeviceMemory::describeFault(const void *address) const {
  std::lock_guard<std::mutex> guard(lock);
  auto *place = static_cast<const char *>(address);
  auto next = byBase.upper_bound(place);
  constexpr size_t far = AddressSpace::guardBytes;
  size_t past = far, below = far;
  if (next != byBase.begin()) {
    const Allocation &before = std::prev(next)->second;
    const char *end = before.base + before.bytes;
    if (place >= end && place < end + before.memory.guardBytes)
      past = size_t(place - end);
  }
  if (next != byBase.end())
    below = size_t(next->first - place);
  // Farther away, an index that is too large is the likelier mistake.
  if (below < std::min(past, pageBytes))
    return distanceText(below, "before the start", next->second);
  if (past < far)
    return distanceText(past, "past the end", std::prev(next)->second);
  return AddressSpace::instance().contains(address) ? "where there is no device memory, or no longer" : "";
}

void DeviceMemory::open() {
  if (!settings().checks.host)
    return;
  std::lock_guard<std::mutex> guard(lock);
  if (openings++ == 0)
    for (const auto &[base, allocation] : byBase)
      setAccess(allocation, PROT_READ | PROT_WRITE);
}

void DeviceMemory::close() {
  if (!settings().checks.host)
    return;
  std::lock_guard<std::mutex> guard(lock);
  if (--openings == 0)
    for (const auto &[base, allocation] : byBase)
      setAccess(allocation, PROT_NONE);
}

bool DeviceMemory::isHidden(const void *address) const {
  Allocation found;
  return find(address, found) && isHiddenKind(found);
}

void DeviceMemory::clear() {
  std::lock_guard<std::mutex> guard(lock);
  for (auto &[base, allocation] : byBase) {
    setAccess(allocation, PROT_READ | PROT_WRITE); // variables stay
    AddressSpace::instance().give(allocation.memory);
  }
  byBase.clear();
  usedBytes = 0;
}

} // namespace cufort::rt::emulated
