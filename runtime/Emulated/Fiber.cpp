#include "runtime/Emulated/Fiber.h"
#include "runtime/Emulated/ContextSwitch.h"
#include "runtime/Emulated/Sanitizers.h"
#include <cstdlib>

#if CUFORT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if CUFORT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace cufort::rt::emulated {

// The fiber that the next arrival comes from, so that the first switch away from a host thread can note its stack.
[[maybe_unused]] static thread_local Fiber *leftFiber;

// ThreadSanitizer keeps a shadow of the call stack per fiber: the function that switches must not be part of it.
#if CUFORT_TSAN
#define CUFORT_UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define CUFORT_UNSEEN_PART __attribute__((no_sanitize("thread"), always_inline)) inline
#else
#define CUFORT_UNSEEN
#define CUFORT_UNSEEN_PART inline
#endif

/// Tells the sanitizers that `from` will be left for `to`. `comesBack`: false if `from`'s stack is given up.
CUFORT_UNSEEN_PART static void announceSwitch([[maybe_unused]] Fiber &from, [[maybe_unused]] Fiber &to,
                                              [[maybe_unused]] bool comesBack) {
#if CUFORT_ASAN
  leftFiber = &from;
  __sanitizer_start_switch_fiber(comesBack ? &from.fakeStack : nullptr, to.stackBottom, to.stackSize);
#endif
#if CUFORT_TSAN
  __tsan_switch_to_fiber(to.threadState, 0);
#endif
}

/// Tells the sanitizers that `arrived` runs now.
CUFORT_UNSEEN_PART static void announceArrival([[maybe_unused]] Fiber &arrived) {
#if CUFORT_ASAN
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(arrived.fakeStack, &bottom, &size);
  if (!leftFiber->stack.low) {
    leftFiber->stackBottom = bottom;
    leftFiber->stackSize = size;
  }
#endif
}

namespace {
struct Start {
  Fiber *fiber;
  void (*entry)(void *);
};
} // namespace

// `fiber->context` is only read when somebody switches to the fiber, so the entry can travel on the new stack.
static void firstArrival(void *argument) {
  Start start = *static_cast<Start *>(argument);
  announceArrival(*start.fiber);
  start.entry(start.fiber);
  abort();
}

void resetFiber(Fiber &fiber, void (*entry)(void *)) {
#if CUFORT_ASAN
  __asan_unpoison_memory_region(fiber.stack.low, size_t(fiber.stack.top - fiber.stack.low));
  fiber.fakeStack = nullptr;
#endif
#if CUFORT_TSAN
  if (fiber.threadState)
    __tsan_destroy_fiber(fiber.threadState);
  fiber.threadState = __tsan_create_fiber(0);
#endif
  auto *start = reinterpret_cast<Start *>(fiber.stack.top - sizeof(Start));
  *start = {&fiber, entry};
  fiber.context = makeContext(reinterpret_cast<char *>(start), firstArrival, start);
}

Fiber *createFiber(size_t stackBytes, unsigned color, void (*entry)(void *), void *owner) {
  FiberStack stack = allocateStack(stackBytes, color);
  if (!stack.low)
    return nullptr;
  auto *fiber = new Fiber();
  fiber->stack = stack;
  fiber->owner = owner;
  fiber->stackBottom = stack.low;
  fiber->stackSize = size_t(stack.top - stack.low);
  resetFiber(*fiber, entry);
  return fiber;
}

void destroyFiber(Fiber *fiber) {
#if CUFORT_ASAN
  __asan_unpoison_memory_region(fiber->stack.low, size_t(fiber->stack.top - fiber->stack.low));
#endif
#if CUFORT_TSAN
  __tsan_destroy_fiber(fiber->threadState);
#endif
  freeStack(fiber->stack);
  delete fiber;
}

void enterHome([[maybe_unused]] Fiber &home) {
#if CUFORT_TSAN
  home.threadState = __tsan_get_current_fiber();
#endif
}

CUFORT_UNSEEN void switchFiber(Fiber &from, Fiber &to) {
  announceSwitch(from, to, true);
  cufortEmuSwitchContext(&from.context, to.context);
  announceArrival(from);
}

CUFORT_UNSEEN void abandonFiber(Fiber &from, Fiber &to) {
  announceSwitch(from, to, false);
  cufortEmuSwitchContext(&from.context, to.context);
  abort(); // nobody switches to an abandoned fiber before it is reset
}

} // namespace cufort::rt::emulated
