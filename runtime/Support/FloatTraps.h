// Floating-point exceptions that stop the program (-Ktrap). Device code never traps.
#pragma once

#include <cfenv>

namespace cufort::rt {

/// While it lives, the calling thread's floating-point exceptions do not trap: it runs device code.
class TrapsOff {
public:
  TrapsOff() : enabled(fedisableexcept(FE_ALL_EXCEPT)) {}
  ~TrapsOff() {
    if (enabled > 0) {
      // What device code left behind must not trap late.
      feclearexcept(FE_ALL_EXCEPT);
      feenableexcept(enabled);
    }
  }
  TrapsOff(const TrapsOff &) = delete;
  TrapsOff &operator=(const TrapsOff &) = delete;

private:
  int enabled;
};

} // namespace cufort::rt
