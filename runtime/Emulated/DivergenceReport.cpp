// Says why the threads of a block will wait for ever.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include <cstdio>
#include <map>

namespace cufort::rt::emulated {

namespace {
struct Places {
  std::map<std::string, uint32_t> waiting; ///< threads by what they wait at
  uint32_t running = 0;                    ///< threads that do not wait
  bool onlyBarriers = true;
};
} // namespace

static std::string placeOf(const DeviceThread &thread, bool nameOperation) {
  std::string text;
  if (nameOperation) {
    text = operationName(thread.waitsFor);
    if (isWarpOperation(thread.waitsFor)) {
      char mask[24];
      snprintf(mask, sizeof mask, " with mask %08x", thread.mask);
      text += mask;
    }
    text += ' ';
  }
  return text + "at " + (thread.where ? thread.where : "an unknown place");
}

static Places placesIn(const Block &block) {
  Places places;
  auto forEachLive = [&](auto use) {
    for (uint32_t i = 0; i < block.next; ++i)
      if (!block.threads[i].ended)
        use(block.threads[i]);
  };
  forEachLive([&](const DeviceThread &thread) {
    if (thread.waitsFor == Operation::None)
      ++places.running;
    else if (!isBlockBarrier(thread.waitsFor))
      places.onlyBarriers = false;
  });
  forEachLive([&](const DeviceThread &thread) {
    if (thread.waitsFor != Operation::None)
      ++places.waiting[placeOf(thread, !places.onlyBarriers)];
  });
  return places;
}

static std::string countOf(uint32_t count, const char *one, const char *many) {
  return count ? "; " + std::to_string(count) + (count == 1 ? one : many) : "";
}

std::string describeDeadlock(const Block &block) {
  Places places = placesIn(block);
  std::string text = "threads of block " + fortranIndex(block.index);
  text += places.onlyBarriers && places.waiting.size() > 1 ? " wait at different barriers: " : " wait for ever: ";
  const char *separator = "";
  for (auto &[place, count] : places.waiting) {
    text += separator + std::to_string(count) + ' ' + place;
    separator = ", ";
  }
  return text + countOf(places.running, " still runs", " still run") +
         countOf(block.threadCount - block.live, " has ended", " have ended");
}

} // namespace cufort::rt::emulated
