// Copies and fills. The driver may be asked for several where a statement has one, and each has its line.
#include "runtime/Trace/Statement.h"
#include "runtime/Trace/TraceLine.h"
#include "runtime/Trace/TracingDriver.h"

namespace cufort::rt {

namespace {

const DriverTable *real = nullptr;

/// What a copy is between.
struct Sides {
  bool toDevice, fromDevice;
};

bool isOnDevice(CUdeviceptr address) {
  CUmemorytype type{};
  return real->pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

bool isOnDevice(CUmemorytype type, CUdeviceptr address) {
  return type == CU_MEMORYTYPE_UNIFIED ? isOnDevice(address) : type != CU_MEMORYTYPE_HOST;
}

Sides sidesOf(CUdeviceptr dst, CUdeviceptr src) { return {isOnDevice(dst), isOnDevice(src)}; }

template <typename Copy>
Sides sidesOf(const Copy *copy) {
  return {isOnDevice(copy->dstMemoryType, copy->dstDevice), isOnDevice(copy->srcMemoryType, copy->srcDevice)};
}

constexpr Sides upload = {true, false}, download = {false, true}, within = {true, true};

const char *whatIs(Sides sides) {
  if (sides.toDevice)
    return sides.fromDevice ? "copy CUDA data" : "upload CUDA data";
  return sides.fromDevice ? "download CUDA data" : "copy host data";
}

/// Runs `submit`, which is queued on `stream` if that is not null, and returns its result and how long it took.
template <typename Submit>
CUresult timed(const CUstream *stream, std::optional<double> &time, Submit submit) {
  if (stream) {
    StreamTimer timer(*real, *stream);
    CUresult result = submit();
    if (result == CUDA_SUCCESS)
      time = timer.stop();
    return result;
  }
  HostTimer timer;
  CUresult result = submit();
  time = timer.stop();
  return result;
}

template <typename Submit>
CUresult traceCopy(Sides sides, size_t bytes, const CUstream *stream, Submit submit) {
  if (!wants(TraceTransfers))
    return submit();
  std::optional<double> time;
  CUresult result = timed(stream, time, submit);
  const Statement &statement = currentStatement();
  TraceLine line(whatIs(sides), *real);
  line.add("stream", stream ? reinterpret_cast<uintptr_t>(*stream) : 0);
  // The variable is the one in device memory.
  line.add("variable", sides.toDevice ? statement.target : statement.source);
  line.add(sides.toDevice ? "from" : "to", sides.toDevice ? statement.source : statement.target);
  line.add("bytes", bytes).addTime(time).print();
  return result;
}

template <typename Submit>
CUresult traceFill(size_t bytes, const CUstream *stream, Submit submit) {
  if (!wants(TraceTransfers))
    return submit();
  std::optional<double> time;
  CUresult result = timed(stream, time, submit);
  TraceLine line("fill CUDA data", *real);
  line.add("stream", stream ? reinterpret_cast<uintptr_t>(*stream) : 0);
  line.add("variable", currentStatement().target).add("bytes", bytes).addTime(time).print();
  return result;
}

CUresult memcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return traceCopy(sidesOf(dst, src), bytes, nullptr, [=] { return real->memcpy(dst, src, bytes); });
}

CUresult memcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return traceCopy(sidesOf(dst, src), bytes, &stream, [=] { return real->memcpyAsync(dst, src, bytes, stream); });
}

CUresult memcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes) {
  return traceCopy(upload, bytes, nullptr, [=] { return real->memcpyHtoD(dst, src, bytes); });
}

CUresult memcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
  return traceCopy(upload, bytes, &stream, [=] { return real->memcpyHtoDAsync(dst, src, bytes, stream); });
}

CUresult memcpyDtoH(void *dst, CUdeviceptr src, size_t bytes) {
  return traceCopy(download, bytes, nullptr, [=] { return real->memcpyDtoH(dst, src, bytes); });
}

CUresult memcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return traceCopy(download, bytes, &stream, [=] { return real->memcpyDtoHAsync(dst, src, bytes, stream); });
}

CUresult memcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return traceCopy(within, bytes, nullptr, [=] { return real->memcpyDtoD(dst, src, bytes); });
}

CUresult memcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return traceCopy(within, bytes, &stream, [=] { return real->memcpyDtoDAsync(dst, src, bytes, stream); });
}

