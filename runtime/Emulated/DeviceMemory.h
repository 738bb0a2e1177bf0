// Which memory is device memory. The emulated device shares the host's address space, but a program must not notice:
// what a GPU would refuse is refused here.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include "runtime/Emulated/AddressSpace.h"
#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace cufort::rt::emulated {

enum class MemoryKind {
  Device,
  Managed,
  PinnedHost,     ///< allocated as page-locked host memory
  RegisteredHost, ///< the program's, declared to be page-locked
  Variable        ///< of a loaded module
};

struct Allocation {
  char *base = nullptr;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  unsigned flags = 0;    ///< of its kind; of a managed variable CU_MEM_ATTACH_GLOBAL
  uint64_t id = 0;       ///< never reused
  GuardedMemory memory;  ///< if it is ours
  bool isFilled = false; ///< with a value that shows what has been written, as is the rest of its pages

  bool isManaged() const {
    return kind == MemoryKind::Managed || (kind == MemoryKind::Variable && flags == CU_MEM_ATTACH_GLOBAL);
  }
};

/// The table of everything that device code may be given the address of. Thread-safe. All sizes are in bytes.
class DeviceMemory {
public:
  /// Allocates device, managed or pinned memory, aligned to 256 bytes or, if pinned, to pages. The contents are
  /// undefined. Pinned memory does not count as device memory. Less than the alignment lies between its end and
  /// addresses that fault; with CUFORT_CHECK=1 nothing does, for which small memory is aligned as its size is, and it
  /// is filled with 0xCB. With CUFORT_CHECK=below nothing lies between its start and addresses that fault.
  CUresult allocate(size_t bytes, MemoryKind kind, unsigned flags, char *&base);
  /// Frees what allocate returned: CUDA_ERROR_INVALID_VALUE if `base` is nothing of the kind.
  CUresult release(const void *base, bool pinned);
  /// Enters memory that is not ours. `guardBytes`: of addresses behind it that fault.
  CUresult enter(void *base, size_t bytes, MemoryKind kind, unsigned flags, size_t guardBytes = 0);
  /// Takes out of the table what enter put there. False if it is not there.
  bool remove(const void *base, MemoryKind kind);
  /// Sets `found` to what `address` points into; false if into nothing that is known.
  bool find(const void *address, Allocation &found) const;
  /// True if device code may access `bytes` bytes at `address`.
  bool isAccessible(const void *address, size_t bytes) const;
  /// True if a copy may read or write `bytes` bytes at `address`, which may also be plain host memory: they do not
  /// reach beyond an allocation, and are no device memory that has been freed.
  bool isCopyable(const void *address, size_t bytes) const;
  /// Returns what there is to say about an address that device code may not access, as in "4 bytes past the end of 400
  /// bytes of device memory"; an empty string if nothing is known.
  std::string describeFault(const void *address) const;
  /// Looks where allocations share their pages with nothing: "4 bytes before the start of 400 bytes of device memory"
  /// if somebody has written there, and an empty string if not. What was written is removed. For checks of bounds.
  std::string restoreSurroundings();
  /// From here on device code may access all memory of the host, too.
  static void allowHostMemory() { hostMemoryToo.store(true, std::memory_order_relaxed); }
  /// Between these two the host's code has access to device memory if CUFORT_CHECK=host takes it away otherwise. Calls
  /// may be nested, and come from several threads. See DeviceAccess.
  void open();
  void close();
  /// True if `address` is in memory that the host has no access to.
  bool isHidden(const void *address) const;
  /// Frees everything.
  void clear();
  /// Returns the bytes of device memory that are allocated, and that there are.
  size_t used() const;
  static size_t total();

private:
  mutable std::mutex lock;
  std::map<const char *, Allocation> byBase;
  size_t usedBytes = 0;
  uint64_t nextId = 1;
  unsigned openings = 0;
  inline static std::atomic<bool> hostMemoryToo{false};
};

} // namespace cufort::rt::emulated
