// Code that calculates what other code does, to the bit, with other registers (CufortTestAlternative in
// runtime/ABI/RuntimeABI.h), and what launches have measured of it.
#pragma once

#include "runtime/Module/KernelVersions.h"
#include <array>
#include <deque>
#include <limits>
#include <mutex>

namespace cufort::rt {

/// What decides, beside the arguments, how long code takes.
struct LaunchShape {
  int64_t grid[3], block[3], sharedBytes;

  bool operator==(const LaunchShape &other) const;
};

/// Code that may be the fastest.
struct Contender {
  KernelFunction *code;
  int begun = 0, measured = 0; ///< launches
  float leastMs = std::numeric_limits<float>::infinity();
  bool isOut = false;
};

/// A launch that is being measured.
struct Measurement {
  CUevent begin = nullptr, end = nullptr;
  size_t contender = 0;
};

/// Launches of one shape. All but the shape and the fastest code is guarded by Alternatives::mutex.
struct Trials {
  LaunchShape shape;
  std::atomic<KernelFunction *> fastest{nullptr}; ///< null until it is known
  bool hasBegun = false;
  std::vector<Contender> contenders; ///< the first is the code that has the alternatives
  std::vector<Measurement> pending;
};

/// The alternatives to some code. Programs with launches of more shapes than there is room for run the code itself
/// for the others.
struct Alternatives {
  std::deque<KernelFunction> codes;
  std::mutex mutex;
  std::array<std::atomic<Trials *>, 32> trials{}; ///< a null is behind the last

  Alternatives() = default;
  Alternatives(const Alternatives &) = delete;
  Alternatives &operator=(const Alternatives &) = delete;
  ~Alternatives();

  /// Returns the trials of launches of `shape`, or null. Lock-free.
  Trials *find(const LaunchShape &shape);
};

/// Gives `code` the alternative that `record` is of. Before `code` is launched.
void addAlternative(KernelFunction &code, const VersionRecord &record);

} // namespace cufort::rt
