#include "runtime/Context/Context.h"
#include "runtime/Stream/DefaultStream.h"
#include "test/unit/cudafor/CudaForTest.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

using Peers = CudaForTest;

TEST_F(Peers, ADeviceIsNoPeerOfItself) {
  int canAccess = 5;
  EXPECT_EQ(cufort_cudaDeviceCanAccessPeer(&canAccess, 0, 0), cudaSuccess);
  EXPECT_EQ(canAccess, 0);
  EXPECT_EQ(device().callsOf(Call::deviceCanAccessPeer), 0);
  EXPECT_EQ(cufort_cudaDeviceCanAccessPeer(&canAccess, 0, 1), cudaSuccess);
  EXPECT_EQ(device().callsOf(Call::deviceCanAccessPeer), 1);
  device().fail(Call::deviceGet, CUDA_ERROR_INVALID_DEVICE, 1);
  EXPECT_EQ(cufort_cudaDeviceCanAccessPeer(&canAccess, 0, 9), cudaErrorInvalidDevice);
  EXPECT_EQ(cufort_cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(device().callsOf(Call::ctxEnablePeerAccess), 0);
}

TEST_F(Peers, EnableAndDisable) {
  EXPECT_EQ(cufort_cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cufort_cudaDeviceDisablePeerAccess(1), cudaSuccess);
  device().fail(Call::ctxEnablePeerAccess, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(cufort_cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  device().fail(Call::ctxDisablePeerAccess, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(cufort_cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cufort_cudaDeviceEnablePeerAccess(5, 0), cudaErrorInvalidDevice);
}

TEST_F(Peers, CopiesNameBothDevices) {
  float a[8], b[8];
  CUcontext first = nullptr, second = nullptr;
  ASSERT_TRUE(primaryContext(0, first));
  ASSERT_TRUE(primaryContext(1, second));
  EXPECT_EQ(cufort_cudaMemcpyPeer(describe(a, 4, {8}), 1, describe(b, 4, {8}), 0, narrow(8)), cudaSuccess);
  EXPECT_EQ(recorded().bytes, 32u);
  EXPECT_EQ(recorded().dst, reinterpret_cast<CUdeviceptr>(a));
  EXPECT_EQ(recorded().dstContext, second);
  EXPECT_EQ(recorded().srcContext, first);
  EXPECT_EQ(cufort_cudaMemcpyPeerAsync(addressArgument(a), 1, addressArgument(b), 0, wide(5), &wide(0x5000)),
            cudaSuccess);
  EXPECT_EQ(recorded().bytes, 5u);
  EXPECT_EQ(recorded().stream, toStream(0x5000));
}

TEST_F(Peers, WhatCannotBeCopied) {
  float a[8];
  double b[8];
  FortranDescriptor gaps = describe(a, 4, {4});
  gaps.dim[0].byteStride = 8;
  EXPECT_EQ(cufort_cudaMemcpyPeer(describe(a, 4, {8}), 1, describe(b, 8, {8}), 0, narrow(8)), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpyPeer(gaps, 1, describe(a, 4, {8}), 0, narrow(2)), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpyPeer(describe(a, 4, {8}), 4, describe(a, 4, {8}), 0, narrow(2)), cudaErrorInvalidDevice);
  EXPECT_EQ(device().callsOf(Call::memcpyPeer), 0);
}

TEST_F(Peers, VersionsAndProfiler) {
  int version = -1;
  EXPECT_EQ(cufort_cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cufort_cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 0);
  device().fail(Call::profilerStart, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cufort_cudaProfilerStart(), cudaSuccess);
  device().fail(Call::profilerStop, CUDA_ERROR_PROFILER_DISABLED);
  EXPECT_EQ(cufort_cudaProfilerStop(), cudaErrorProfilerDisabled);
}

} // namespace
