#include "runtime/Emulated/PrintBuffer.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace cufort::rt::emulated {

// Beyond this the order of blocks is only kept within each flush.
static constexpr size_t flushBytes = 8 << 20;

void PrintBuffer::add(uint64_t phase, uint64_t block, std::string text) {
  std::lock_guard<std::mutex> guard(lock);
  bytes += text.size() + sizeof(Piece);
  pieces.push_back({phase, block, std::move(text)});
  if (bytes >= flushBytes)
    writePieces();
}

void PrintBuffer::flush() {
  std::lock_guard<std::mutex> guard(lock);
  if (!pieces.empty())
    writePieces();
}

void PrintBuffer::writePieces() {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
    return std::tie(a.phase, a.block) < std::tie(b.phase, b.block);
  });
  std::string all;
  for (const Piece &piece : pieces)
    all += piece.text;
  pieces.clear();
  bytes = 0;
  // Through stdio, because that is where CUDA's own printf goes: the order with C code's output is kept.
  fwrite(all.data(), 1, all.size(), stdout);
  fflush(stdout);
}

} // namespace cufort::rt::emulated
