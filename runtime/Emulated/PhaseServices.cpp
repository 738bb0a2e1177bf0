// What compiled loops call between the phases of a kernel.
#include "runtime/Emulated/Worker.h"
#include <algorithm>

using namespace cufort::rt::emulated;

static Operation operationOf(CufortEmuVote vote) {
  switch (vote) {
  case CufortEmuVoteForAll:
    return Operation::VoteAll;
  case CufortEmuVoteForAny:
    return Operation::VoteAny;
  case CufortEmuVoteForBallot:
    break;
  }
  return Operation::VoteBallot;
}

extern "C" {

int32_t cufortEmuNextPhase(const CufortEmuBlocks *range, uint64_t block, const CufortEmuPhases *kinds, int32_t *phases,
                           int32_t next, CufortEmuThreads *threads) {
  RuntimeCall call;
  PartedBlock &parted = call.worker().parted;
  parted.ranPhase(*range, *kinds, phases, next, *threads);
  if (std::optional<int32_t> chosen = parted.choose(*threads))
    return *chosen;
  BlockRest rest = {call.worker().blockForRest(block), range, phases, parted.kept(), parted.bytesOfWarp()};
  call.scheduler().finishBlock(static_cast<DeviceThread &>(*range->thread), rest);
  parted.end();
  return 0;
}

int64_t cufortEmuCountTrue(const int64_t *operands, int64_t count) {
  return count - std::count(operands, operands + count, 0);
}

void cufortEmuExtremes(const int64_t *operands, int64_t count, int64_t *leastAndGreatest) {
  int64_t least = operands[0], greatest = operands[0];
  for (int64_t i = 1; i < count; ++i) {
    least = std::min(least, operands[i]);
    greatest = std::max(greatest, operands[i]);
  }
  leastAndGreatest[0] = least;
  leastAndGreatest[1] = greatest;
}

void cufortEmuVoteInWarps(int64_t *operands, int64_t count, int32_t vote) {
  Operation operation = operationOf(CufortEmuVote(vote));
  for (int64_t first = 0; first < count; first += 32) {
    int64_t laneCount = std::min<int64_t>(32, count - first);
    uint32_t ballot = 0;
    for (int64_t lane = 0; lane < laneCount; ++lane)
      ballot |= uint32_t(operands[first + lane] != 0) << lane;
    uint32_t lanes = laneCount == 32 ? ~0u : (1u << laneCount) - 1;
    std::fill_n(operands + first, laneCount, voteResult(operation, ballot, lanes));
  }
}

} // extern "C"
