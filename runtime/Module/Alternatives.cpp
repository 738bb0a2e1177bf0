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

void addAlternative(KernelFunction &code, const VersionRecord &record) {
  if (!code.alternatives)
    code.alternatives = std::make_unique<Alternatives>();
  KernelFunction &alternative = code.alternatives->codes.emplace_back();
  const CufortTest &blocks = *record.tests;
  alternative.symbol = record.symbol;
  alternative.blocksEach = static_cast<uint8_t>(blocks.offset);
  alternative.pairedAxis = static_cast<uint8_t>(blocks.index);
  alternative.parameters = static_cast<uint16_t>(blocks.mask);
}

} // namespace cufort::rt
