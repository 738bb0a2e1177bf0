#include "runtime/Emulated/Operation.h"
#include <cstring>

namespace cufort::rt::emulated {

const char *operationName(Operation operation) {
  if (operation >= Operation::ShuffleIndex32)
    return "shuffle";
  if (operation >= Operation::MatchAny32)
    return "match";
  if (operation >= Operation::VoteAll)
    return "vote";
  switch (operation) {
  case Operation::WarpBarrier:
    return "warp barrier";
  case Operation::ActiveMask:
    return "activemask";
  case Operation::GridBarrier:
    return "grid barrier";
  case Operation::ClusterBarrier:
    return "cluster barrier";
  case Operation::AsyncBarrier:
    return "asynchronous barrier";
  case Operation::None:
    return "nothing";
  default:
    return "barrier";
  }
}

bool samePlace(const char *first, const char *second) {
  return first == second || (first && second && strcmp(first, second) == 0);
}

} // namespace cufort::rt::emulated
