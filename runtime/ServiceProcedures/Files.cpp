#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include "runtime/ServiceProcedures/Strings.h"
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

/// Of Flang's runtime: the file descriptor of a unit, or -1.
extern "C" int fnum_(const int &unit);

namespace {

using Query = int (*)(const char *, struct stat *);

std::int32_t ask(Query query, const char *name, std::int64_t length, std::int32_t *values) {
  struct stat file;
  if (query(cufort::rt::trimmed(name, length).c_str(), &file) != 0)
    return errno;
  const std::int64_t answers[] = {static_cast<std::int64_t>(file.st_dev),
                                  static_cast<std::int64_t>(file.st_ino),
                                  file.st_mode,
                                  static_cast<std::int64_t>(file.st_nlink),
                                  file.st_uid,
                                  file.st_gid,
                                  static_cast<std::int64_t>(file.st_rdev),
                                  file.st_size,
                                  file.st_atime,
                                  file.st_mtime,
                                  file.st_ctime,
                                  file.st_blksize,
                                  file.st_blocks};
  for (std::int64_t answer : answers)
    *values++ = static_cast<std::int32_t>(answer);
  return 0;
}

} // namespace

std::int32_t isatty_(const std::int32_t *unit) {
  int descriptor = fnum_(*unit);
  return descriptor >= 0 && isatty(descriptor);
}

std::int32_t stat_(const char *name, std::int32_t *values, std::int64_t length) {
  return ask(stat, name, length, values);
}

std::int32_t lstat_(const char *name, std::int32_t *values, std::int64_t length) {
  return ask(lstat, name, length, values);
}
