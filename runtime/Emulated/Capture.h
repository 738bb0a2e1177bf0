// Graphs, and the capture of what is ordered on streams into them. Work is done at the call here, so what a captured
// stream is told to do, in the order of the calls, is a graph.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace cufort::rt::emulated {

/// Work in an order that it can be done in. An executable graph is a copy of it.
struct Graph {
  std::vector<std::function<CUresult()>> steps;

  /// Does all steps, up to the first that fails, whose code it returns.
  CUresult run() const;
};

/// How many steps of each stream come before something.
using StepsBefore = std::map<CUstream, size_t>;

/// A capture that has begun in one stream, and that others have joined. Thread-safe.
class Capture {
public:
  explicit Capture(CUstream origin);
  ~Capture() { leave(); }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  const CUstream origin;

  bool isActive() const { return active; }
  bool isValid() const { return valid; }
  /// Something was done that a captured stream does not allow: there will be no graph.
  void invalidate() { valid = false; }

  /// Adds a step in `stream`. Fails if the capture is not valid any more.
  CUresult add(CUstream stream, std::function<CUresult()> step);
  /// What an event in `stream` stands for.
  StepsBefore stepsBefore(CUstream stream);
  /// Lets what `stream` is told to do from now on come after `steps`.
  void follow(CUstream stream, const StepsBefore &steps);
  /// Ends the capture in all its streams, and sets `graph`. Fails if the capture is not valid, or if a stream has steps
  /// that the one in which it began has not waited for.
  CUresult end(Graph &graph);

private:
  void leave();

  std::atomic<bool> active{true}, valid{true};
  std::mutex lock;
  Graph steps;
  std::map<CUstream, StepsBefore> before;
};

/// Returns the capture that `stream` takes part in, or null. Costs next to nothing while there is none.
Capture *captureOf(CUstream stream);

} // namespace cufort::rt::emulated
