// The clock for programs that run on the host.
#pragma once

#include <chrono>

namespace benchmark {

inline std::chrono::steady_clock::time_point firstTick;

inline void prepareClock() {}

inline void startClock(Clock) { firstTick = std::chrono::steady_clock::now(); }

/// Milliseconds since `startClock`.
inline double stopClock(Clock) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - firstTick).count();
}

inline const char *deviceError() { return nullptr; }

} // namespace benchmark
