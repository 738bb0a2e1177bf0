#include "runtime/Emulated/Capture.h"
#include "runtime/Emulated/EmulatedContext.h"
#include <algorithm>

namespace cufort::rt::emulated {

static std::atomic<int> activeCaptures{0};

CUresult Graph::run() const {
  for (const auto &step : steps)
    if (CUresult result = step(); result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

Capture::Capture(CUstream origin) : origin(origin) { ++activeCaptures; }

CUresult Capture::add(CUstream stream, std::function<CUresult()> step) {
  if (!valid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  std::lock_guard<std::mutex> guard(lock);
  steps.steps.push_back(std::move(step));
  ++before[stream][stream];
  return CUDA_SUCCESS;
}

StepsBefore Capture::stepsBefore(CUstream stream) {
  std::lock_guard<std::mutex> guard(lock);
  return before[stream];
}

void Capture::follow(CUstream stream, const StepsBefore &steps) {
  std::lock_guard<std::mutex> guard(lock);
  for (auto [other, count] : steps)
    before[stream][other] = std::max(before[stream][other], count);
}

CUresult Capture::end(Graph &graph) {
  leave();
  if (!valid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  std::lock_guard<std::mutex> guard(lock);
  StepsBefore &joined = before[origin];
  for (auto &[stream, own] : before)
    if (own[stream] > joined[stream])
      return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  graph = std::move(steps);
  return CUDA_SUCCESS;
}

void Capture::leave() {
  if (active.exchange(false))
    --activeCaptures;
}

Capture *captureOf(CUstream stream) {
  if (activeCaptures == 0)
    return nullptr;
  const Stream *found = EmulatedContext::instance().streamOf(stream);
  return found && found->capture && found->capture->isActive() ? found->capture.get() : nullptr;
}

} // namespace cufort::rt::emulated