CUresult memcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes) {
  return traceCopy(within, bytes, nullptr, [=] { return real->memcpyPeer(dst, dstContext, src, srcContext, bytes); });
}

CUresult memcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes,
                         CUstream stream) {
  return traceCopy(within, bytes, &stream,
                   [=] { return real->memcpyPeerAsync(dst, dstContext, src, srcContext, bytes, stream); });
}

size_t bytesOf(const CUDA_MEMCPY2D &copy) { return copy.WidthInBytes * copy.Height; }
size_t bytesOf(const CUDA_MEMCPY3D &copy) { return copy.WidthInBytes * copy.Height * copy.Depth; }

CUresult memcpy2DUnaligned(const CUDA_MEMCPY2D *copy) {
  return traceCopy(sidesOf(copy), bytesOf(*copy), nullptr, [=] { return real->memcpy2DUnaligned(copy); });
}

CUresult memcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return traceCopy(sidesOf(copy), bytesOf(*copy), &stream, [=] { return real->memcpy2DAsync(copy, stream); });
}

CUresult memcpy3D(const CUDA_MEMCPY3D *copy) {
  return traceCopy(sidesOf(copy), bytesOf(*copy), nullptr, [=] { return real->memcpy3D(copy); });
}

CUresult memcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return traceCopy(sidesOf(copy), bytesOf(*copy), &stream, [=] { return real->memcpy3DAsync(copy, stream); });
}

CUresult memcpyAtoA(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset, size_t bytes) {
  return traceCopy(within, bytes, nullptr, [=] { return real->memcpyAtoA(dst, dstOffset, src, srcOffset, bytes); });
}

/// The fills differ in the type of their value, which `function` names: one wrapper for each member of the table.
template <auto function, typename Value>
CUresult fill(CUdeviceptr dst, Value value, size_t count) {
  return traceFill(count * sizeof value, nullptr, [=] { return (real->*function)(dst, value, count); });
}

template <auto function, typename Value>
CUresult fillAsync(CUdeviceptr dst, Value value, size_t count, CUstream stream) {
  return traceFill(count * sizeof value, &stream, [=] { return (real->*function)(dst, value, count, stream); });
}

template <auto function, typename Value>
CUresult fillRows(CUdeviceptr dst, size_t pitch, Value value, size_t width, size_t height) {
  return traceFill(width * height * sizeof value, nullptr,
                   [=] { return (real->*function)(dst, pitch, value, width, height); });
}

void traceFills(DriverTable &table) {
  table.memsetD8 = fill<&DriverTable::memsetD8>;
  table.memsetD16 = fill<&DriverTable::memsetD16>;
  table.memsetD32 = fill<&DriverTable::memsetD32>;
  table.memsetD8Async = fillAsync<&DriverTable::memsetD8Async>;
  table.memsetD16Async = fillAsync<&DriverTable::memsetD16Async>;
  table.memsetD32Async = fillAsync<&DriverTable::memsetD32Async>;
  table.memsetD2D8 = fillRows<&DriverTable::memsetD2D8>;
  table.memsetD2D16 = fillRows<&DriverTable::memsetD2D16>;
  table.memsetD2D32 = fillRows<&DriverTable::memsetD2D32>;
}

} // namespace

void traceCopies(DriverTable &table, const DriverTable &device) {
  real = &device;
  table.memcpy = memcpy;
  table.memcpyAsync = memcpyAsync;
  table.memcpyHtoD = memcpyHtoD;
  table.memcpyHtoDAsync = memcpyHtoDAsync;
  table.memcpyDtoH = memcpyDtoH;
  table.memcpyDtoHAsync = memcpyDtoHAsync;
  table.memcpyDtoD = memcpyDtoD;
  table.memcpyDtoDAsync = memcpyDtoDAsync;
  table.memcpyPeer = memcpyPeer;
  table.memcpyPeerAsync = memcpyPeerAsync;
  table.memcpy2DUnaligned = memcpy2DUnaligned;
  table.memcpy2DAsync = memcpy2DAsync;
  table.memcpy3D = memcpy3D;
  table.memcpy3DAsync = memcpy3DAsync;
  table.memcpyAtoA = memcpyAtoA;
  traceFills(table);
}

} // namespace cufort::rt
