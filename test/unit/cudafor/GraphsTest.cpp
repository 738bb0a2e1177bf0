// What graphs do is tested on the emulated device (emulated/GraphTest.cpp); here, that calls and errors are passed on.
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

class Graphs : public CudaForTest {
protected:
  /// Calls all routines, and expects each to return `code`.
  void callAll(cudaError_t code) {
    Graph graph = {};
    GraphExec executable = {};
    int status = -1;
    EXPECT_EQ(cufort_cudaStreamBeginCapture(wide(0x5000), CU_STREAM_CAPTURE_MODE_GLOBAL), code);
    EXPECT_EQ(cufort_cudaStreamIsCapturing(narrow(0x5000), &status), code);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(cufort_cudaStreamEndCapture(wide(0x5000), &graph), code);
    EXPECT_EQ(cufort_cudaGraphCreate(&graph, 0), code);
    EXPECT_EQ(cufort_cudaGraphInstantiate(&executable, &graph, 0), code);
    EXPECT_EQ(cufort_cudaGraphLaunch(&executable, wide(0)), code);
    EXPECT_EQ(cufort_cudaGraphExecDestroy(&executable), code);
    EXPECT_EQ(cufort_cudaGraphDestroy(&graph), code);
  }
};

TEST_F(Graphs, CallsReachTheDriver) {
  callAll(cudaSuccess);
  for (Call call : {Call::streamBeginCapture, Call::streamIsCapturing, Call::streamEndCapture, Call::graphCreate,
                    Call::graphInstantiate, Call::graphLaunch, Call::graphExecDestroy, Call::graphDestroy})
    EXPECT_EQ(device().callsOf(call), 1) << int(call);
}

TEST_F(Graphs, OldDriversHaveNone) {
  for (Call call : {Call::streamBeginCapture, Call::streamIsCapturing, Call::streamEndCapture, Call::graphCreate,
                    Call::graphInstantiate, Call::graphLaunch, Call::graphExecDestroy, Call::graphDestroy})
    device().fail(call, CUDA_ERROR_NOT_SUPPORTED);
  callAll(cudaErrorNotSupported);
}

} // namespace
