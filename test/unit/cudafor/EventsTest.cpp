#include "runtime/Stream/DefaultStream.h"
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Events = CudaForTest;

TEST_F(Events, CreateRecordMeasure) {
  Event start, end;
  EXPECT_EQ(cufort_cudaEventCreate(&start), cudaSuccess);
  EXPECT_EQ(recorded().flags, 0u);
  EXPECT_EQ(cufort_cudaEventCreateWithFlags(&end, CU_EVENT_BLOCKING_SYNC), cudaSuccess);
  EXPECT_EQ(recorded().flags, unsigned(CU_EVENT_BLOCKING_SYNC));
  EXPECT_EQ(cufort_cudaEventRecord(&start, &narrow(0)), cudaSuccess);
  EXPECT_EQ(recorded().stream, nullptr);
  EXPECT_EQ(recorded().event, start.handle);
  EXPECT_EQ(cufort_cudaEventRecord(&start, &wide(0x5000)), cudaSuccess);
  EXPECT_EQ(recorded().stream, toStream(0x5000));
  EXPECT_EQ(cufort_cudaEventRecord(&start, nullptr), cudaSuccess);
  EXPECT_EQ(recorded().stream, nullptr);
  EXPECT_EQ(cufort_cudaEventSynchronize(&end), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cufort_cudaEventElapsedTime(&milliseconds, &start, &end), cudaSuccess);
  EXPECT_EQ(milliseconds, 1.5f);
  EXPECT_EQ(cufort_cudaEventDestroy(&start), cudaSuccess);
}

TEST_F(Events, AnEventThatWasNotCreatedNeverReachesTheDriver) {
  Event none = {nullptr}, good;
  cufort_cudaEventCreate(&good);
  float milliseconds;
  EXPECT_EQ(cufort_cudaEventRecord(&none, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cufort_cudaEventQuery(&none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cufort_cudaEventSynchronize(&none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cufort_cudaEventDestroy(&none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cufort_cudaEventElapsedTime(&milliseconds, &good, &none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(device().callsOf(Call::eventRecord) + device().callsOf(Call::eventQuery) +
                device().callsOf(Call::eventSynchronize) + device().callsOf(Call::eventDestroy) +
                device().callsOf(Call::eventElapsedTime),
            0);
}

TEST_F(Events, FailuresAreReturned) {
  Event event;
  device().fail(Call::eventCreate, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cufort_cudaEventCreate(&event), cudaErrorMemoryAllocation);
  device().fail(Call::eventQuery, CUDA_ERROR_NOT_READY);
  event.handle = reinterpret_cast<CUevent>(uintptr_t(0x6000));
  EXPECT_EQ(cufort_cudaEventQuery(&event), cudaErrorNotReady);
}

} // namespace
