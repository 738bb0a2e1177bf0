#include "runtime/Memory/Copy.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/CopyPlan.h"
#include "runtime/Memory/CopyResult.h"
#include "runtime/Memory/Overlap.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Support/Environment.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace cufort::rt {

namespace {

/// More driver copies than this for one assignment, and elements are packed first.
constexpr size_t manyCopies = 16;

/// The driver takes about 5 ns for each row of a 2-D or 3-D copy between host and device, and up to 60 ns to scatter
/// one in host memory (measured on an H200), unless the memory is page-locked: then about 1.5 ns. Packing on the host
/// costs about 1 ns an element, and within the device next to nothing but the allocation of a buffer. These are where
/// the one becomes better than the other.
constexpr size_t manyHostRows = 512, wideRowFromHost = 64, wideRowToHost = 4096;
constexpr size_t manyDeviceRows = 65536, wideDeviceRow = 64;

struct FreeDeleter {
  void operator()(char *memory) const { std::free(memory); }
};
using HostBuffer = std::unique_ptr<char, FreeDeleter>;

Result makeHostBuffer(size_t bytes, HostBuffer &buffer) {
  buffer.reset(static_cast<char *>(std::malloc(bytes)));
  return buffer ? Result()
                : Result(cudaErrorMemoryAllocation, "malloc", std::to_string(bytes) + " bytes of host memory");
}

CUdeviceptr toDevice(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

Result copyRow(const Current &current, void *dst, const void *src, size_t bytes, int64_t stream) {
  const DriverTable &table = *current.table;
  // The direction is left to the driver: addresses of unified memory are good on both sides.
  CUresult result = stream ? table.memcpyAsync(toDevice(dst), toDevice(src), bytes, toStream(stream))
                           : table.memcpy(toDevice(dst), toDevice(src), bytes);
  return copyResult(current, result, "cuMemcpy", {dst, bytes}, {src, bytes});
}

Result copyRows(const Current &current, const CopyPlan &plan, char *dst, const char *src, int64_t stream) {
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = toDevice(src);
  copy.dstDevice = toDevice(dst);
  copy.srcPitch = plan.srcStride[0];
  copy.dstPitch = plan.dstStride[0];
  copy.WidthInBytes = plan.width;
  copy.Height = plan.extent[0];
  CUresult result =
      stream ? current.table->memcpy2DAsync(&copy, toStream(stream)) : current.table->memcpy2DUnaligned(&copy);
  return copyResult(current, result, "cuMemcpy2D", {dst, bytesOfRows(copy.WidthInBytes, copy.Height, copy.dstPitch)},
                    {src, bytesOfRows(copy.WidthInBytes, copy.Height, copy.srcPitch)});
}

Result copySlices(const Current &current, const CopyPlan &plan, char *dst, const char *src, int64_t stream) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = toDevice(src);
  copy.dstDevice = toDevice(dst);
  copy.srcPitch = plan.srcStride[0];
  copy.dstPitch = plan.dstStride[0];
  copy.srcHeight = plan.srcStride[1] / plan.srcStride[0];
  copy.dstHeight = plan.dstStride[1] / plan.dstStride[0];
  copy.WidthInBytes = plan.width;
  copy.Height = plan.extent[0];
  copy.Depth = plan.extent[1];
  CUresult result = stream ? current.table->memcpy3DAsync(&copy, toStream(stream)) : current.table->memcpy3D(&copy);
  auto bytesOf = [&](size_t pitch, size_t height) {
    return bytesOfRows(bytesOfRows(copy.WidthInBytes, copy.Height, pitch), copy.Depth, pitch * height);
  };
  return copyResult(current, result, "cuMemcpy3D", {dst, bytesOf(copy.dstPitch, copy.dstHeight)},
                    {src, bytesOf(copy.srcPitch, copy.srcHeight)});
}

Result copyPiece(const Current &current, const CopyPlan &plan, int driverRank, char *dst, const char *src,
                 int64_t stream) {
  switch (driverRank) {
  case 0:
    return copyRow(current, dst, src, plan.width, stream);
  case 1:
    return copyRows(current, plan, dst, src, stream);
  default:
    return copySlices(current, plan, dst, src, stream);
  }
}

/// Carries the plan out by driver copies.
Result runPlan(const Current &current, const CopyPlan &plan, int64_t stream) {
  int64_t at[maxRank] = {};
  char *dst = plan.dst;
  const char *src = plan.src;
  int driverRank = plan.driverRank();
  for (;;) {
    if (Result result = copyPiece(current, plan, driverRank, dst, src, stream); !result)
      return result;
    int i = driverRank;
    for (; i < plan.rank; ++i) {
      dst += plan.dstStride[i];
      src += plan.srcStride[i];
      if (++at[i] < plan.extent[i])
        break;
      dst -= plan.dstStride[i] * plan.extent[i];
      src -= plan.srcStride[i] * plan.extent[i];
      at[i] = 0;
    }
    if (i == plan.rank)
      return {};
  }
}

Result synchronize(const Current &current, int64_t stream) {
  return Result(current.table->streamSynchronize(toStream(stream)), "cuStreamSynchronize");
}

/// True if the host may read `address` without asking the runtime: managed and unified memory.
bool hostMayRead(const Current &current, const void *address) {
  Allocation allocation;
  if (findAllocation(address, allocation))
    return allocation.kind != MemoryKind::Device;
  unsigned managed = 0;
  return current.table->pointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, toDevice(address)) ==
             CUDA_SUCCESS &&
         managed;
}

