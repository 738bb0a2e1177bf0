// Which line of the sources an instruction of device code comes from.
#pragma once

#include "runtime/ABI/RuntimeABI.h"

namespace cufort::rt::emulated {

/// A line of a source file; `file` is null if there is none.
struct SourcePlace {
  const char *file = nullptr;
  uint32_t line = 0;
};

/// The lines of one image, which must outlive it. Images without a table have none.
class SourceLines {
public:
  SourceLines() = default;
  explicit SourceLines(const CufortImage &image);

  /// Returns the place of the instruction that `address` is in; none if that is no code of the image, or of no source.
  /// Async-signal-safe.
  SourcePlace find(uintptr_t address) const;

private:
  const char *fileName(uint64_t number) const;

  const CufortLineTable *table = nullptr;
  uintptr_t codeBegin = 0;
};

} // namespace cufort::rt::emulated
