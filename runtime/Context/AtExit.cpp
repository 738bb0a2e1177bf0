#include "runtime/Context/AtExit.h"
#include "runtime/Context/Context.h"
#include "runtime/Context/StayLoaded.h"
#include "runtime/Stream/ErrorState.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace cufort::rt {

namespace {

std::atomic<bool> ending{false};

void beforeDriverShutsDown() {
  if (ending.exchange(true))
    return;
  // A program that is ending because of a failure has said what is wrong; its context may be unusable.
  if (programHasFailed())
    return;
  if (Result result = synchronizeRetainedContexts(); !result && !programKnowsOf(result.code()))
    recordPending(result, "a kernel failed", nullptr, 0);
  printAllPending();
}

void afterAllOtherHandlers(int status, void *) {
  ending.store(true);
  if (!programHasFailed())
    printAllPending();
  if (status != 0 || !programHasFailed())
    return;
  std::fflush(nullptr);
  _exit(1);
}

// The lowest priority number that a program may use: of all that registers exit handlers, this comes first.
__attribute__((constructor(101))) void registerLastHandler() {
  keepLoaded(reinterpret_cast<const void *>(&afterAllOtherHandlers));
  on_exit(afterAllOtherHandlers, nullptr);
}

} // namespace

void synchronizeAtExit() {
  static std::atomic<bool> registered{false};
  if (!registered.exchange(true))
    std::atexit(beforeDriverShutsDown);
}

bool programIsEnding() { return ending.load(std::memory_order_relaxed); }

} // namespace cufort::rt
