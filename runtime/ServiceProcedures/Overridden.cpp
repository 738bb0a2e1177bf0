// Procedures that are called by the compiler's choice, with the address of the one that the program names: it may be
// its own.
#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include "runtime/ServiceProcedures/Strings.h"
#include <cerrno>
#include <ctime>
#include <unistd.h>

extern "C" {

/// Lies in the same object of Flang's runtime as its ACCESS: linked if that is the one, and otherwise not, since two
/// procedures of that name cannot be linked.
__attribute__((weak)) void _FortranAShowDescriptor(const void *);

void cufortIdateOfUnix(std::int32_t *date);
}

namespace {

std::tm today() {
  std::time_t now = std::time(nullptr);
  std::tm local;
  localtime_r(&now, &local);
  return local;
}

/// `mode` has any of the letters r, w and x; nothing, or a blank, asks for existence.
int bitsOf(const std::string &mode) {
  int bits = F_OK;
  for (char letter : mode)
    switch (letter) {
    case 'r':
      bits |= R_OK;
      break;
    case 'w':
      bits |= W_OK;
      break;
    case 'x':
      bits |= X_OK;
      break;
    case ' ':
      break;
    default:
      return -1;
    }
  return bits;
}

} // namespace

void cufortIdateOfUnix(std::int32_t *date) {
  std::tm local = today();
  date[0] = local.tm_mday;
  date[1] = local.tm_mon + 1;
  date[2] = local.tm_year + 1900;
}

void idate_(std::int32_t *) __attribute__((weak, alias("cufortIdateOfUnix")));

void cufortIdate(void *own, std::int32_t *month, std::int32_t *day, std::int32_t *year) {
  using OfVax = void (*)(std::int32_t *, std::int32_t *, std::int32_t *);
  if (own != reinterpret_cast<void *>(cufortIdateOfUnix))
    return reinterpret_cast<OfVax>(own)(month, day, year);
  std::tm local = today();
  *month = local.tm_mon + 1;
  *day = local.tm_mday;
  *year = local.tm_year % 100;
}

std::int32_t cufortAccess(Access own, const char *name, const char *mode, std::int64_t nameLength,
                          std::int64_t modeLength) {
  if (!_FortranAShowDescriptor)
    return own(name, mode, nameLength, modeLength);
  int bits = bitsOf(std::string(mode, static_cast<size_t>(modeLength)));
  if (bits < 0)
    return EINVAL;
  return access(cufort::rt::trimmed(name, nameLength).c_str(), bits) == 0 ? 0 : errno;
}
