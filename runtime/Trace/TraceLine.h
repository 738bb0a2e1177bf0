// One line of a trace: words, then what is known as `name=value`.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"
#include "runtime/Support/Environment.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cufort::rt {

/// True if the user wants lines of this kind.
inline bool wants(TraceKind kind) { return (environment().notify & kind) != 0; }

class TraceLine {
public:
  /// A line that begins with `what` and says at which statement and device of `table` the calling thread is.
  TraceLine(const char *what, const DriverTable &table);

  TraceLine &add(const char *name, const std::string &value);
  TraceLine &add(const char *name, uint64_t value) { return add(name, std::to_string(value)); }
  /// Says nothing if there is no such text.
  TraceLine &add(const char *name, const char *value) { return value ? add(name, std::string(value)) : *this; }
  /// Says nothing if the time is not known.
  TraceLine &addTime(std::optional<double> microseconds);

  /// Writes the line to stderr, whole.
  void print();

private:
  std::string text;
};

/// Measures how long work in a stream takes: by events, for which it waits, if the user wants times and nothing
/// captures the stream; else not at all.
class StreamTimer {
public:
  StreamTimer(const DriverTable &table, CUstream stream);
  ~StreamTimer();
  StreamTimer(const StreamTimer &) = delete;
  StreamTimer &operator=(const StreamTimer &) = delete;

  /// Waits for what has been queued since the timer was made, and returns its microseconds.
  std::optional<double> stop();

private:
  const DriverTable &table;
  CUstream stream;
  CUevent begin = nullptr, end = nullptr;
  bool hasBegun = false;
};

/// Measures by the host's clock.
class HostTimer {
public:
  double stop() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }

private:
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

/// True if what is queued on `stream` becomes part of a graph instead of running.
bool isCapturing(const DriverTable &table, CUstream stream);

} // namespace cufort::rt
