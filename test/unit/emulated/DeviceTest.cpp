// What the device says about itself, its context, streams and events.
#include "test/unit/emulated/EmulatedTest.h"
#include <chrono>
#include <cstring>
#include <thread>

namespace cufort::rt::emulated {
namespace {

class Device : public EmulatedTest {
protected:
  int attribute(CUdevice_attribute attribute) {
    int value = -1;
    EXPECT_EQ(driver.deviceGetAttribute(&value, attribute, 0), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Device, NoFunctionIsMissing) {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...) EXPECT_NE(driver.name, nullptr) << symbol;
#include "runtime/CudaDriver/DriverFunctions.def"
  EXPECT_TRUE(driver.loadsWholeImage);
  size_t count = 0;
  EXPECT_EQ(driver.graphGetNodes(nullptr, nullptr, &count), CUDA_ERROR_NOT_SUPPORTED) << "not written yet";
}

TEST_F(Device, IsOneWithAnHonestName) {
  int count = 0, version = 0;
  CUdevice device = 7;
  char name[100], id[20];
  EXPECT_EQ(driver.init(0), CUDA_SUCCESS);
  EXPECT_EQ(driver.driverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(driver.deviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(driver.deviceGet(&device, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.deviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver.deviceGetName(name, sizeof name, device), CUDA_SUCCESS);
  EXPECT_STREQ(name, "cufort emulated device (2 x86-64 threads)");
  EXPECT_EQ(driver.deviceGetName(name, 10, device), CUDA_SUCCESS);
  EXPECT_STREQ(name, "cufort em");
  EXPECT_EQ(driver.deviceGetPCIBusId(id, sizeof id, device), CUDA_SUCCESS);
  EXPECT_STREQ(id, "0000:00:00.0");
}

TEST_F(Device, Attributes) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 2147483647);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y), 65535);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 232448);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 2);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH), 1);
  for (auto positive : {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
                        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE})
    EXPECT_GT(attribute(positive), 0) << positive;
  int value;
  EXPECT_EQ(driver.deviceGetAttribute(&value, CUdevice_attribute(0), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.deviceGetAttribute(&value, CUdevice_attribute(100000), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.deviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, ErrorStrings) {
  const char *text = nullptr;
  EXPECT_EQ(driver.getErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
}

TEST_F(Device, ContextMustBeCurrent) {
  CUcontext context = nullptr, other = nullptr;
  CUdeviceptr memory;
  ASSERT_EQ(driver.ctxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_NE(context, nullptr);
  std::thread([&] {
    EXPECT_EQ(driver.ctxGetCurrent(&other), CUDA_SUCCESS);
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(driver.memAlloc(&memory, 10), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(driver.ctxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(driver.memAlloc(&memory, 10), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(driver.ctxSetCurrent(reinterpret_cast<CUcontext>(8)), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Device, ResetDestroysTheContext) {
  CUcontext context = nullptr;
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(driver.ctxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
  EXPECT_EQ(driver.devicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD), CUDA_SUCCESS);
  EXPECT_EQ(driver.devicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(flags, CU_CTX_SCHED_YIELD);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(driver.devicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(driver.ctxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(driver.ctxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(context, nullptr);
  restart();
  size_t limit = 0;
  EXPECT_EQ(driver.ctxGetLimit(&limit, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(limit, 1024u);
  driver.devicePrimaryCtxSetFlags(0, 0);
}

TEST_F(Device, Limits) {
  size_t value = 0;
  EXPECT_EQ(driver.ctxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 12345), CUDA_SUCCESS);
  EXPECT_EQ(driver.ctxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 12345u);
  EXPECT_EQ(driver.ctxSetLimit(CU_LIMIT_STACK_SIZE, (512 << 10) + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.ctxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT);
}

TEST_F(Device, Streams) {
  CUstream stream = nullptr, other = nullptr;
  unsigned flags = 9;
  int priority = 9, least = 9, greatest = 9;
  ASSERT_EQ(driver.streamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(driver.streamCreateWithPriority(&other, 0, -5), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamGetFlags(stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(driver.streamGetPriority(other, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, 0);
  EXPECT_EQ(driver.ctxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
  EXPECT_EQ(least, 0);
  for (CUstream known : {stream, other, CUstream(nullptr), legacyStream(), perThreadStream()}) {
    EXPECT_EQ(driver.streamQuery(known), CUDA_SUCCESS);
    EXPECT_EQ(driver.streamSynchronize(known), CUDA_SUCCESS);
  }
  EXPECT_EQ(driver.streamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.streamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.memsetD8Async(0, 0, 0, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.streamCreate(&stream, 2), CUDA_ERROR_INVALID_VALUE);
}

void setTrue(void *flag) { *static_cast<bool *>(flag) = true; }

TEST_F(Device, HostFunctionRunsInOrder) {
  bool ran = false;
  EXPECT_EQ(driver.launchHostFunc(nullptr, setTrue, &ran), CUDA_SUCCESS);
  EXPECT_TRUE(ran);
}

TEST_F(Device, Events) {
  CUevent start, end, untimed;
  float milliseconds = -1;
  ASSERT_EQ(driver.eventCreate(&start, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver.eventCreate(&end, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver.eventCreate(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventRecord(start, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE) << "not recorded";
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_EQ(driver.eventRecord(end, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventQuery(end), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(driver.streamWaitEvent(nullptr, end, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 3);
  EXPECT_LT(milliseconds, 3000);
  EXPECT_EQ(driver.eventRecord(untimed, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.eventDestroy(start), CUDA_SUCCESS);
  EXPECT_EQ(driver.eventRecord(start, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Device, HasNoPeers) {
  int canAccess = 7;
  EXPECT_EQ(driver.deviceCanAccessPeer(&canAccess, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(canAccess, 0);
  EXPECT_EQ(driver.ctxEnablePeerAccess(nullptr, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

} // namespace
} // namespace cufort::rt::emulated
