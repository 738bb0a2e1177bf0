// How a worker runs its part of a cooperative launch: all its blocks at once, every device thread on a fiber.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"
#include <unistd.h>

namespace cufort::rt::emulated {

Block *Worker::freeSlot() {
  for (auto &slot : slots)
    if (slot->live == 0)
      return slot.get();
  slots.push_back(std::make_unique<Block>());
  return slots.back().get();
}

bool Worker::startCooperative(uint64_t first, uint64_t end) {
  size_t sharedBytes = currentLaunch->kernel.code->staticSharedBytes + currentLaunch->shape.dynamicShared;
  for (uint64_t number = first; number < end; ++number) {
    Block *block = freeSlot();
    if (!block->shared.reserve(sharedBytes)) {
      currentLaunch->fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "no memory for shared memory");
      return false;
    }
    block->prepare(*currentLaunch);
    startBlock(*block, number);
    if (settleFailure())
      return false;
  }
  return true;
}

/// Waits a moment for other workers to take the blocks that are left, so that the first one does not run them all.
static void leaveSomeToOthers(const Launch &launch) {
  uint64_t left = launch.unclaimed();
  for (int i = 0; i < 20 && left; ++i) {
    usleep(50);
    uint64_t now = launch.unclaimed();
    if (now != left)
      i = 0;
    left = now;
  }
}

bool Worker::meetAtGridBarrier() {
  bool anyLive = false;
  for (auto &slot : slots) {
    if (slot->live == 0)
      continue;
    anyLive = true;
    if (!slot->isAtGridBarrier()) {
      currentLaunch->fail(CUDA_ERROR_LAUNCH_FAILED, describeDeadlock(*slot));
      return false;
    }
  }
  if (!anyLive)
    return false;
  GridBarrier::Outcome outcome = currentLaunch->grid.wait(phase);
  if (outcome == GridBarrier::Outcome::Stuck)
    currentLaunch->fail(CUDA_ERROR_LAUNCH_FAILED,
                        "blocks wait for ever at the grid barrier: " + currentLaunch->grid.describe());
  if (outcome != GridBarrier::Outcome::Released)
    return false;
  ++phase;
  for (auto &slot : slots)
    if (slot->live)
      releaseGridBarrier(scheduler, *slot);
  return true;
}

void Worker::runCooperative() {
  Launch &launch = *currentLaunch;
  for (auto &slot : slots)
    slot->live = 0;
  launch.grid.join();
  uint64_t share = (launch.blockCount + settings().threads - 1) / settings().threads;
  uint64_t first, end;
  scheduler.expectMore(true);
  while (launch.claim(share, first, end) && startCooperative(first, end)) {
    leaveSomeToOthers(launch);
    share = 1;
  }
  scheduler.expectMore(false);
  while (!launch.stopped() && (scheduler.canRun() || meetAtGridBarrier())) {
    scheduler.run();
    settleFailure();
  }
  launch.grid.leave();
  settleFailure();
  for (auto &slot : slots)
    slot->live = 0;
}

} // namespace cufort::rt::emulated