/// True if the device reads and writes the host memory at `address` itself.
bool isPageLocked(const Current &current, const void *address) {
  CUmemorytype type{};
  return current.table->pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, toDevice(address)) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

/// True if the driver does the copy well when rows are scattered in host memory, at `host`, too.
bool goodForAnyHost(const Current &current, const CopyPlan &plan, size_t wideRow, const char *host) {
  if (plan.driverCopies() > manyCopies)
    return false;
  return plan.rank == 0 || plan.rows() < manyHostRows || plan.width >= wideRow || isPageLocked(current, host);
}

/// True if the driver does the copy well when the host's side is contiguous.
bool goodForPackedHost(const CopyPlan &plan) {
  return plan.driverCopies() <= manyCopies && (plan.rows() < manyDeviceRows || plan.width >= wideDeviceRow);
}

/// Device memory for one copy, freed with it. Frees wait for what is queued.
struct DeviceBuffer {
  DeviceBuffer(const Current &current, size_t bytes) : table(*current.table) {
    if (table.memAlloc(&address, bytes) != CUDA_SUCCESS)
      address = 0;
  }
  ~DeviceBuffer() {
    if (address)
      table.memFree(address);
  }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;
  void *memory() const { return reinterpret_cast<void *>(address); }

  const DriverTable &table;
  CUdeviceptr address = 0;
};

size_t bytesOf(const StridedArray &array) { return array.elements() * array.elementBytes; }

/// Reads device memory into `packed`, host memory in the order of `src`, and waits for it.
Result readPacked(const Current &current, const StridedArray &packed, char *buffer, const StridedArray &src,
                  int64_t stream) {
  CopyPlan plan = makeCopyPlan(packed, src);
  Result result;
  if (goodForPackedHost(plan)) {
    result = runPlan(current, plan, stream);
  } else if (DeviceBuffer device(current, bytesOf(src)); device.address) {
    result = runPlan(current, makeCopyPlan(packedLike(src, device.memory()), src), stream);
    if (result.ok())
      result = copyRow(current, buffer, device.memory(), bytesOf(src), stream);
  } else {
    result = runPlan(current, plan, stream);
  }
  return result.ok() && stream ? synchronize(current, stream) : result;
}

/// Writes `packed`, host memory at `buffer` in the order of `dst`, to device memory; the buffer may be freed then.
Result writePacked(const Current &current, const StridedArray &dst, const StridedArray &packed, const char *buffer,
                   int64_t stream) {
  CopyPlan plan = makeCopyPlan(dst, packed);
  Result result;
  if (goodForPackedHost(plan)) {
    result = runPlan(current, plan, stream);
  } else if (DeviceBuffer device(current, bytesOf(dst)); device.address) {
    result = copyRow(current, device.memory(), buffer, bytesOf(dst), stream);
    if (result.ok())
      result = runPlan(current, makeCopyPlan(dst, packedLike(dst, device.memory())), stream);
  } else {
    result = runPlan(current, plan, stream);
  }
  return result.ok() && stream ? synchronize(current, stream) : result;
}

Result deviceToHost(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream) {
  CopyPlan plan = makeCopyPlan(dst, src);
  if (goodForAnyHost(current, plan, wideRowToHost, plan.dst) || (dst.isContiguous() && goodForPackedHost(plan)))
    return runPlan(current, plan, stream);
  HostBuffer buffer;
  if (Result result = makeHostBuffer(bytesOf(src), buffer); !result)
    return result;
  StridedArray packed = packedLike(src, buffer.get());
  if (Result result = readPacked(current, packed, buffer.get(), src, stream); !result)
    return result;
  copyOnHost(makeCopyPlan(dst, packed));
  return {};
}

Result hostToDevice(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream) {
  CopyPlan plan = makeCopyPlan(dst, src);
  if (goodForAnyHost(current, plan, wideRowFromHost, plan.src) || (src.isContiguous() && goodForPackedHost(plan)))
    return runPlan(current, plan, stream);
  HostBuffer buffer;
  if (Result result = makeHostBuffer(bytesOf(dst), buffer); !result)
    return result;
  StridedArray packed = packedLike(dst, buffer.get());
  copyOnHost(makeCopyPlan(packed, src));
  return writePacked(current, dst, packed, buffer.get(), stream);
}

/// Device to device by way of `buffer`, device memory of the size of the elements.
Result throughBuffer(const Current &current, const StridedArray &dst, const StridedArray &src, void *buffer,
                     int64_t stream) {
  StridedArray packed = packedLike(src, buffer);
  Result result = copyArray(current, packed, src, CopyMode::DeviceToDevice, stream);
  return result.ok() ? copyArray(current, dst, packed, CopyMode::DeviceToDevice, stream) : result;
}

