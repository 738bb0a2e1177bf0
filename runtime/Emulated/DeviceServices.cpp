// Clock, sleep and trap of device code, and what it asks about the processor.
#include "runtime/ABI/EmulatedProcessor.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Worker.h"
#include <algorithm>
#include <ctime>

using namespace cufort::rt;
using namespace cufort::rt::emulated;

extern "C" {

int64_t cufortEmuClock64(void) {
  RuntimeCall call;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// A thread that sleeps waits for others as a rule: they get their turn, and only if there is none time is spent.
void cufortEmuNanosleep(int32_t nanoseconds) {
  RuntimeCall call;
  auto *self = static_cast<DeviceThread *>(cufortEmuThread);
  if (self->block && call.scheduler().yield(*self))
    return;
  timespec duration{0, std::min(int64_t(uint32_t(nanoseconds)), int64_t(1000000))}; // PTX: at most a millisecond
  nanosleep(&duration, nullptr);
}

int32_t cufortEmuHasWideVectors(void) { return settings().wideVectors; }

void cufortEmuTrap(const char *what, const char *where) {
  RuntimeCall call;
  call.fail(CUDA_ERROR_LAUNCH_FAILED, [&] {
    return std::string(what ? what : "trap") + (where ? " at " : "") + (where ? where : "") + " (" +
           placeOf(*cufortEmuThread) + ")";
  });
}

} // extern "C"
