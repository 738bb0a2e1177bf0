// A fatal error of Flang's runtime writes what files still hold before it ends the program. If it came up where files
// are closed, as on a full disk, that waits for a lock which the thread itself has: an alarm ends the program then.
#include "runtime/Support/CrashHandler.h"
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <unistd.h>

namespace Fortran::runtime {

/// Flang's header is not installed.
class Terminator {
public:
  static void RegisterCrashHandler(void (*)(const char *file, int line, const char *message, va_list &arguments));
};

} // namespace Fortran::runtime

thread_local void (*cufort::rt::crashExit)() = nullptr;

extern "C" void cufortEndAfterCrash() {
  Fortran::runtime::Terminator::RegisterCrashHandler([](const char *, int, const char *, va_list &) {
    if (cufort::rt::crashExit)
      cufort::rt::crashExit();
    constexpr unsigned seconds = 5;
    signal(SIGALRM, [](int) { abort(); });
    alarm(seconds);
  });
}
