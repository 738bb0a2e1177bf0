// The blocks of one thread block cluster, which run together on one worker: what they wait for at their barrier, and
// whose shared memory is whose.
#pragma once

#include "runtime/Emulated/Block.h"
#include <vector>

namespace cufort::rt::emulated {

struct Cluster {
  std::vector<Block *> blocks; ///< by rank
  uint32_t arrived = 0;        ///< threads that wait at the barrier
  const char *where = nullptr; ///< of the barrier
  bool conflict = false;       ///< threads arrived at different barriers: it never completes

  /// Returns the number of threads that have not ended.
  uint32_t live() const;
};

} // namespace cufort::rt::emulated
