// One launch of a kernel: what it runs, which blocks are still to be run, and how it went.
#pragma once

#include "runtime/ABI/EmulatedABI.h"
#include "runtime/CudaDriver/DriverTypes.h"
#include "runtime/Emulated/GridBarrier.h"
#include "runtime/Emulated/Kernel.h"
#include "runtime/Emulated/PrintBuffer.h"
#include "runtime/Emulated/Settings.h"
#include <atomic>

namespace cufort::rt::emulated {

/// The execution configuration. All extents are at least 1.
struct LaunchShape {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamicShared; ///< bytes
  bool cooperative;
  uint32_t cluster[3];   ///< blocks of a cluster: divisors of those of the grid. Until it is known: 0
  bool together = false; ///< all blocks run at the same time: cooperative, or threads may wait for other blocks
};

/// Lives on the launching thread's stack until all blocks have ended. Workers share it.
class Launch {
public:
  /// `params` is what the kernel is called with, and must outlive the launch. `stackBytes`: of a device thread.
  Launch(const Kernel &kernel, const LaunchShape &shape, void **params, size_t stackBytes);

  /// Takes up to `wanted` blocks, a multiple of those of a cluster, that no worker has taken: first <= place < end in
  /// the order in which the blocks of a cluster follow one another. False if there are none.
  bool claim(uint64_t wanted, uint64_t &first, uint64_t &end);
  /// Returns the number of the block at `place` of that order.
  uint64_t blockAt(uint64_t place) const;
  /// Returns the number of blocks that no worker has taken.
  uint64_t unclaimed() const;

  /// Ends the launch with an error. Of several failures the first one counts. `what` follows "kernel 'k': ".
  /// Returns after noting it; the workers stop at the next opportunity. Thread-safe.
  void fail(CUresult code, const std::string &what);
  /// True if the launch has failed.
  bool stopped() const { return stopFlag.load(std::memory_order_relaxed); }

  /// Writes what the kernel printed, and the error message if there is one. Returns the outcome. To be called once,
  /// by the launching thread, when no worker runs it any more.
  CUresult finish();

  const Kernel &kernel;
  const LaunchShape shape;
  void **const params;
  const size_t stackBytes;
  const uint32_t threadsPerBlock;
  const uint64_t blockCount;
  const uint32_t clusterBlocks; ///< of one cluster
  const Checks checks;          ///< those that this kernel is subject to
  PrintBuffer prints;
  GridBarrier grid;
  unsigned helpers = 0; ///< workers of the pool that run blocks of it; the pool's lock protects it

private:
  std::atomic<uint64_t> nextBlock{0};
  std::atomic<bool> stopFlag{false};
  std::mutex failureLock;
  CUresult outcome = CUDA_SUCCESS;
  std::string message;
};

/// Returns "(x,y,z)" with the coordinates counted from 1, as CUDA Fortran counts them.
std::string fortranIndex(const uint32_t index[3]);

/// Returns "block (x,y,z), thread (x,y,z)", counted likewise.
std::string placeOf(const CufortEmuThread &thread);

} // namespace cufort::rt::emulated
