// Where device memory lies: in a range of addresses of its own, so far from everything else that a wrong index of
// default integer kind cannot get from a device array to the host's memory. Every piece is followed by addresses that
// fault.
#pragma once

#include "runtime/Emulated/RangeAllocator.h"
#include <mutex>

namespace cufort::rt::emulated {

/// Memory between addresses that fault.
struct GuardedMemory {
  char *base = nullptr;    ///< the first byte; null if there is none
  char *mapping = nullptr; ///< what has to be given back
  size_t mappedBytes = 0;
  size_t guardBytes = 0; ///< that fault behind it
};

/// Thread-safe. All sizes are in bytes.
class AddressSpace {
public:
  /// What faults behind a piece, as long as the system allows so many mappings.
  static constexpr size_t guardBytes = 64 << 10;

  /// Returns the process's address space of device memory.
  static AddressSpace &instance();

  /// Returns `bytes` bytes whose address is a multiple of `alignment` (a power of two up to a page) and which end as
  /// close before addresses that fault as that allows, or begin right behind such; a null base if there is no memory.
  /// They are zero.
  GuardedMemory take(size_t bytes, size_t alignment, bool begins = false);
  /// Gives memory back. Its addresses fault from now on, and are used again as late as possible.
  void give(const GuardedMemory &memory);
  /// True if `address` can be no address of the host's memory, whether there is device memory now or not.
  bool contains(const void *address) const;

private:
  AddressSpace();
  char *find(size_t bytes, size_t alignment);
  void forget(char *mapping, size_t bytes);

  mutable std::mutex lock;
  RangeAllocator unused;
  uintptr_t low = 0, high = 0;          ///< the reserved range without its margins; empty if there is none
  std::map<uintptr_t, uintptr_t> extra; ///< first address to end of what was mapped besides; kept for later pieces
  long guardedPieces = 0, guardedLimit = 0;
};

} // namespace cufort::rt::emulated
