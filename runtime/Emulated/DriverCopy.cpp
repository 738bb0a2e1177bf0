// Copies. All addresses are looked up, so that mixing up host and device, or copying more than there is room for, is an
// error here as it is on a GPU.
#include "runtime/Emulated/CopyRegion.h"
#include <cstring>

namespace cufort::rt::emulated {

static bool isCopyable(CUdeviceptr address, size_t bytes) {
  return EmulatedContext::instance().memory.isCopyable(reinterpret_cast<const void *>(address), bytes);
}

static bool isDevice(CUdeviceptr address, size_t bytes) {
  return EmulatedContext::instance().memory.isAccessible(reinterpret_cast<const void *>(address), bytes);
}

/// A copy of a graph: what was there when it was captured may be gone.
static CUresult moveLater(void *destination, const void *source, size_t bytes) {
  const DeviceMemory &memory = EmulatedContext::instance().memory;
  if (!memory.isCopyable(destination, bytes) || !memory.isCopyable(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  DeviceAccess access;
  memmove(destination, source, bytes);
  return CUDA_SUCCESS;
}

static CUresult move(void *destination, const void *source, size_t bytes, bool valid, CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  if (!context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!valid || !destination || !source)
    return CUDA_ERROR_INVALID_VALUE;
  if (Capture *capture = captureOf(stream))
    return capture->add(stream, [=] { return moveLater(destination, source, bytes); });
  DeviceAccess access;
  memmove(destination, source, bytes);
  return CUDA_SUCCESS;
}

static void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

static CUresult copyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return move(pointer(dst), pointer(src), bytes, isCopyable(dst, bytes) && isCopyable(src, bytes), stream);
}

static CUresult copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) { return copyAsync(dst, src, bytes, nullptr); }

static CUresult copyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
  return move(pointer(dst), src, bytes, isDevice(dst, bytes), stream);
}

static CUresult copyHtoD(CUdeviceptr dst, const void *src, size_t bytes) {
  return copyHtoDAsync(dst, src, bytes, nullptr);
}

static CUresult copyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return move(dst, pointer(src), bytes, isDevice(src, bytes), stream);
}

static CUresult copyDtoH(void *dst, CUdeviceptr src, size_t bytes) { return copyDtoHAsync(dst, src, bytes, nullptr); }

static CUresult copyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return move(pointer(dst), pointer(src), bytes, isDevice(dst, bytes) && isDevice(src, bytes), stream);
}

static CUresult copyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return copyDtoDAsync(dst, src, bytes, nullptr);
}

static CUresult copyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext,
                              size_t bytes, CUstream stream) {
  CUcontext mine = EmulatedContext::instance().handle();
  if (dstContext != mine || srcContext != mine)
    return CUDA_ERROR_INVALID_CONTEXT;
  return copyDtoDAsync(dst, src, bytes, stream);
}

static CUresult copyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes) {
  return copyPeerAsync(dst, dstContext, src, srcContext, bytes, nullptr);
}

static CUresult copyBox(const CopySide &to, const CopySide &from, const CopyExtent &extent, CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  if (!context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (extent.widthInBytes == 0 || extent.height == 0 || extent.depth == 0)
    return CUDA_SUCCESS;
  CopyRegion destination, source;
  if (CUresult result = resolveRegion(to, extent, destination); result != CUDA_SUCCESS)
    return result;
  if (CUresult result = resolveRegion(from, extent, source); result != CUDA_SUCCESS)
    return result;
  if (Capture *capture = captureOf(stream))
    return capture->add(stream, [=] { return copyBox(to, from, extent, nullptr); });
  DeviceAccess access;
  copyRegion(destination, source, extent);
  return CUDA_SUCCESS;
}

static CUresult copy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  CopySide to{copy->dstMemoryType,
              copy->dstHost,
              copy->dstDevice,
              copy->dstArray,
              copy->dstXInBytes,
              copy->dstY,
              0,
              copy->dstPitch,
              0};
  CopySide from{copy->srcMemoryType,
                const_cast<void *>(copy->srcHost),
                copy->srcDevice,
                copy->srcArray,
                copy->srcXInBytes,
                copy->srcY,
                0,
                copy->srcPitch,
                0};
  return copyBox(to, from, {copy->WidthInBytes, copy->Height, 1}, stream);
}

static CUresult copy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  CopySide to{copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstXInBytes,
              copy->dstY,          copy->dstZ,    copy->dstPitch,  copy->dstHeight};
  CopySide from{copy->srcMemoryType, const_cast<void *>(copy->srcHost),
                copy->srcDevice,     copy->srcArray,
                copy->srcXInBytes,   copy->srcY,
                copy->srcZ,          copy->srcPitch,
                copy->srcHeight};
  return copyBox(to, from, {copy->WidthInBytes, copy->Height, copy->Depth}, stream);
}

void addCopyFunctions(DriverTable &table) {
  table.memcpy = copy;
  table.memcpyAsync = copyAsync;
  table.memcpyHtoD = copyHtoD;
  table.memcpyDtoH = copyDtoH;
  table.memcpyDtoD = copyDtoD;
  table.memcpyHtoDAsync = copyHtoDAsync;
  table.memcpyDtoHAsync = copyDtoHAsync;
  table.memcpyDtoDAsync = copyDtoDAsync;
  table.memcpyPeer = copyPeer;
  table.memcpyPeerAsync = copyPeerAsync;
  table.memcpy2DUnaligned = [](const CUDA_MEMCPY2D *copy) { return copy2DAsync(copy, nullptr); };
  table.memcpy2DAsync = copy2DAsync;
  table.memcpy3D = [](const CUDA_MEMCPY3D *copy) { return copy3DAsync(copy, nullptr); };
  table.memcpy3DAsync = copy3DAsync;
}

} // namespace cufort::rt::emulated
