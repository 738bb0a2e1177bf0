// The argument of nan() in C.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace cufort::rt::emulated {

/// Returns the number that `tag` spells in C's notation, or 0 if it is null or spells none.
inline uint64_t nanPayload(const char *tag) {
  if (!tag)
    return 0;
  char *end;
  uint64_t value = strtoull(tag, &end, 0);
  return *end ? 0 : value;
}

} // namespace cufort::rt::emulated
