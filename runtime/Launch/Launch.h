// Kernel launches: from Fortran's execution configuration to the driver's.
#pragma once

#include "runtime/Module/Module.h"
#include <cstdint>

namespace cufort::rt {

/// What `<<<grid, block, bytes, stream>>>` says. A grid extent of -1 asks for as many blocks as can be resident.
struct LaunchConfig {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  int64_t cluster[3] = {0, 0, 0}; ///< all 0: no cluster
  int64_t sharedBytes = 0;        ///< dynamic shared memory
  int64_t stream = 0;
  bool cooperative = false;

  int64_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
};

/// Launches `stub`'s kernel asynchronously. cudaErrorInvalidConfiguration for extents that the device cannot have,
/// without a call of the driver; the driver's error otherwise. Thread-safe; takes no lock after the first launch.
Result launchKernel(const void *stub, const LaunchConfig &config, void **params, const char *file, int line);

/// The same for a statement that has no status variable: a failure becomes pending (see recordPending). Does nothing if
/// the launch needs scratch memory that could not be had.
void launchOrRecord(const void *stub, const LaunchConfig &config, void **params, const char *file, int line);

/// The code of `kernel` that such a launch with `params` runs. Extents of the grid may be -1: not known yet.
KernelFunction &codeOfLaunch(const Current &current, LoadedKernel &kernel, const LaunchConfig &config, void **params);

/// Sets `blocks` to how many blocks of `code` the device can run at once: occupancy times multiprocessors.
Result residentBlocks(const Current &current, const KernelFunction &code, int64_t threadsPerBlock, int64_t sharedBytes,
                      int64_t &blocks);

} // namespace cufort::rt
