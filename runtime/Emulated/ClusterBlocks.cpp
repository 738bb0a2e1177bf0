// How a worker runs clusters: all blocks of one at the same time, every device thread on a fiber.
#include "runtime/Emulated/ChunkSize.h"
#include "runtime/Emulated/Cluster.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"

namespace cufort::rt::emulated {

bool Worker::startCluster(uint64_t first) {
  auto cluster = std::make_shared<Cluster>();
  uint32_t size = currentLaunch->clusterBlocks;
  for (uint32_t rank = 0; rank < size; ++rank) {
    Block *block = takeSlot(currentLaunch->blockAt(first + rank));
    if (!block)
      return false;
    block->cluster = cluster;
    cluster->blocks.push_back(block);
  }
  // A barrier counts the threads of all blocks, and shared memory of all is in use, before the first thread runs.
  for (Block *block : cluster->blocks) {
    startBlock(*block);
    if (settleFailure())
      return false;
  }
  return true;
}

bool Worker::finishCluster() {
  while (scheduler.canRun()) {
    scheduler.run();
    if (settleFailure())
      return false;
  }
  for (auto &slot : slots)
    if (slot->live) {
      currentLaunch->fail(CUDA_ERROR_LAUNCH_FAILED, describeDeadlock(*slot));
      return false;
    }
  return true;
}

void Worker::runClusters(double seconds) {
  emptySlots();
  ChunkSize chunk(settings().threads);
  uint64_t first, end;
  bool going = true;
  while (going && currentLaunch->claim(currentLaunch->clusterBlocks, first, end)) {
    scheduler.expectMore(true);
    going = startCluster(first);
    scheduler.expectMore(false);
    going = going && finishCluster();
    double elapsed = chunk.chunkEnded();
    if (seconds > 0 && elapsed > seconds)
      break;
  }
  settleFailure();
  emptySlots();
}

} // namespace cufort::rt::emulated
