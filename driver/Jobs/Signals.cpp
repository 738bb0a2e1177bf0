#include "driver/Jobs/Signals.h"
#include <cerrno>
#include <ctime>
#include <unistd.h>

using namespace cufort::driver;

namespace {

constexpr int endSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// A signal that was ignored when the driver started (nohup, a background job) stays ignored.
bool isIgnored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

SignalGuard::SignalGuard() {
  // An inherited SIG_IGN would make children vanish without a status.
  signal(SIGCHLD, SIG_DFL);
  // Writing to a closed pipe must not leave temporary files behind.
  signal(SIGPIPE, SIG_IGN);
  sigemptyset(&held);
  sigaddset(&held, SIGCHLD);
  for (int signal : endSignals)
    if (!isIgnored(signal))
      sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &previous);
}

SignalGuard::~SignalGuard() { sigprocmask(SIG_SETMASK, &previous, nullptr); }

int SignalGuard::wait(int milliseconds) const {
  timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  int signal;
  do
    signal = milliseconds < 0 ? sigwaitinfo(&held, nullptr) : sigtimedwait(&held, nullptr, &limit);
  while (signal < 0 && errno == EINTR);
  return signal < 0 ? 0 : signal;
}

int SignalGuard::pending() const {
  sigset_t arrived;
  sigpending(&arrived);
  for (int signal : endSignals)
    if (sigismember(&arrived, signal) && sigismember(&held, signal))
      return signal;
  return 0;
}

void SignalGuard::endBy(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal);
}
