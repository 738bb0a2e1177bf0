#include "runtime/Emulated/Capture.h"
#include "runtime/Emulated/EmulatedContext.h"

namespace cufort::rt::emulated {

static std::atomic<int> activeCaptures{0};

CUresult Graph::run() const {
  for (const auto &step : steps)
    if (CUresult result = step(); result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

Capture::Capture(CUstream origin) : origin(origin) { ++activeCaptures; }

CUresult Capture::add(std::function<CUresult()> step) {
  std::lock_guard<std::mutex> guard(lock);
  graph.steps.push_back(std::move(step));
  return CUDA_SUCCESS;
}

Graph Capture::end() {
  if (active.exchange(false))
    --activeCaptures;
  std::lock_guard<std::mutex> guard(lock);
  return std::move(graph);
}

Capture *captureOf(CUstream stream) {
  if (activeCaptures == 0)
    return nullptr;
  const Stream *found = EmulatedContext::instance().streams.find(stream);
  return found && found->capture && found->capture->isActive() ? found->capture.get() : nullptr;
}

} // namespace cufort::rt::emulated
