// The queues of module openacc.
#include "runtime/Stream/DefaultStream.h"
#include "test/unit/cudafor/CudaForTest.h"
#include <thread>
#include <vector>

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

class Queues : public CudaForTest {
protected:
  ~Queues() { cufort_cudaDeviceReset(); }

  static int64_t streamOf(int queue) {
    int64_t stream = -1;
    EXPECT_EQ(cufort_queueStream(queue, &stream), cudaSuccess);
    return stream;
  }

  static void inThreads(void (*body)(int)) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back(body, thread);
    for (std::thread &thread : threads)
      thread.join();
  }
};

TEST_F(Queues, EachHasOneStream) {
  EXPECT_EQ(toStream(streamOf(5)), createdStream);
  EXPECT_EQ(streamOf(5), streamOf(5 + 32));
  EXPECT_EQ(device().callsOf(Call::streamCreate), 1);
  EXPECT_EQ(cufort_setQueueStream(6, 0x5000), cudaSuccess);
  EXPECT_EQ(streamOf(6), 0x5000);
  EXPECT_EQ(streamOf(-2), 0);
  EXPECT_EQ(device().callsOf(Call::streamCreate), 1);
}

TEST_F(Queues, AreThoseOfTheDevice) {
  EXPECT_EQ(cufort_setQueueStream(6, 0x5000), cudaSuccess);
  EXPECT_EQ(cufort_cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(toStream(streamOf(6)), createdStream);
  EXPECT_EQ(cufort_cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(streamOf(6), 0x5000);
}

TEST_F(Queues, EndWithTheContext) {
  EXPECT_EQ(cufort_setQueueStream(6, 0x5000), cudaSuccess);
  EXPECT_EQ(cufort_cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(toStream(streamOf(6)), createdStream);
}

TEST_F(Queues, FailureIsReportedAndTriedAgain) {
  int64_t stream = -1;
  device().fail(Call::streamCreate, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cufort_queueStream(1, &stream), cudaErrorMemoryAllocation);
  device().fail(Call::streamCreate, CUDA_SUCCESS);
  EXPECT_EQ(toStream(streamOf(1)), createdStream);
}

TEST_F(Queues, QueryLooksAtAllAndAtStream0) {
  EXPECT_EQ(cufort_queryQueues(), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::streamQuery), 1);
  streamOf(1);
  streamOf(2);
  EXPECT_EQ(cufort_queryQueues(), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::streamQuery), 4);
  device().fail(Call::streamQuery, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cufort_queryQueues(), cudaErrorNotReady);
}

TEST_F(Queues, ThreadsShareThem) {
  inThreads([](int) {
    for (int queue = 0; queue < 100; ++queue)
      EXPECT_EQ(toStream(streamOf(queue)), createdStream);
  });
  EXPECT_EQ(device().callsOf(Call::streamCreate), 32);
}

TEST_F(Queues, ThreadsSetTheirOwn) {
  inThreads([](int thread) {
    for (int round = 0; round < 100; ++round) {
      EXPECT_EQ(cufort_setQueueStream(thread, 0x5000 + thread), cudaSuccess);
      EXPECT_EQ(streamOf(thread), 0x5000 + thread);
      EXPECT_EQ(toStream(streamOf(20)), createdStream);
    }
  });
  EXPECT_EQ(device().callsOf(Call::streamCreate), 1);
}

TEST_F(Queues, EachThreadHasItsDefault) {
  EXPECT_EQ(cufort_setDefaultQueue(7), cudaSuccess);
  EXPECT_EQ(cufort_setQueueStream(7, 0x7000), cudaSuccess);
  inThreads([](int thread) {
    int queue = -1;
    EXPECT_EQ(cufort_defaultQueue(&queue), cudaSuccess);
    EXPECT_EQ(queue, 0);
    EXPECT_EQ(cufort_setDefaultQueue(thread + 8), cudaSuccess);
    EXPECT_EQ(cufort_setQueueStream(-1, 0x8000 + thread), cudaSuccess);
    EXPECT_EQ(streamOf(thread + 8), 0x8000 + thread);
  });
  EXPECT_EQ(streamOf(-1), 0x7000);
  EXPECT_EQ(cufort_setDefaultQueue(0), cudaSuccess);
}

} // namespace
