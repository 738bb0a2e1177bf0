// How a worker runs its part of a cooperative launch: all its blocks at once, every device thread on a fiber.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"
#include <unistd.h>

namespace cufort::rt::emulated {

Block *Worker::freeSlot() {
  for (auto &slot : slots)
    if (slot->isFree())
      return slot.get();
  slots.push_back(std::make_unique<Block>());
  return slots.back().get();
}

void Worker::emptySlots() {
  for (auto &slot : slots) {
    slot->live = 0;
    slot->cluster.reset();
  }
}

Block *Worker::takeSlot(uint64_t number) {
  size_t sharedBytes = currentLaunch->kernel.code->staticSharedBytes + currentLaunch->shape.dynamicShared;
  Block *block = freeSlot();
  if (!block->shared.reserve(sharedBytes)) {
    currentLaunch->fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "no memory for shared memory");
    return nullptr;
  }
  block->prepare(*currentLaunch);
  beginBlock(*block, number);
  return block;
}

bool Worker::startCooperative(uint64_t first, uint64_t end) {
  for (uint64_t place = first; place < end; place += currentLaunch->clusterBlocks) {
    if (currentLaunch->clusterBlocks > 1) {
      if (!startCluster(place))
        return false;
      continue;
    }
    Block *block = takeSlot(place);
    if (!block)
      return false;
    startBlock(*block);
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
  emptySlots();
  launch.grid.join();
  uint64_t clusters = launch.blockCount / launch.clusterBlocks;
  uint64_t share = (clusters + settings().threads - 1) / settings().threads * launch.clusterBlocks;
  uint64_t first, end;
  scheduler.expectMore(true);
  while (launch.claim(share, first, end) && startCooperative(first, end)) {
    leaveSomeToOthers(launch);
    share = launch.clusterBlocks;
  }
  scheduler.expectMore(false);
  while (!launch.stopped() && (scheduler.canRun() || meetAtGridBarrier())) {
    scheduler.run();
    settleFailure();
  }
  launch.grid.leave();
  settleFailure();
  emptySlots();
}

} // namespace cufort::rt::emulated
