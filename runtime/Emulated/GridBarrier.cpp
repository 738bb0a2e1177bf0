#include "runtime/Emulated/GridBarrier.h"

namespace cufort::rt::emulated {

void GridBarrier::join() {
  std::lock_guard<std::mutex> guard(lock);
  ++workers;
}

void GridBarrier::leave() {
  std::lock_guard<std::mutex> guard(lock);
  --workers;
  if (isStuck())
    changed.notify_all();
}

void GridBarrier::arrive(const char *where) {
  std::lock_guard<std::mutex> guard(lock);
  ++places[where ? where : "an unknown place"];
  // Blocks that meet at different barriers never complete either.
  if (++arrived < blockCount || places.size() > 1)
    return;
  arrived = 0;
  idleWorkers = 0; // they are released, although none of them may have woken up yet
  places.clear();
  ++completed;
  changed.notify_all();
}

void GridBarrier::blockEnded() {
  std::lock_guard<std::mutex> guard(lock);
  ++ended;
}

GridBarrier::Outcome GridBarrier::wait(uint64_t passed) {
  std::unique_lock<std::mutex> guard(lock);
  if (completed != passed)
    return Outcome::Released;
  ++idleWorkers;
  if (isStuck())
    changed.notify_all();
  changed.wait(guard, [&] { return stopped || completed != passed || isStuck(); });
  if (completed != passed)
    return Outcome::Released;
  --idleWorkers;
  return stopped ? Outcome::Stopped : Outcome::Stuck;
}

void GridBarrier::stop() {
  std::lock_guard<std::mutex> guard(lock);
  stopped = true;
  changed.notify_all();
}

std::string GridBarrier::describe() {
  std::lock_guard<std::mutex> guard(lock);
  std::string text;
  for (auto &[place, count] : places)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " at " + place;
  if (ended)
    text += "; " + std::to_string(ended) + " have ended";
  return text;
}

} // namespace cufort::rt::emulated