/// Device to device for arrays that share memory. A buffer for the thread's default stream costs no wait.
Result throughDevice(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream) {
  if (stream == threadDefaultStream()) {
    void *buffer = nullptr;
    if (Result result = allocateTemporary(bytesOf(src), buffer); !result)
      return result;
    Result result = throughBuffer(current, dst, src, buffer, stream), released = releaseMemory(buffer);
    return result.ok() ? released : result;
  }
  DeviceBuffer device(current, bytesOf(src));
  return device.address ? throughBuffer(current, dst, src, device.memory(), stream)
                        : Result(cudaErrorMemoryAllocation, "cuMemAlloc");
}

Result deviceToDevice(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream) {
  if (mayOverlap(dst, src))
    return throughDevice(current, dst, src, stream);
  CopyPlan plan = makeCopyPlan(dst, src);
  if (plan.driverCopies() <= manyCopies)
    return runPlan(current, plan, stream);
  HostBuffer read, written;
  if (Result result = makeHostBuffer(bytesOf(src), read); !result)
    return result;
  if (Result result = makeHostBuffer(bytesOf(dst), written); !result)
    return result;
  StridedArray from = packedLike(src, read.get()), to = packedLike(dst, written.get());
  if (Result result = readPacked(current, from, read.get(), src, stream); !result)
    return result;
  copyOnHost(makeCopyPlan(to, from));
  return writePacked(current, dst, to, written.get(), stream);
}

Result hostToHost(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream) {
  // Unified memory may be in use by kernels that were launched before.
  if (Result result = synchronize(current, stream); !result)
    return result;
  if (!mayOverlap(dst, src)) {
    copyOnHost(makeCopyPlan(dst, src));
    return {};
  }
  HostBuffer buffer;
  if (Result result = makeHostBuffer(bytesOf(dst), buffer); !result)
    return result;
  StridedArray packed = packedLike(dst, buffer.get());
  copyOnHost(makeCopyPlan(packed, src));
  copyOnHost(makeCopyPlan(dst, packed));
  return {};
}

bool sameArray(const StridedArray &dst, const StridedArray &src) {
  bool same = dst.base == src.base;
  for (int i = 0; i < dst.rank && same; ++i)
    same = dst.extent[i] == 1 || dst.stride[i] == src.stride[i];
  return same;
}

Result dispatch(const Current &current, const StridedArray &dst, const StridedArray &src, CopyMode mode,
                int64_t stream) {
  switch (mode) {
  case CopyMode::HostToDevice:
    return hostToDevice(current, dst, src, stream);
  case CopyMode::DeviceToHost:
    return deviceToHost(current, dst, src, stream);
  case CopyMode::DeviceToDevice:
    return deviceToDevice(current, dst, src, stream);
  case CopyMode::HostToHost:
    break;
  }
  return hostToHost(current, dst, src, stream);
}

} // namespace

bool isUnallocated(const Current &current, const void *address) {
  // The system maps nothing near 0, and hardly anything where elements of arrays without memory would be.
  constexpr uintptr_t near = 64 << 10, far = uintptr_t(64) << 30;
  auto place = reinterpret_cast<uintptr_t>(address);
  if (place + near < 2 * near)
    return true;
  if (place + far >= 2 * far)
    return false;
  Allocation allocation;
  CUdeviceptr base = 0;
  size_t size = 0;
  if (findAllocation(address, allocation) ||
      current.table->memGetAddressRange(&base, &size, static_cast<CUdeviceptr>(place)) == CUDA_SUCCESS)
    return false;
  static const uintptr_t pageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void *>(place & ~(pageBytes - 1)), 1, &resident) != 0 && errno == ENOMEM;
}

Result copyBytes(const Current &current, void *dst, const void *src, size_t bytes, CopyMode mode, int64_t stream) {
  StridedArray to, from;
  to.base = static_cast<char *>(dst);
  from.base = static_cast<char *>(const_cast<void *>(src));
  to.elementBytes = from.elementBytes = bytes;
  return copyArray(current, to, from, mode, stream);
}

Result copyArray(const Current &current, const StridedArray &dst, const StridedArray &src, CopyMode mode,
                 int64_t stream) {
  size_t bytes = bytesOf(dst);
  if (bytes == 0 || sameArray(dst, src))
    return {};
  if (isUnallocated(current, dst.base) || isUnallocated(current, src.base))
    return Result(cudaErrorInvalidValue, "copy", "an array that is not allocated");
  debugLog("copy of %zu bytes, mode %u, stream %lld", bytes, static_cast<unsigned>(mode),
           static_cast<long long>(stream));
  if (Result result = dispatch(current, dst, src, mode, stream); !result)
    return result;
  bool toHost = mode == CopyMode::DeviceToHost || mode == CopyMode::HostToHost;
  return toHost ? Result() : settleTarget(current, dst.base, stream);
}

Result settleTarget(const Current &current, const void *dst, int64_t stream) {
  return stream || !hostMayRead(current, dst) ? Result() : synchronize(current, stream);
}

} // namespace cufort::rt
