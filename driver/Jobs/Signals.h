// Waiting for children and for the user's Ctrl-C at the same time, without signal handlers.
#pragma once

#include <csignal>

namespace cufort::driver {

/// While it lives, SIGCHLD and the signals that ask a program to end (Ctrl-C, SIGTERM, hang-up) are held back until
/// wait() asks for them. Children restore the usual mask themselves. One at a time.
class SignalGuard {
public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;

  /// Waits until a child has changed its state (returns SIGCHLD), the user asks to end (returns that signal), or the
  /// time is over (returns 0). Negative: no time limit.
  int wait(int milliseconds) const;

  /// Returns a signal that asks to end and has arrived already, or 0.
  int pending() const;

  /// Ends this process as `signal` would have without a guard.
  [[noreturn]] static void endBy(int signal);

private:
  sigset_t held;     ///< what is held back
  sigset_t previous; ///< the mask before
};

} // namespace cufort::driver
