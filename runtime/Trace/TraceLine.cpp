#include "runtime/Trace/TraceLine.h"
#include "runtime/Trace/Statement.h"
#include <cstdio>

namespace cufort::rt {

TraceLine::TraceLine(const char *what, const DriverTable &table) : text(what) {
  const Statement &statement = currentStatement();
  CUdevice device = 0;
  add("file", statement.file);
  if (statement.line)
    add("line", static_cast<uint64_t>(statement.line));
  if (table.ctxGetDevice(&device) == CUDA_SUCCESS)
    add("device", static_cast<uint64_t>(device));
}

TraceLine &TraceLine::add(const char *name, const std::string &value) {
  text += std::string(" ") + name + "=";
  text += value.find(' ') == std::string::npos ? value : "\"" + value + "\"";
  return *this;
}

TraceLine &TraceLine::addTime(std::optional<double> microseconds) {
  if (!microseconds)
    return *this;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1fus", *microseconds);
  return add("time", std::string(digits));
}

void TraceLine::print() { std::fputs((text += '\n').c_str(), stderr); }

StreamTimer::StreamTimer(const DriverTable &table, CUstream stream) : table(table), stream(stream) {
  if (!wants(TraceTimes) || isCapturing(table, stream))
    return;
  hasBegun = table.eventCreate(&begin, 0) == CUDA_SUCCESS && table.eventCreate(&end, 0) == CUDA_SUCCESS &&
             table.eventRecord(begin, stream) == CUDA_SUCCESS;
}

StreamTimer::~StreamTimer() {
  if (begin)
    table.eventDestroy(begin);
  if (end)
    table.eventDestroy(end);
}

std::optional<double> StreamTimer::stop() {
  float milliseconds = 0;
  if (!hasBegun || table.eventRecord(end, stream) != CUDA_SUCCESS || table.eventSynchronize(end) != CUDA_SUCCESS ||
      table.eventElapsedTime(&milliseconds, begin, end) != CUDA_SUCCESS)
    return std::nullopt;
  return 1000.0 * milliseconds;
}

bool isCapturing(const DriverTable &table, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return stream && table.streamIsCapturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

} // namespace cufort::rt
