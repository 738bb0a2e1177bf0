// Graphs (guide 4.13): what is ordered on a stream while it is captured, to be launched as a whole.
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Module/Module.h"
#include "runtime/Stream/DefaultStream.h"

namespace cufort::rt {

extern "C" {

int cufort_cudaStreamBeginCapture(Any stream, int mode) {
  return withContext([&](const Current &current) {
    return Result(
        current.table->streamBeginCapture(toStream(integerOf(stream)), static_cast<CUstreamCaptureMode>(mode)),
        "cuStreamBeginCapture");
  });
}

int cufort_cudaStreamEndCapture(Any stream, Graph *graph) {
  return withContext([&](const Current &current) {
    graph->handle = nullptr;
    return Result(current.table->streamEndCapture(toStream(integerOf(stream)), &graph->handle), "cuStreamEndCapture");
  });
}

int cufort_cudaStreamIsCapturing(Any stream, int *status) {
  return withContext([&](const Current &current) {
    CUstreamCaptureStatus captured = CU_STREAM_CAPTURE_STATUS_NONE;
    Result result(current.table->streamIsCapturing(toStream(integerOf(stream)), &captured), "cuStreamIsCapturing");
    *status = captured;
    return result;
  });
}

int cufort_cudaGraphCreate(Graph *graph, int flags) {
  return withContext([=](const Current &current) {
    return Result(current.table->graphCreate(&graph->handle, static_cast<unsigned>(flags)), "cuGraphCreate");
  });
}

int cufort_cudaGraphDestroy(const Graph *graph) {
  return withContext(
      [=](const Current &current) { return Result(current.table->graphDestroy(graph->handle), "cuGraphDestroy"); });
}

int cufort_cudaGraphInstantiate(GraphExec *executable, const Graph *graph, int flags) {
  return withContext([=](const Current &current) {
    return Result(current.table->graphInstantiate(&executable->handle, graph->handle, static_cast<unsigned>(flags)),
                  "cuGraphInstantiateWithFlags");
  });
}

int cufort_cudaGraphLaunch(const GraphExec *executable, Any stream) {
  return withContext([&](const Current &current) {
    writeOutputBeforeAny();
    return Result(current.table->graphLaunch(executable->handle, toStream(integerOf(stream))), "cuGraphLaunch");
  });
}

int cufort_cudaGraphExecDestroy(const GraphExec *executable) {
  return withContext([=](const Current &current) {
    return Result(current.table->graphExecDestroy(executable->handle), "cuGraphExecDestroy");
  });
}

} // extern "C"

} // namespace cufort::rt
