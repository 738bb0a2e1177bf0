// Calls of the driver that are not meant for a graph, while a stream may be captured.
#pragma once

#include "runtime/Context/Context.h"

namespace cufort::rt {

/// While it lives, the calling thread may allocate and ask about events although it, or another one, captures a stream.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Current &current) : table(*current.table) {
    table.threadExchangeStreamCaptureMode(&mode);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;
  ~RelaxedCapture() { table.threadExchangeStreamCaptureMode(&mode); }

private:
  const DriverTable &table;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace cufort::rt
