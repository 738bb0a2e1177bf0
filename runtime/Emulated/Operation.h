// What a device thread can wait for.
#pragma once

#include <cstdint>

namespace cufort::rt::emulated {

/// An operation that a device thread takes part in together with others. Threads meet only in equal operations.
enum class Operation : uint8_t {
  None,
  Barrier,
  BarrierCount,
  BarrierAnd,
  BarrierOr,
  GridBarrier,
  ClusterBarrier,
  AsyncBarrier,
  ActiveMask,
  WarpBarrier,
  VoteAll,
  VoteAny,
  VoteBallot,
  MatchAny32,
  MatchAny64,
  MatchAll32,
  MatchAll64,
  // The four shuffle modes follow each other in the order of the mode operand.
  ShuffleIndex32,
  ShuffleUp32,
  ShuffleDown32,
  ShuffleXor32,
  ShuffleIndex64,
  ShuffleUp64,
  ShuffleDown64,
  ShuffleXor64,
};

/// True for the barriers of a whole block.
inline bool isBlockBarrier(Operation operation) {
  return operation >= Operation::Barrier && operation <= Operation::BarrierOr;
}

/// True for operations of the lanes that a mask names.
inline bool isWarpOperation(Operation operation) { return operation >= Operation::WarpBarrier; }

/// Returns the result of a vote in which `ballot` names the lanes of `lanes` that have said yes.
inline uint32_t voteResult(Operation vote, uint32_t ballot, uint32_t lanes) {
  if (vote == Operation::VoteAll)
    return ballot == lanes;
  return vote == Operation::VoteAny ? ballot != 0 : ballot;
}

/// Returns what a report calls the operation, such as "shuffle".
const char *operationName(Operation operation);

/// True if two places in the source are the same one. Null is a place of its own.
bool samePlace(const char *first, const char *second);

} // namespace cufort::rt::emulated
