#include "runtime/Emulated/PrintBuffer.h"
#include <cstdio>

namespace cufort::rt::emulated {

// Beyond this the order of blocks is only kept within each flush.
static constexpr size_t flushBytes = 8 << 20;

void PrintBuffer::add(uint64_t phase, uint64_t block, const std::string &text) {
  std::lock_guard<std::mutex> guard(lock);
  texts[{phase, block}] += text;
  bytes += text.size();
  if (bytes >= flushBytes)
    writeAll();
}

void PrintBuffer::flush() {
  std::lock_guard<std::mutex> guard(lock);
  if (!texts.empty())
    writeAll();
}

void PrintBuffer::writeAll() {
  // Through stdio, because that is where CUDA's own printf goes: the order with C code's output is kept.
  for (const auto &entry : texts)
    fwrite(entry.second.data(), 1, entry.second.size(), stdout);
  fflush(stdout);
  texts.clear();
  bytes = 0;
}

} // namespace cufort::rt::emulated
