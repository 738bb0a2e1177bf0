// Output of the host before that of kernels: Fortran's runtime holds what goes to a file or a pipe, and the output of
// kernels goes past it. A file of its own, because only programs whose device code prints need Fortran's input and
// output here.

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Support/CrashHandler.h"
#include <csetjmp>
#include <cstdio>
#include <mutex>

extern "C" {
void *_FortranAioBeginFlush(int unit, const char *file, int line);
int _FortranAioEndIoStatement(void *statement);
}

using cufort::rt::crashExit;

namespace {

constexpr int standardOutput = 6;

/// Where the calling thread goes on if it may not use the unit.
thread_local std::jmp_buf goOn;

/// Returns the statement FLUSH(6), begun, or null if the calling thread is in another statement for the unit: a launch
/// in a function that a PRINT statement calls. Flushing it would be a fatal error then; nothing of the unit has been
/// touched, nor is a lock held, when Flang's runtime says so.
void *beginFlush(const char *file, int line) {
  static std::once_flag registered;
  std::call_once(registered, cufortEndAfterCrash);
  if (setjmp(goOn)) {
    crashExit = nullptr;
    return nullptr;
  }
  crashExit = [] { std::longjmp(goOn, 1); };
  void *statement = _FortranAioBeginFlush(standardOutput, file, line);
  crashExit = nullptr;
  return statement;
}

} // namespace

extern "C" void cufortWriteOutput(const char *file, int32_t line) {
  std::fflush(stdout); // of kernels before
  if (void *statement = beginFlush(file, line))
    _FortranAioEndIoStatement(statement);
}
