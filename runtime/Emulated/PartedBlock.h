// A block in compiled loops whose threads have parted: its warps go on one by one until all meet again.
#pragma once

#include "runtime/ABI/EmulatedABI.h"
#include <cstddef>
#include <optional>
#include <vector>

namespace cufort::rt::emulated {

class PartedBlock {
public:
  /// Notes what the threads of `threads` do next, as cufortEmuNextPhase is told; all threads of the block if they have
  /// been together up to now.
  void ranPhase(const CufortEmuBlocks &range, const CufortEmuPhases &kinds, int32_t *phases, int32_t next,
                const CufortEmuThreads &threads);
  /// Returns the phase that comes next, and for which threads; 0 if all have ended. Nothing if lanes of a warp go
  /// different ways, or the warps wait in different places.
  std::optional<int32_t> choose(CufortEmuThreads &threads);
  /// Forgets the block.
  void end() { active = false; }

  /// What the threads of the first warp keep together, and how far the next warp's is behind it.
  const char *kept() const { return memory.data() + sizeof(CufortEmuThreads); }
  size_t bytesOfWarp() const { return warpBytes; }

private:
  static constexpr int32_t mixed = -1;
  static constexpr unsigned lanes = 32, mostWarps = 32;

  CufortEmuThreads &stateOf(unsigned warp) {
    return *reinterpret_cast<CufortEmuThreads *>(memory.data() + warp * warpBytes);
  }
  void begin(int64_t count, const CufortEmuPhases &kinds);
  void noteWarp(unsigned warp, int32_t *phases, int32_t next, const CufortEmuThreads &threads);
  int32_t phaseOfLanes(const int32_t *phases, const CufortEmuThreads &lanesOfWarp) const;
  std::optional<int32_t> meet(CufortEmuThreads &threads);
  int32_t goOnAlone(unsigned warp, CufortEmuThreads &threads);
  void joinAll(CufortEmuThreads &threads);

  bool active = false;
  unsigned warps = 0;
  int64_t threadCount = 0;
  size_t warpBytes = 0;
  const CufortEmuPhases *kinds = nullptr;
  int32_t phaseOf[mostWarps]; ///< that each warp begins next; 0: it has ended
  uint32_t released = 0;      ///< warps for which the barrier that they have reached is over
  std::vector<char> memory;   ///< a CufortEmuThreads for each warp, and what its threads keep together
};

} // namespace cufort::rt::emulated
