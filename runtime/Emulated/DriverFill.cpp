// Fills of device memory.
#include "runtime/Emulated/EmulatedContext.h"
#include <algorithm>

namespace cufort::rt::emulated {

/// Fills `height` rows of `width` elements, `pitch` bytes apart.
template <typename T>
static CUresult fillRows(CUdeviceptr dst, size_t pitch, T value, size_t width, size_t height, CUstream stream) {
  CUFORT_EMULATED_ENTER(context);
  if (!context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  if (dst % sizeof(T) || (height > 1 && (pitch % sizeof(T) || pitch < width * sizeof(T))))
    return CUDA_ERROR_INVALID_VALUE;
  auto *row = reinterpret_cast<char *>(dst);
  unsigned __int128 span = static_cast<unsigned __int128>(height - 1) * pitch + width * sizeof(T);
  if (width > SIZE_MAX / sizeof(T) || span > SIZE_MAX || !context.memory.isAccessible(row, size_t(span)))
    return CUDA_ERROR_INVALID_VALUE;
  if (Capture *capture = captureOf(stream))
    return capture->add(stream, [=] { return fillRows(dst, pitch, value, width, height, nullptr); });
  DeviceAccess access;
  for (size_t y = 0; y < height; ++y, row += pitch)
    std::fill_n(reinterpret_cast<T *>(row), width, value);
  return CUDA_SUCCESS;
}

template <typename T, typename Argument>
static CUresult fill(CUdeviceptr dst, Argument value, size_t count) {
  return fillRows(dst, 0, T(value), count, 1, nullptr);
}

template <typename T, typename Argument>
static CUresult fillAsync(CUdeviceptr dst, Argument value, size_t count, CUstream stream) {
  return fillRows(dst, 0, T(value), count, 1, stream);
}

template <typename T, typename Argument>
static CUresult fill2D(CUdeviceptr dst, size_t pitch, Argument value, size_t width, size_t height) {
  return fillRows(dst, pitch, T(value), width, height, nullptr);
}

void addFillFunctions(DriverTable &table) {
  table.memsetD8 = fill<uint8_t>;
  table.memsetD16 = fill<uint16_t>;
  table.memsetD32 = fill<uint32_t>;
  table.memsetD8Async = fillAsync<uint8_t>;
  table.memsetD16Async = fillAsync<uint16_t>;
  table.memsetD32Async = fillAsync<uint32_t>;
  table.memsetD2D8 = fill2D<uint8_t>;
  table.memsetD2D16 = fill2D<uint16_t>;
  table.memsetD2D32 = fill2D<uint32_t>;
}

} // namespace cufort::rt::emulated
