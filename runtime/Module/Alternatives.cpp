#include "runtime/Module/Alternatives.h"
#include <algorithm>

namespace cufort::rt {

bool LaunchShape::operator==(const LaunchShape &other) const {
  return std::equal(grid, grid + 3, other.grid) && std::equal(block, block + 3, other.block) &&
         sharedBytes == other.sharedBytes;
}

Alternatives::~Alternatives() {
  for (std::atomic<Trials *> &each : trials)
    delete each.load(std::memory_order_relaxed);
}

Trials *Alternatives::find(const LaunchShape &shape) {
  for (std::atomic<Trials *> &each : trials) {
    Trials *found = each.load(std::memory_order_acquire);
    if (!found || found->shape == shape)
      return found;
  }
  return nullptr;
}

void addAlternative(KernelFunction &code, const char *symbol) {
  if (!code.alternatives)
    code.alternatives = std::make_unique<Alternatives>();
  code.alternatives->codes.emplace_back().symbol = symbol;
}

} // namespace cufort::rt
