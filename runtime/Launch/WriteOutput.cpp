// Output of the host before that of kernels: Fortran's runtime holds what goes to a file or a pipe, and the output of
// kernels goes past it. A file of its own, because only programs whose device code prints need Fortran's input and
// output here.

#include "runtime/ABI/RuntimeABI.h"
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <mutex>

extern "C" {
void *_FortranAioBeginFlush(int unit, const char *file, int line);
int _FortranAioEndIoStatement(void *statement);
}

namespace Fortran::runtime {
/// Of Flang's runtime: it calls the handler before it ends the program because of an error.
class Terminator {
public:
  static void RegisterCrashHandler(void (*)(const char *file, int line, const char *message, va_list &arguments));
};
} // namespace Fortran::runtime

namespace {

constexpr int standardOutput = 6;

/// Where the calling thread goes on if it may not use the unit.
thread_local std::jmp_buf *goOn = nullptr;

/// A launch in a function that a PRINT statement calls: the unit is that statement's, and flushing it would be an
/// error. Nothing of the unit has been touched, nor is a lock held, when the runtime says so.
void leaveUnit(const char *, int, const char *, va_list &) {
  if (std::jmp_buf *place = goOn) {
    goOn = nullptr;
    std::longjmp(*place, 1);
  }
}

/// Returns the statement FLUSH(6), begun, or null if the calling thread is in another statement for the unit.
void *beginFlush(const char *file, int line) {
  static std::once_flag registered;
  std::call_once(registered, [] { Fortran::runtime::Terminator::RegisterCrashHandler(leaveUnit); });
  std::jmp_buf place;
  if (setjmp(place))
    return nullptr;
  goOn = &place;
  void *statement = _FortranAioBeginFlush(standardOutput, file, line);
  goOn = nullptr;
  return statement;
}

} // namespace

extern "C" void cufortWriteOutput(const char *file, int32_t line) {
  std::fflush(stdout); // of kernels before
  if (void *statement = beginFlush(file, line))
    _FortranAioEndIoStatement(statement);
}
