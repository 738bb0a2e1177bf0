#include "runtime/Emulated/RaceDetector.h"
#include <algorithm>

namespace cufort::rt::emulated {

void RaceDetector::prepare(uint32_t threadCount, size_t bytes) {
  threads.resize(threadCount);
  memory.resize(bytes);
}

void RaceDetector::begin() {
  ++phase;
  std::fill(threads.begin(), threads.end(), Thread());
}

void RaceDetector::meet(uint32_t first, uint32_t lanes) {
  auto forEachLane = [&](auto use) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      use(uint32_t(__builtin_ctz(rest)));
  };
  uint32_t seen[32] = {};
  forEachLane([&](uint32_t lane) {
    Thread &thread = threads[first + lane];
    for (int i = 0; i < 32; ++i)
      seen[i] = std::max(seen[i], thread.seen[i]);
    seen[lane] = std::max(seen[lane], thread.clock++);
  });
  forEachLane([&](uint32_t lane) { std::copy_n(seen, 32, threads[first + lane].seen); });
}

void RaceDetector::noteAtomic(uint32_t thread) { threads[thread].lastAtomic = ++time; }

bool RaceDetector::isOrdered(const Access &earlier, uint32_t later) const {
  const Thread &second = threads[later];
  if (earlier.thread / 32 == later / 32 && second.seen[earlier.thread % 32] >= earlier.clock)
    return true;
  return second.lastAtomic > earlier.time && threads[earlier.thread].lastAtomic > earlier.time;
}

bool RaceDetector::races(const Access &earlier, uint32_t later, bool atomic) const {
  return earlier.thread != nobody && earlier.thread != later && !(atomic && earlier.atomic) &&
         !isOrdered(earlier, later);
}

const RaceDetector::Access *RaceDetector::conflict(const Byte &byte, uint32_t thread, AccessKind kind) const {
  if (races(byte.write, thread, kind == AccessKind::Atomic))
    return &byte.write;
  if (kind != AccessKind::Read)
    for (const Access &read : byte.reads)
      if (races(read, thread, /*atomic=*/false))
        return &read;
  return nullptr;
}

std::optional<Race> RaceDetector::access(uint32_t thread, size_t offset, size_t size, AccessKind kind,
                                         const char *contents, const char *where) {
  if (kind == AccessKind::Atomic)
    noteAtomic(thread);
  bool writes = kind != AccessKind::Read;
  Access self{thread, threads[thread].clock, ++time, where, kind == AccessKind::Atomic};
  for (size_t i = 0; i < size; ++i) {
    Byte &byte = memory[offset + i];
    if (byte.phase != phase) {
      byte = Byte();
      byte.phase = phase;
    }
    bool changesNothing = kind == AccessKind::Write && byte.write.thread != nobody && byte.value == contents[i];
    if (changesNothing) {
      byte.write = self;
      continue;
    }
    if (const Access *other = conflict(byte, thread, kind))
      return Race{other->thread, thread, other->where, where, other == &byte.write, writes};
    if (writes) {
      byte.write = self;
      byte.value = contents[i];
      byte.reads[0] = byte.reads[1] = Access();
    } else if (byte.reads[0].thread == nobody || byte.reads[0].thread == thread) {
      byte.reads[0] = self;
    } else {
      byte.reads[1] = self;
    }
  }
  return std::nullopt;
}

} // namespace cufort::rt::emulated
