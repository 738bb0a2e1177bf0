// Capturing streams, and graphs.
#include "runtime/Emulated/EmulatedContext.h"

namespace cufort::rt::emulated {

static CUresult streamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  CUFORT_EMULATED_ENTER(context);
  Stream *found = context.streamOf(stream);
  if (!found)
    return context.knows(stream) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_ERROR_INVALID_HANDLE;
  if (captureOf(stream))
    return CUDA_ERROR_ILLEGAL_STATE;
  found->capture = std::make_shared<Capture>(stream);
  return CUDA_SUCCESS;
}

static CUresult streamEndCapture(CUstream stream, CUgraph *graph) {
  CUFORT_EMULATED_ENTER(context);
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  Capture *capture = captureOf(stream);
  if (!capture)
    return context.knows(stream) ? CUDA_ERROR_ILLEGAL_STATE : CUDA_ERROR_INVALID_HANDLE;
  if (capture->origin != stream)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  auto captured = std::make_unique<Graph>();
  CUresult result = capture->end(*captured);
  *graph = result == CUDA_SUCCESS ? context.graphs.add(std::move(captured)) : nullptr;
  return result;
}

static CUresult streamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  CUFORT_EMULATED_ENTER(context);
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (const Capture *capture = captureOf(stream))
    *status = capture->isValid() ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  return context.knows(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Everything is allowed here while a stream is captured.
static CUresult threadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return mode ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult graphCreate(CUgraph *graph, unsigned flags) {
  CUFORT_EMULATED_ENTER(context);
  if (!graph || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = context.graphs.add(std::make_unique<Graph>());
  return CUDA_SUCCESS;
}

static CUresult graphDestroy(CUgraph graph) {
  CUFORT_EMULATED_ENTER(context);
  return context.graphs.remove(graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult graphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long) {
  CUFORT_EMULATED_ENTER(context);
  const Graph *found = context.graphs.find(graph);
  if (!executable || !found)
    return CUDA_ERROR_INVALID_VALUE;
  *executable = context.executableGraphs.add(std::make_unique<Graph>(*found));
  return CUDA_SUCCESS;
}

static CUresult graphLaunch(CUgraphExec executable, CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  const Graph *found = context.executableGraphs.find(executable);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  if (!context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (Capture *capture = captureOf(stream))
    return capture->add(stream, [graph = *found] { return graph.run(); });
  return found->run();
}

static CUresult graphExecDestroy(CUgraphExec executable) {
  CUFORT_EMULATED_ENTER(context);
  return context.executableGraphs.remove(executable) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void addGraphFunctions(DriverTable &table) {
  table.streamBeginCapture = streamBeginCapture;
  table.streamEndCapture = streamEndCapture;
  table.streamIsCapturing = streamIsCapturing;
  table.threadExchangeStreamCaptureMode = threadExchangeStreamCaptureMode;
  table.graphCreate = graphCreate;
  table.graphDestroy = graphDestroy;
  table.graphInstantiate = graphInstantiate;
  table.graphLaunch = graphLaunch;
  table.graphExecDestroy = graphExecDestroy;
}

} // namespace cufort::rt::emulated
