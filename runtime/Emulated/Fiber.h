// Flows of control with stacks of their own, of which a host thread runs one at a time. Knows the sanitizers, which
// must be told about every switch; knows nothing about kernels.
#pragma once

#include "runtime/Emulated/FiberStack.h"

namespace cufort::rt::emulated {

/// One flow of control: a stack with code suspended on it, or the host thread itself ("home").
struct Fiber {
  void *context = nullptr;
  FiberStack stack;
  Fiber *next = nullptr; ///< link of the pool's idle fibers
  bool taken = false;    ///< handed out by the pool
  void *owner = nullptr; ///< what a fiber's entry is called with
  /// What the sanitizers know it by.
  void *fakeStack = nullptr, *threadState = nullptr;
  const void *stackBottom = nullptr;
  size_t stackSize = 0;
};

/// Returns a new fiber that, when first switched to, calls `entry(its own Fiber *)`, which must not return; null if
/// there is no memory. The caller owns it and ends it with destroyFiber. `color`: see allocateStack.
Fiber *createFiber(size_t stackBytes, unsigned color, void (*entry)(void *), void *owner);

/// Makes `fiber` start again at `entry`, whatever it was doing. It must not be running.
void resetFiber(Fiber &fiber, void (*entry)(void *));

/// Ends a fiber that is not running. What was on its stack is gone, without destructors.
void destroyFiber(Fiber *fiber);

/// Makes `home` stand for the calling host thread.
void enterHome(Fiber &home);

/// Suspends `from`, which is running, and goes on with `to`. Returns when somebody switches to `from`.
void switchFiber(Fiber &from, Fiber &to);

/// Goes on with `to` and forgets where `from` was: resetFiber or destroyFiber must follow. Works in a signal handler
/// that interrupted `from`.
[[noreturn]] void abandonFiber(Fiber &from, Fiber &to);

} // namespace cufort::rt::emulated
