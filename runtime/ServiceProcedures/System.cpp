#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include "runtime/ServiceProcedures/Strings.h"
#include "runtime/ServiceProcedures/SystemCalls.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

/// Of Flang's runtime, which has units to close.
extern "C" {
void _FortranAExit(int status);
void _FortranAAbort();
}

using cufort::rt::assign, cufort::rt::codeOf, cufort::rt::trimmed;

std::int32_t getcwd_(char *folder, std::int64_t length) {
  char *found = getcwd(nullptr, 0);
  if (!found)
    return errno;
  assign(folder, length, found);
  std::free(found);
  return 0;
}

std::int32_t chdir_(const char *folder, std::int64_t length) { return codeOf(chdir(trimmed(folder, length).c_str())); }

void getenv_(const char *name, char *value, std::int64_t nameLength, std::int64_t valueLength) {
  const char *found = std::getenv(trimmed(name, nameLength).c_str());
  assign(value, valueLength, found ? found : "");
}

std::int32_t putenv_(const char *assignment, std::int64_t length) {
  std::string text = trimmed(assignment, length);
  std::size_t end = text.find('=');
  if (end == std::string::npos)
    return EINVAL;
  return codeOf(setenv(text.substr(0, end).c_str(), text.c_str() + end + 1, /*overwrite=*/1));
}

std::int32_t getpid_() { return getpid(); }
std::int32_t getuid_() { return static_cast<std::int32_t>(getuid()); }
std::int32_t getgid_() { return static_cast<std::int32_t>(getgid()); }

std::int32_t system_(const char *command, std::int64_t length) {
  int status = std::system(trimmed(command, length).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : status;
}

std::int32_t kill_(const std::int32_t *process, const std::int32_t *signal) { return codeOf(kill(*process, *signal)); }

namespace {

/// By the numbers of signals.
void (*handlers[NSIG])(std::int32_t *);

void callHandler(int signal) {
  std::int32_t number = signal;
  handlers[signal](&number);
}

} // namespace

std::int32_t signal_(const std::int32_t *signal, void (*handler)(std::int32_t *), const std::int32_t *flag) {
  if (*signal <= 0 || *signal >= NSIG)
    return -EINVAL;
  bool isHandled = *flag < 0;
  if (isHandled)
    handlers[*signal] = handler;
  auto before = std::signal(*signal, isHandled ? callHandler : *flag == 0 ? SIG_DFL : SIG_IGN);
  if (before == SIG_ERR)
    return -errno;
  return before == SIG_DFL ? 0 : before == SIG_IGN ? 1 : 2;
}

void sleep_(const std::int32_t *seconds) {
  if (*seconds > 0)
    sleep(static_cast<unsigned>(*seconds));
}

void exit_(const std::int32_t *status) { _FortranAExit(*status); }

void abort_() { _FortranAAbort(); }

void perror_(const char *text, std::int64_t length) { std::perror(trimmed(text, length).c_str()); }
