#include "runtime/ServiceProcedures/Strings.h"
#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include <cerrno>
#include <cstring>

void gerror_(char *text, std::int64_t length) {
  char buffer[256];
  cufort::rt::assign(text, length, strerror_r(errno, buffer, sizeof buffer));
}

std::int32_t lnblnk_(const char *text, std::int64_t length) {
  return static_cast<std::int32_t>(cufort::rt::trimmed(text, length).size());
}

std::int32_t rindex_(const char *text, const char *part, std::int64_t textLength, std::int64_t partLength) {
  std::string_view whole(text, static_cast<std::size_t>(textLength));
  // Without a place there is none: npos + 1 is 0.
  return static_cast<std::int32_t>(whole.rfind(std::string_view(part, static_cast<std::size_t>(partLength))) + 1);
}
