#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Block.h"
#include "runtime/Emulated/EmulatedContext.h"
#include "runtime/Emulated/Settings.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace cufort::rt::emulated {

/// Without a choice of the user's, a kernel that is compiled for checks gets them all.
static Checks checksOf(const Kernel &kernel) {
  bool isPrepared = kernel.code->flags & CufortEntryChecked;
  if (!settings().choosesChecks)
    return {isPrepared, isPrepared, isPrepared, false, settings().checks.host};
  static std::atomic<bool> warned{false};
  if (settings().checks.race && !isPrepared && kernel.code->staticSharedBytes && !warned.exchange(true))
    fprintf(stderr, "cufort: no data races are looked for in kernel '%s': compile it with -gpu=check\n",
            kernel.name.c_str());
  return settings().checks;
}

Launch::Launch(const Kernel &kernel, const LaunchShape &shape, void **params, size_t stackBytes)
    : kernel(kernel), shape(shape), params(params), stackBytes(stackBytes),
      threadsPerBlock(shape.block[0] * shape.block[1] * shape.block[2]),
      blockCount(uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2]),
      clusterBlocks(shape.cluster[0] * shape.cluster[1] * shape.cluster[2]), checks(checksOf(kernel)),
      grid(blockCount) {}

uint64_t Launch::blockAt(uint64_t place) const {
  if (clusterBlocks == 1)
    return place;
  uint32_t clusters[3], ofGrid[3], inCluster[3];
  for (int i = 0; i < 3; ++i)
    clusters[i] = shape.grid[i] / shape.cluster[i];
  blockCoordinates(place / clusterBlocks, clusters, ofGrid);
  blockCoordinates(place % clusterBlocks, shape.cluster, inCluster);
  uint64_t number = 0;
  for (int i = 2; i >= 0; --i)
    number = number * shape.grid[i] + uint64_t(ofGrid[i]) * shape.cluster[i] + inCluster[i];
  return number;
}

bool Launch::claim(uint64_t wanted, uint64_t &first, uint64_t &end) {
  if (stopped())
    return false;
  // The counter may run past the end, by less than the workers' last wishes together: it cannot wrap around.
  first = nextBlock.load(std::memory_order_relaxed);
  if (first < blockCount)
    first = nextBlock.fetch_add(wanted, std::memory_order_relaxed);
  if (first >= blockCount)
    return false;
  end = std::min(first + wanted, blockCount);
  return true;
}

uint64_t Launch::unclaimed() const {
  uint64_t next = nextBlock.load(std::memory_order_relaxed);
  return next < blockCount ? blockCount - next : 0;
}

void Launch::fail(CUresult code, const std::string &what) {
  {
    std::lock_guard<std::mutex> guard(failureLock);
    if (outcome != CUDA_SUCCESS)
      return;
    outcome = code;
    message = "cufort: kernel '" + kernel.name + "': " + what + "\n";
  }
  stopFlag.store(true, std::memory_order_relaxed);
  grid.stop();
}

CUresult Launch::finish() {
  prints.flush();
  if (settings().checks.places())
    if (std::string written = EmulatedContext::instance().memory.restoreSurroundings(); !written.empty())
      fail(CUDA_ERROR_ILLEGAL_ADDRESS, "has written to memory " + written + "; CUFORT_CHECK=" +
                                           (settings().checks.below ? "bounds" : "below") + " names the statement");
  if (outcome != CUDA_SUCCESS)
    if (write(STDERR_FILENO, message.data(), message.size()) < 0)
      return outcome; // nowhere to say it
  return outcome;
}

std::string fortranIndex(const uint32_t index[3]) {
  // In 64 bits: the last block of the largest grid is number 2147483647 + 1 - 1.
  auto number = [&](int i) { return std::to_string(uint64_t(index[i]) + 1); };
  return "(" + number(0) + "," + number(1) + "," + number(2) + ")";
}

std::string placeOf(const CufortEmuThread &thread) {
  return "block " + fortranIndex(thread.blockIdx) + ", thread " + fortranIndex(thread.threadIdx);
}

} // namespace cufort::rt::emulated
