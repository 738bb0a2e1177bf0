// Access of one device to another's memory, versions and the profiler (guide 4.10 to 4.12).
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/DefaultStream.h"

namespace cufort::rt {

namespace {

/// The release whose error codes, attributes and semantics module cudafor has.
constexpr int runtimeVersion = 13000;

Result copyBetween(const Current &current, Any dst, int dstDevice, Any src, int srcDevice, Any count, bool queued,
                   int64_t stream) {
  Operand to = operandOf(dst), from = operandOf(src);
  bool asBytes = to.isAddress || from.isAddress;
  size_t bytes = 0;
  CUcontext dstContext = nullptr, srcContext = nullptr;
  if (!asBytes && to.unit != from.unit)
    return Result(cudaErrorInvalidValue, "arrays of different types");
  Result result = bytesOf(integerOf(count), asBytes ? 1 : to.unit, bytes);
  if (result.ok())
    result = primaryContext(dstDevice, dstContext);
  if (result.ok())
    result = primaryContext(srcDevice, srcContext);
  if (!result || bytes == 0)
    return result;
  if (!to.address || !from.address || !to.isContiguous() || !from.isContiguous())
    return Result(cudaErrorInvalidValue, "peer copies need contiguous memory");
  const DriverTable &table = *current.table;
  CUresult outcome =
      queued ? table.memcpyPeerAsync(to.device(), dstContext, from.device(), srcContext, bytes, toStream(stream))
             : table.memcpyPeer(to.device(), dstContext, from.device(), srcContext, bytes);
  return Result(outcome, "cuMemcpyPeer");
}

/// A device without a profiler has nothing to start or stop.
Result unlessMissing(CUresult result, const char *operation) {
  return result == CUDA_ERROR_NOT_SUPPORTED ? Result() : Result(result, operation);
}

} // namespace

extern "C" {

int cufort_cudaDeviceCanAccessPeer(int *canAccess, int device, int peer) {
  return withDriver([=](const DriverTable &table) {
    CUdevice handle = 0, peerHandle = 0;
    *canAccess = 0;
    Result result(table.deviceGet(&handle, device), "cuDeviceGet");
    if (result.ok())
      result = Result(table.deviceGet(&peerHandle, peer), "cuDeviceGet");
    if (result.ok() && device != peer)
      result = Result(table.deviceCanAccessPeer(canAccess, handle, peerHandle), "cuDeviceCanAccessPeer");
    return result;
  });
}

int cufort_cudaDeviceEnablePeerAccess(int peer, int flags) {
  return withContext([=](const Current &current) {
    CUcontext context = nullptr;
    Result result = primaryContext(peer, context);
    // To the driver this is an access that the device does not support, to CUDA's runtime no peer.
    if (result.ok() && context == current.context)
      return Result(cudaErrorInvalidDevice, "a device is no peer of itself");
    if (result.ok())
      result =
          Result(current.table->ctxEnablePeerAccess(context, static_cast<unsigned>(flags)), "cuCtxEnablePeerAccess");
    return result;
  });
}

int cufort_cudaDeviceDisablePeerAccess(int peer) {
  return withContext([=](const Current &current) {
    CUcontext context = nullptr;
    Result result = primaryContext(peer, context);
    if (result.ok())
      result = Result(current.table->ctxDisablePeerAccess(context), "cuCtxDisablePeerAccess");
    return result;
  });
}

int cufort_cudaMemcpyPeer(Any dst, int dstDevice, Any src, int srcDevice, Any count) {
  return withContext(
      [&](const Current &current) { return copyBetween(current, dst, dstDevice, src, srcDevice, count, false, 0); });
}

int cufort_cudaMemcpyPeerAsync(Any dst, int dstDevice, Any src, int srcDevice, Any count, Optional stream) {
  return withContext([&](const Current &current) {
    return copyBetween(current, dst, dstDevice, src, srcDevice, count, true, streamOf(stream));
  });
}

int cufort_cudaDriverGetVersion(int *version) {
  *version = 0;
  return withDriver(
      [=](const DriverTable &table) { return Result(table.driverGetVersion(version), "cuDriverGetVersion"); });
}

int cufort_cudaRuntimeGetVersion(int *version) {
  *version = runtimeVersion;
  return finishCall({});
}

int cufort_cudaProfilerStart() {
  return withContext(
      [](const Current &current) { return unlessMissing(current.table->profilerStart(), "cuProfilerStart"); });
}

int cufort_cudaProfilerStop() {
  return withContext(
      [](const Current &current) { return unlessMissing(current.table->profilerStop(), "cuProfilerStop"); });
}

} // extern "C"

} // namespace cufort::rt
