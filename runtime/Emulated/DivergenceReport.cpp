// Says why the threads of a block will wait for ever.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include <cstdio>
#include <map>

namespace cufort::rt::emulated {

namespace {
struct Places {
  std::map<std::string, uint32_t> waiting; ///< threads by what they wait at
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
  for (uint32_t i = 0; i < block.next; ++i)
    if (!block.threads[i].ended && !isBlockBarrier(block.threads[i].waitsFor))
      places.onlyBarriers = false;
  for (uint32_t i = 0; i < block.next; ++i)
    if (!block.threads[i].ended)
      ++places.waiting[placeOf(block.threads[i], !places.onlyBarriers)];
  return places;
}

std::string describeDeadlock(const Block &block) {
  Places places = placesIn(block);
  std::string text = "threads of block " + fortranIndex(block.index);
  text += places.onlyBarriers && places.waiting.size() > 1 ? " wait at different barriers: " : " wait for ever: ";
  bool first = true;
  for (auto &[place, count] : places.waiting) {
    text += (first ? "" : ", ") + std::to_string(count) + ' ' + place;
    first = false;
  }
  if (uint32_t ended = block.threadCount - block.live)
    text += "; " + std::to_string(ended) + (ended == 1 ? " has ended" : " have ended");
  return text;
}

} // namespace cufort::rt::emulated
