// Capturing streams into graphs, and launching them.
#include "test/unit/emulated/EmulatedTest.h"

namespace cufort::rt::emulated {
namespace {

class Graphs : public EmulatedTest {
protected:
  void SetUp() override {
    EmulatedTest::SetUp();
    ASSERT_EQ(driver.streamCreate(&first, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver.streamCreate(&second, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver.eventCreate(&event, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver.memAlloc(&memory, 400), CUDA_SUCCESS);
    words = reinterpret_cast<int *>(memory);
    std::fill(words, words + 100, 0);
  }
  void begin(CUstream stream) {
    ASSERT_EQ(driver.streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  }
  CUgraphExec end(CUstream stream) {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    EXPECT_EQ(driver.streamEndCapture(stream, &graph), CUDA_SUCCESS);
    EXPECT_EQ(driver.graphInstantiate(&executable, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(driver.graphDestroy(graph), CUDA_SUCCESS);
    return executable;
  }
  /// Lets `later` wait for what `earlier` has been told to do.
  void join(CUstream earlier, CUstream later) {
    EXPECT_EQ(driver.eventRecord(event, earlier), CUDA_SUCCESS);
    EXPECT_EQ(driver.streamWaitEvent(later, event, 0), CUDA_SUCCESS);
  }
  /// Ends a capture that makes no graph.
  CUresult spoiledEnd(CUstream stream) {
    auto graph = reinterpret_cast<CUgraph>(this);
    CUresult result = driver.streamEndCapture(stream, &graph);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    return result;
  }
  CUstreamCaptureStatus status(CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    EXPECT_EQ(driver.streamIsCapturing(stream, &status), CUDA_SUCCESS);
    return status;
  }

  CUstream first = nullptr, second = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
  int *words = nullptr;
};

void addTo(void **params) { param<int *>(params, 0)[threadNumber()] += param<int>(params, 1); }

TEST_F(Graphs, KernelsKeepTheArgumentsOfTheCapture) {
  KernelTraits traits;
  traits.paramSizes = {8, 4};
  TestImage image(addTo, traits);
  CUmodule module;
  CUfunction function;
  ASSERT_EQ(driver.moduleLoadDataEx(&module, image.image(), 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver.moduleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  int amount = 5;
  void *params[] = {&memory, &amount};
  begin(first);
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(driver.launchKernel(function, 1, 1, 1, 100, 1, 1, 0, first, params, nullptr), CUDA_SUCCESS);
  CUgraphExec executable = end(first);
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(words[99], 0);
  amount = 1000;
  EXPECT_EQ(driver.graphLaunch(executable, first), CUDA_SUCCESS);
  EXPECT_EQ(driver.graphLaunch(executable, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(words[99], 10);
  EXPECT_EQ(driver.graphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(driver.graphLaunch(executable, first), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, CopiesFillsAndHostFunctionsOfSeveralStreams) {
  std::vector<int> host(100, 3);
  static int calls;
  calls = 0;
  begin(first);
  EXPECT_EQ(driver.memsetD32Async(memory, 7, 100, first), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventRecord(event, first), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(driver.streamWaitEvent(second, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(status(second), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(driver.memcpyHtoDAsync(memory, host.data(), 40, second), CUDA_SUCCESS);
  EXPECT_EQ(driver.launchHostFunc(first, [](void *) { ++calls; }, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.memsetD32Async(memory, 8, 101, first), CUDA_ERROR_INVALID_VALUE) << "checked when it is captured";
  join(second, first);
  CUgraphExec executable = end(first);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(words[50], 0);
  EXPECT_EQ(driver.graphLaunch(executable, second), CUDA_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(words[9], 3);
  EXPECT_EQ(words[10], 7);
  EXPECT_EQ(driver.memFree(memory), CUDA_SUCCESS);
  EXPECT_EQ(driver.graphLaunch(executable, second), CUDA_ERROR_INVALID_VALUE) << "the memory is gone";
}

TEST_F(Graphs, Mistakes) {
  CUgraph graph = nullptr;
  CUevent outside = nullptr;
  ASSERT_EQ(driver.eventCreate(&outside, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver.eventRecord(outside, second), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(driver.streamEndCapture(first, &graph), CUDA_ERROR_ILLEGAL_STATE);
  begin(first);
  EXPECT_EQ(driver.streamBeginCapture(first, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
  join(first, second);
  EXPECT_EQ(driver.streamEndCapture(second, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(driver.streamEndCapture(first, &graph), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamSynchronize(first), CUDA_SUCCESS);
  begin(first);
  EXPECT_EQ(driver.streamWaitEvent(first, outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(spoiledEnd(first), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(first);
  begin(second);
  EXPECT_EQ(driver.eventRecord(event, second), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamWaitEvent(first, event, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_EQ(spoiledEnd(first), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(spoiledEnd(second), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Graphs, WaitingForACapturedStreamSpoilsTheCapture) {
  begin(first);
  EXPECT_EQ(driver.memsetD32Async(memory, 1, 100, first), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamSynchronize(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(driver.memsetD32Async(memory, 2, 100, first), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(spoiledEnd(first), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(driver.memsetD32Async(memory, 3, 100, first), CUDA_SUCCESS);
  EXPECT_EQ(words[99], 3);
}

TEST_F(Graphs, AllStreamsHaveToJoin) {
  begin(first);
  join(first, second);
  EXPECT_EQ(driver.memsetD32Async(memory, 1, 50, second), CUDA_SUCCESS);
  join(second, first);
  EXPECT_EQ(driver.memsetD32Async(memory, 2, 50, second), CUDA_SUCCESS);
  EXPECT_EQ(spoiledEnd(first), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(status(second), CU_STREAM_CAPTURE_STATUS_NONE);
  begin(first);
  join(first, second);
  CUgraphExec executable = end(first);
  EXPECT_EQ(driver.graphLaunch(executable, second), CUDA_SUCCESS);
}

TEST_F(Graphs, TheStreamOfTheThread) {
  CUstream own = perThreadStream();
  begin(own);
  EXPECT_EQ(driver.memsetD32Async(memory, 5, 100, own), CUDA_SUCCESS);
  EXPECT_EQ(status(own), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraphExec executable = end(own);
  EXPECT_EQ(words[0], 0);
  EXPECT_EQ(driver.graphLaunch(executable, own), CUDA_SUCCESS);
  EXPECT_EQ(words[0], 5);
}

} // namespace
} // namespace cufort::rt::emulated
