// What code that is compiled with -gpu=check tells of its accesses.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Worker.h"

using namespace cufort::rt;
using namespace cufort::rt::emulated;

static std::string describe(const Race &race, const Block &block) {
  auto place = [](const char *where) { return std::string(" at ") + (where ? where : "an unknown place"); };
  auto name = [&](uint32_t number) { return "thread " + fortranIndex(block.threads[number].threadIdx); };
  return "data race on shared memory in block " + fortranIndex(block.index) + ": " + name(race.later) +
         (race.laterWrites ? " writes" : " reads") + place(race.laterPlace) + " what " + name(race.earlier) +
         (race.earlierWrites ? " wrote" : " read") + place(race.earlierPlace) + ", without a barrier in between";
}

extern "C" void cufortEmuSharedAccess(const void *address, int64_t bytes, int32_t kind, const char *where) {
  auto *self = static_cast<DeviceThread *>(cufortEmuThread);
  if (!self->block || !self->block->races)
    return;
  auto *memory = static_cast<const char *>(address);
  if (memory < self->sharedBase || memory + bytes > self->dynamicShared + self->dynamicSharedBytes)
    return;
  RuntimeCall call;
  Block &block = *self->block;
  std::optional<Race> race =
      block.races->access(uint32_t(self - block.threads.get()), size_t(memory - self->sharedBase), size_t(bytes),
                          AccessKind(kind), memory, where);
  if (race)
    call.fail(CUDA_ERROR_LAUNCH_FAILED, [&] { return describe(*race, block); });
}
