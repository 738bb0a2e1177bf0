#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include "runtime/ServiceProcedures/Strings.h"
#include "runtime/ServiceProcedures/SystemCalls.h"
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

/// Of Flang's runtime: the file descriptor of a unit, or -1, and the place in its file.
extern "C" {
int fnum_(const int &unit);
std::int64_t _FortranAFtell(int unit);
std::int32_t _FortranAFseek(int unit, std::int64_t offset, int from, const char *sourceFile, int line);
}

namespace {

using cufort::rt::codeOf, cufort::rt::trimmed;

std::int32_t answer(const struct stat &file, std::int32_t *values) {
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

using Query = int (*)(const char *, struct stat *);

std::int32_t ask(Query query, const char *name, std::int64_t length, std::int32_t *values) {
  struct stat file;
  std::int32_t code = codeOf(query(trimmed(name, length).c_str(), &file));
  return code ? code : answer(file, values);
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

std::int32_t fstat_(const std::int32_t *unit, std::int32_t *values) {
  struct stat file;
  std::int32_t code = codeOf(fstat(fnum_(*unit), &file));
  return code ? code : answer(file, values);
}

std::int32_t chmod_(const char *name, const std::int32_t *mode, std::int64_t length) {
  return codeOf(chmod(trimmed(name, length).c_str(), static_cast<mode_t>(*mode)));
}

std::int32_t unlink_(const char *name, std::int64_t length) { return codeOf(unlink(trimmed(name, length).c_str())); }

std::int32_t rename_(const char *from, const char *to, std::int64_t fromLength, std::int64_t toLength) {
  return codeOf(std::rename(trimmed(from, fromLength).c_str(), trimmed(to, toLength).c_str()));
}

std::int32_t ftell_(const std::int32_t *unit) { return static_cast<std::int32_t>(_FortranAFtell(*unit)); }

std::int32_t fseek_(const std::int32_t *unit, const std::int32_t *offset, const std::int32_t *from) {
  return _FortranAFseek(*unit, *offset, *from, __FILE__, __LINE__);
}
