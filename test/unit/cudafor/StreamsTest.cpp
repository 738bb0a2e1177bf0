#include "runtime/Stream/DefaultStream.h"
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Streams = CudaForTest;

TEST_F(Streams, CreateGivesTheHandleAsANumber) {
  int64_t stream = 0;
  EXPECT_EQ(cufort_cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(toStream(stream), fake::createdStream);
  EXPECT_EQ(recorded().flags, 0u);
  EXPECT_EQ(cufort_cudaStreamCreateWithFlags(&stream, 1), cudaSuccess);
  EXPECT_EQ(recorded().flags, 1u);
  EXPECT_EQ(cufort_cudaStreamCreateWithPriority(&stream, 1, -5), cudaSuccess);
  EXPECT_EQ(stream, 0x5100);
  EXPECT_EQ(recorded().priority, -5);
}

TEST_F(Streams, NumbersOfBothKindsReachTheDriver) {
  EXPECT_EQ(cufort_cudaStreamDestroy(wide(0x123456789a)), cudaSuccess);
  EXPECT_EQ(recorded().stream, toStream(0x123456789a));
  EXPECT_EQ(cufort_cudaStreamQuery(narrow(0)), cudaSuccess);
  EXPECT_EQ(recorded().stream, nullptr);
  int priority = 0;
  EXPECT_EQ(cufort_cudaStreamGetPriority(wide(0x5000), &priority), cudaSuccess);
  EXPECT_EQ(priority, -3);
}

TEST_F(Streams, NotReadyIsNoError) {
  device().fail(Call::streamQuery, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cufort_cudaStreamQuery(wide(0x5000)), cudaErrorNotReady);
  EXPECT_EQ(cufort_cudaGetLastError(), cudaSuccess);
}

TEST_F(Streams, SynchronizeReportsFailure) {
  EXPECT_EQ(cufort_cudaStreamSynchronize(&wide(0x5000)), cudaSuccess);
  ASSERT_EQ(device().synchronized.size(), 1u);
  EXPECT_EQ(device().synchronized[0], toStream(0x5000));
  device().fail(Call::streamSynchronize, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cufort_cudaStreamSynchronize(&wide(0x5000)), cudaErrorLaunchFailure);
}

TEST_F(Streams, SynchronizeWithoutAStreamWaitsForTheDefaultStream) {
  EXPECT_EQ(cufort_cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaforSetThreadDefaultStream(wide(0x5000)), cudaSuccess);
  EXPECT_EQ(cufort_cudaStreamSynchronize(nullptr), cudaSuccess);
  ASSERT_EQ(device().synchronized.size(), 2u);
  EXPECT_EQ(device().synchronized[0], nullptr);
  EXPECT_EQ(device().synchronized[1], toStream(0x5000));
  EXPECT_EQ(cudaforSetThreadDefaultStream(wide(0)), cudaSuccess);
}

TEST_F(Streams, WaitEventChecksTheEvent) {
  Event event = {nullptr};
  int flags = 1;
  EXPECT_EQ(cufort_cudaStreamWaitEvent(wide(0x5000), &event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(device().callsOf(Call::streamWaitEvent), 0);
  event.handle = reinterpret_cast<CUevent>(uintptr_t(0x6000));
  EXPECT_EQ(cufort_cudaStreamWaitEvent(wide(0x5000), &event, &flags), cudaSuccess);
  EXPECT_EQ(recorded().event, event.handle);
  EXPECT_EQ(recorded().flags, 1u);
}

TEST_F(Streams, AttachMemory) {
  float values[4];
  FortranDescriptor array = describe(values, 4, {4});
  EXPECT_EQ(cufort_cudaStreamAttachMemAsync(wide(0x5000), array, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(values));
  EXPECT_EQ(recorded().bytes, 0u);
  EXPECT_EQ(recorded().flags, unsigned(CU_MEM_ATTACH_SINGLE));
  int flags = CU_MEM_ATTACH_HOST;
  EXPECT_EQ(cufort_cudaStreamAttachMemAsync(wide(0x5000), array, &narrow(16), &flags), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 16u);
  EXPECT_EQ(recorded().flags, unsigned(CU_MEM_ATTACH_HOST));
}

TEST_F(Streams, DefaultStreamOfThreadAndVariable) {
  EXPECT_EQ(cufort_cudaforGetDefaultStream(nullptr), 0);
  EXPECT_EQ(cudaforSetThreadDefaultStream(wide(0x5000)), cudaSuccess);
  EXPECT_EQ(cufort_cudaforGetDefaultStream(nullptr), 0x5000);
  float value;
  FortranDescriptor variable = describe(&value, 4, {});
  EXPECT_EQ(cudaforSetVariableDefaultStream(variable, wide(0x5100)), cudaSuccess);
  EXPECT_EQ(cufort_cudaforGetDefaultStream(&variable), 0x5100);
  EXPECT_EQ(cufort_cudaforGetDefaultStream(nullptr), 0x5000);
  FortranDescriptor unallocated = allocatable(FlangDevice, 4, {0});
  EXPECT_EQ(cudaforSetVariableDefaultStream(unallocated, wide(0x5100)), cudaErrorInvalidValue);
}

} // namespace
