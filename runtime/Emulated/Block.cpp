#include "runtime/Emulated/Block.h"
#include "runtime/Emulated/Cluster.h"
#include "runtime/Emulated/Launch.h"
#include <algorithm>

namespace cufort::rt::emulated {

void blockCoordinates(uint64_t number, const uint32_t grid[3], uint32_t index[3]) {
  index[0] = uint32_t(number % grid[0]);
  number /= grid[0];
  index[1] = uint32_t(number % grid[1]);
  index[2] = uint32_t(number / grid[1]);
}

void Block::prepare(const Launch &theLaunch) {
  launch = &theLaunch;
  const LaunchShape &shape = launch->shape;
  uint32_t count = launch->threadsPerBlock;
  if (count > capacity) {
    threads = std::make_unique<DeviceThread[]>(count);
    warps = std::make_unique<Warp[]>((count + 31) / 32);
    capacity = count;
  }
  threadCount = count;
  uint32_t staticShared = launch->kernel.code->staticSharedBytes;
  for (uint32_t i = 0; i < count; ++i) {
    DeviceThread &thread = threads[i];
    thread.threadIdx[0] = i % shape.block[0];
    thread.threadIdx[1] = i / shape.block[0] % shape.block[1];
    thread.threadIdx[2] = i / shape.block[0] / shape.block[1];
    std::copy_n(shape.block, 3, thread.blockDim);
    std::copy_n(shape.grid, 3, thread.gridDim);
    std::copy_n(shape.cluster, 3, thread.clusterDim);
    thread.laneId = i % 32;
    thread.dynamicSharedBytes = shape.dynamicShared;
    thread.sharedBase = shared.base();
    thread.dynamicShared = shared.base() + staticShared;
    thread.block = this;
    thread.warp = &warps[i / 32];
  }
  races.reset(launch->checks.race ? new RaceDetector() : nullptr);
  if (races)
    races->prepare(count, staticShared + shape.dynamicShared);
}

void Block::begin(uint64_t theNumber) {
  number = theNumber;
  blockCoordinates(number, launch->shape.grid, index);
  next = 0;
  live = threadCount;
  barrier = BarrierState();
  atGridBarrier = 0;
  gridConflict = false;
  cluster.reset();
  for (uint32_t first = 0; first < threadCount; first += 32) {
    Warp &warp = warps[first / 32];
    uint32_t lanes = std::min(threadCount - first, 32u);
    warp.existing = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warp.alive = warp.busy = warp.existing;
    warp.groupCount = 0;
  }
  if (races)
    races->begin();
}

void Block::passBarrier() {
  if (races)
    races->passBarrier();
}

void Block::noteAtomic(const DeviceThread &thread) {
  if (races)
    races->noteAtomic(uint32_t(&thread - threads.get()));
}

bool Block::isFree() const { return live == 0 && (!cluster || cluster->live() == 0); }

} // namespace cufort::rt::emulated
