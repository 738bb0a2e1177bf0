#include "runtime/Emulated/FiberPool.h"
#include <algorithm>

namespace cufort::rt::emulated {

FiberPool::~FiberPool() {
  for (Fiber *fiber : all)
    destroyFiber(fiber);
}

void FiberPool::setStackBytes(size_t bytes) {
  if (bytes == stackBytes)
    return;
  trim(0);
  stackBytes = bytes;
}

Fiber *FiberPool::take() {
  Fiber *fiber = idle;
  if (fiber) {
    idle = fiber->next;
  } else {
    fiber = createFiber(stackBytes, unsigned(all.size()), entry, owner);
    if (!fiber)
      return nullptr;
    all.push_back(fiber);
  }
  fiber->taken = true;
  return fiber;
}

void FiberPool::give(Fiber &fiber) {
  fiber.taken = false;
  fiber.next = idle;
  idle = &fiber;
}

void FiberPool::resetTaken() {
  for (Fiber *fiber : all)
    if (fiber->taken) {
      resetFiber(*fiber, entry);
      give(*fiber);
    }
}

void FiberPool::trim(size_t count) {
  std::vector<Fiber *> ended;
  while (all.size() - ended.size() > count && idle) {
    ended.push_back(idle);
    idle->owner = nullptr;
    idle = idle->next;
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](Fiber *fiber) { return !fiber->owner; }), all.end());
  for (Fiber *fiber : ended)
    destroyFiber(fiber);
}

} // namespace cufort::rt::emulated
