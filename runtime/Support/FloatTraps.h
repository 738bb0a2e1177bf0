// Floating-point exceptions, which stop the program (-Ktrap) and raise flags: those of host code only.
#pragma once

#include <cfenv>

namespace cufort::rt {

/// While it lives, floating-point exceptions of the calling thread do not trap, and raise no flag that the program
/// sees: it runs device code, or the runtime calculates.
class ExceptionsOff {
public:
  ExceptionsOff() { feholdexcept(&environment); }
  ~ExceptionsOff() { fesetenv(&environment); }
  ExceptionsOff(const ExceptionsOff &) = delete;
  ExceptionsOff &operator=(const ExceptionsOff &) = delete;

private:
  fenv_t environment;
};

} // namespace cufort::rt
