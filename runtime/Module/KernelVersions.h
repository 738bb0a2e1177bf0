// Versions of a kernel for launches of which more is known (CufortVersion in runtime/ABI/RuntimeABI.h).
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Module/LaunchValues.h"
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cufort::rt {

struct Alternatives;

/// A function of a module. May be used by several threads at once.
struct KernelFunction {
  const char *symbol = nullptr;
  /// Null until it is loaded.
  std::atomic<CUfunction> function{nullptr};
  /// Dynamic shared memory in bytes that a launch may ask for as things are; a larger request has to raise the
  /// function's limit first.
  std::atomic<int> dynamicSharedLimit{0};
  /// Threads that a block may have; 0 if that is not known.
  std::atomic<int> maxThreads{0};
  /// Blocks of the grid that each of its blocks does, neighbours on `pairedAxis`. With 2 of them it has one parameter
  /// more than the `parameters` of the code to which it is an alternative: the extent of the grid on that axis.
  uint8_t blocksEach = 1, pairedAxis = 0;
  uint16_t parameters = 0;
  /// What launches may run instead; null if there is nothing (runtime/Module/Alternatives.h).
  std::unique_ptr<Alternatives> alternatives;

  KernelFunction();
  ~KernelFunction();

  /// False if blocks of `threads` need more than there is for it.
  bool mayHave(int64_t threads) const {
    int most = maxThreads.load(std::memory_order_relaxed);
    return most == 0 || threads <= most;
  }
};

/// Sets `code` to the function `symbol`, a string that stays, of `module`.
CUresult loadFunction(const Current &current, CUmodule module, const char *symbol, KernelFunction &code);

/// A record of a kernel. Its strings, tests and steps are in the program.
struct VersionRecord {
  const char *symbol;
  LaunchCalculation calculation;
  const CufortTest *tests;
  unsigned testCount;
  std::vector<const char *> variables;

  /// True if it is an alternative to the record before, or to the kernel.
  bool isAlternative() const { return testCount == 1 && tests->kind == CufortTestAlternative; }
};

/// Returns the records of `kernel` in the `size` bytes at `bytes`, a member of the kind CufortFatVersions. What comes
/// after something that cannot be a record is left out.
std::vector<VersionRecord> readVersions(const void *bytes, size_t size, const char *kernel);

/// A version in one device.
struct KernelVersion {
  VersionRecord record;
  /// By the number of a variable: what its descriptor has for a version in the device.
  std::vector<const std::atomic<int32_t> *> strides;
  KernelFunction code;

  bool looksAtStrides() const { return !strides.empty(); }

  /// True if it serves a launch of `grid` blocks of `block` threads with `parameters`, which are calculated for it. An
  /// extent of the grid may be -1: not known yet.
  bool serves(LaunchParameters &parameters, const int64_t grid[3], const int64_t block[3]) const;
};

} // namespace cufort::rt
