#include "runtime/Emulated/FiberStack.h"
#include "runtime/Emulated/HostLimits.h"
#include <atomic>
#include <cstdint>
#include <sys/mman.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, top) 0
#define VALGRIND_STACK_DEREGISTER(id) (void)(id)
#endif

namespace cufort::rt::emulated {

// As large as a default stack, so that one big frame cannot step over it unseen; it costs address space only.
static constexpr size_t guardBytes = 64 << 10;
static constexpr size_t pageBytes = 4096;
static constexpr uint64_t overrunMark = 0xc0f0'57ac'0e4d'0000;

static std::atomic<long> stackCount{0};

/// Every guarded stack costs two mappings; half of what the system allows leaves the rest to the program.
static std::atomic<long> &guardedStackLimit() {
  static std::atomic<long> limit{mappingLimit() / 4};
  return limit;
}

long limitGuardedStacks(long count) { return guardedStackLimit().exchange(count); }

FiberStack allocateStack(size_t bytes, unsigned color) {
  FiberStack stack;
  bytes = (bytes + pageBytes - 1) / pageBytes * pageBytes + pageBytes; // one page for the stagger
  stack.guarded = stackCount.fetch_add(1, std::memory_order_relaxed) < guardedStackLimit();
  size_t guard = stack.guarded ? guardBytes : 0;
  void *memory = mmap(nullptr, guard + bytes, stack.guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    stackCount.fetch_sub(1, std::memory_order_relaxed);
    return stack;
  }
  stack.mapping = static_cast<char *>(memory);
  stack.mappedBytes = guard + bytes;
  stack.low = stack.mapping + guard;
  stack.top = stack.low + bytes - color % 16 * 256;
  if (stack.guarded && mprotect(stack.low, bytes, PROT_READ | PROT_WRITE) != 0) {
    freeStack(stack);
    return FiberStack();
  }
  if (!stack.guarded) {
    madvise(stack.mapping, stack.mappedBytes, MADV_NOHUGEPAGE); // neighbours merge into one large mapping
    *reinterpret_cast<uint64_t *>(stack.low) = overrunMark;
  }
  stack.debuggerId = VALGRIND_STACK_REGISTER(stack.low, stack.low + bytes);
  return stack;
}

void freeStack(FiberStack &stack) {
  if (!stack.mapping)
    return;
  VALGRIND_STACK_DEREGISTER(stack.debuggerId);
  munmap(stack.mapping, stack.mappedBytes);
  stackCount.fetch_sub(1, std::memory_order_relaxed);
  stack = FiberStack();
}

bool isJustBelow(const FiberStack &stack, const void *address) {
  auto *place = static_cast<const char *>(address);
  return place < stack.low && place >= stack.low - guardBytes;
}

bool isOverrun(const FiberStack &stack) {
  return !stack.guarded && *reinterpret_cast<const uint64_t *>(stack.low) != overrunMark;
}

} // namespace cufort::rt::emulated
