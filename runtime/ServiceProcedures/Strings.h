// Strings of Fortran programs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace cufort::rt {

/// Assigns `from` to the string of `length` characters at `to`, as Fortran does: cut off, or with blanks after it.
inline void assign(char *to, std::int64_t length, std::string_view from) {
  std::string_view kept = from.substr(0, static_cast<std::size_t>(length));
  std::fill(std::copy(kept.begin(), kept.end(), to), to + length, ' ');
}

/// The `length` characters at `text` without the blanks at their end.
inline std::string trimmed(const char *text, std::int64_t length) {
  std::string_view whole(text, static_cast<std::size_t>(length));
  return std::string(whole.substr(0, whole.find_last_not_of(' ') + 1));
}

} // namespace cufort::rt
