#include "runtime/Emulated/PartedBlock.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt::emulated {

void PartedBlock::begin(int64_t count, const CufortEmuPhases &theKinds) {
  active = true;
  released = 0;
  threadCount = count;
  kinds = &theKinds;
  warps = unsigned((count + lanes - 1) / lanes);
  constexpr size_t alignment = 16;
  warpBytes = (sizeof(CufortEmuThreads) + kinds->keptBytes + alignment - 1) / alignment * alignment;
  if (memory.size() < warps * warpBytes)
    memory.resize(warps * warpBytes);
}

/// The phase that all lanes go on with, or `mixed`.
int32_t PartedBlock::phaseOfLanes(const int32_t *phases, const CufortEmuThreads &ofWarp) const {
  bool equal = std::all_of(phases + ofWarp.first, phases + ofWarp.end,
                           [&](int32_t phase) { return phase == phases[ofWarp.first]; });
  return equal ? phases[ofWarp.first] : mixed;
}

void PartedBlock::noteWarp(unsigned warp, int32_t *phases, int32_t next, const CufortEmuThreads &threads) {
  CufortEmuThreads &state = stateOf(warp);
  std::memcpy(&state, &threads, sizeof threads + kinds->keptBytes);
  state.first = int64_t(warp) * lanes;
  state.end = std::min<int64_t>(state.first + lanes, threadCount);
  if (next >= 0)
    std::fill(phases + state.first, phases + state.end, next);
  phaseOf[warp] = next >= 0 ? next : phaseOfLanes(phases, state);
}

void PartedBlock::ranPhase(const CufortEmuBlocks &range, const CufortEmuPhases &theKinds, int32_t *phases, int32_t next,
                           const CufortEmuThreads &threads) {
  if (!active)
    begin(int64_t(range.blockDim[0]) * range.blockDim[1] * range.blockDim[2], theKinds);
  for (unsigned warp = unsigned(threads.first) / lanes; warp * lanes < threads.end; ++warp)
    noteWarp(warp, phases, next, threads);
}

int32_t PartedBlock::goOnAlone(unsigned warp, CufortEmuThreads &threads) {
  std::memcpy(&threads, &stateOf(warp), sizeof threads + kinds->keptBytes);
  return phaseOf[warp];
}

/// All threads are about to begin the same phase.
void PartedBlock::joinAll(CufortEmuThreads &threads) {
  goOnAlone(0, threads);
  for (unsigned warp = 1; warp < warps; ++warp) {
    // Each warp has exchanged its operands as often as it has met.
    const CufortEmuThreads &state = stateOf(warp);
    if (state.operandsOut != threads.operandsOut)
      std::copy(state.operandsOut + state.first, state.operandsOut + state.end, threads.operandsOut + state.first);
  }
  threads.end = threadCount;
  active = false;
}

/// What comes next when all warps that have not ended have come to a barrier of the block.
std::optional<int32_t> PartedBlock::meet(CufortEmuThreads &threads) {
  const int32_t *begin = phaseOf, *end = begin + warps;
  const int32_t *first = std::find_if(begin, end, [](int32_t phase) { return phase != 0; });
  if (first == end)
    return active = false, 0;
  if (!std::all_of(first, end, [&](int32_t phase) { return phase == 0 || phase == *first; }))
    return std::nullopt;
  if (std::count(begin, end, *first) == int64_t(warps)) {
    joinAll(threads);
    return *first;
  }
  if (kinds->starts[*first] == CufortEmuStartsWithResult)
    return std::nullopt;
  for (unsigned warp = 0; warp < warps; ++warp)
    released |= uint32_t(phaseOf[warp] != 0) << warp;
  return choose(threads);
}

std::optional<int32_t> PartedBlock::choose(CufortEmuThreads &threads) {
  // First of all: who has passed a barrier must not come to it again, on stacks.
  if (released) {
    auto warp = unsigned(__builtin_ctz(released));
    released &= released - 1;
    return goOnAlone(warp, threads);
  }
  if (std::count(phaseOf, phaseOf + warps, mixed))
    return std::nullopt;
  for (unsigned warp = 0; warp < warps; ++warp)
    if (phaseOf[warp] && kinds->starts[phaseOf[warp]] == CufortEmuStartsInWarps)
      return goOnAlone(warp, threads);
  return meet(threads);
}

} // namespace cufort::rt::emulated
