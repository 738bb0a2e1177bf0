// Graphs, and the capture of what is ordered on streams into them. Work is done at the call here, so what a captured
// stream is told to do, in the order of the calls, is a graph.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace cufort::rt::emulated {

/// Work in an order that it can be done in. An executable graph is a copy of it.
struct Graph {
  std::vector<std::function<CUresult()>> steps;

  /// Does all steps, up to the first that fails, whose code it returns.
  CUresult run() const;
};

/// A capture that has begun in one stream, and that others have joined. Thread-safe.
class Capture {
public:
  explicit Capture(CUstream origin);
  ~Capture() { end(); }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  const CUstream origin;

  bool isActive() const { return active; }
  /// Adds a step. Returns CUDA_SUCCESS.
  CUresult add(std::function<CUresult()> step);
  /// Ends the capture in all its streams, and returns the graph.
  Graph end();

private:
  std::atomic<bool> active{true};
  std::mutex lock;
  Graph graph;
};

/// Returns the capture that `stream` takes part in, or null. Costs next to nothing while there is none.
Capture *captureOf(CUstream stream);

} // namespace cufort::rt::emulated
