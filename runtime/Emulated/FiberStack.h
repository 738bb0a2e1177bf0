// Memory for the stacks of device threads.
#pragma once

#include <cstddef>

namespace cufort::rt::emulated {

/// A stack that grows down from `top` to `low`. Below `low` lies a guard area that faults when touched, or, when the
/// process has so many stacks that the kernel's limit on mappings is in sight, a mark that overwriting destroys.
struct FiberStack {
  char *low = nullptr;
  char *top = nullptr;
  char *mapping = nullptr;
  size_t mappedBytes = 0;
  bool guarded = false;
  unsigned debuggerId = 0; ///< valgrind's number for it
};

/// Returns a stack of at least `bytes` bytes; `low` is null if there is no memory. `color` should differ between
/// stacks in use together: it staggers their tops, so that they do not compete for the same lines of the cache.
FiberStack allocateStack(size_t bytes, unsigned color);

/// Gives a stack back. Nothing may run on it.
void freeStack(FiberStack &stack);

/// True if `address` lies where the guard area below `stack` is, or would be.
bool isJustBelow(const FiberStack &stack, const void *address);

/// True if a stack without guard area has been overrun.
bool isOverrun(const FiberStack &stack);

/// Sets how many stacks there may be before further ones get no guard area: at first, so many that they take half of
/// the mappings that the system allows a process. Returns what it was. For unit tests.
long limitGuardedStacks(long count);

} // namespace cufort::rt::emulated
