#include "runtime/Emulated/CopyRegion.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt::emulated {

static CUresult resolveArray(const CopySide &side, const CopyExtent &extent, CopyRegion &region) {
  const Array *array = EmulatedContext::instance().arrays.find(side.array);
  if (!array)
    return CUDA_ERROR_INVALID_HANDLE;
  size_t height = array->descriptor.Height ? array->descriptor.Height : 1;
  size_t depth = array->descriptor.Depth ? array->descriptor.Depth : 1;
  if (side.xInBytes + extent.widthInBytes > array->pitch() || side.y + extent.height > height ||
      side.z + extent.depth > depth)
    return CUDA_ERROR_INVALID_VALUE;
  region.pitch = array->pitch();
  region.slice = region.pitch * height;
  region.base = array->data + side.xInBytes + side.y * region.pitch + side.z * region.slice;
  return CUDA_SUCCESS;
}

/// Returns the bytes from the first to the last of the box; the largest number if it is larger still.
static size_t spanOf(const CopyRegion &region, const CopyExtent &extent) {
  using Wide = unsigned __int128;
  Wide span = Wide(extent.height - 1) * region.pitch + Wide(extent.depth - 1) * region.slice + extent.widthInBytes;
  return size_t(std::min(span, Wide(SIZE_MAX)));
}

CUresult resolveRegion(const CopySide &side, const CopyExtent &extent, CopyRegion &region) {
  if (side.type == CU_MEMORYTYPE_ARRAY)
    return resolveArray(side, extent, region);
  bool host = side.type == CU_MEMORYTYPE_HOST;
  if (!host && side.type != CU_MEMORYTYPE_DEVICE && side.type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  region.pitch = side.pitch ? side.pitch : side.xInBytes + extent.widthInBytes;
  region.slice = region.pitch * (side.height ? side.height : side.y + extent.height);
  bool severalRows = extent.height > 1 || extent.depth > 1;
  if ((severalRows && region.pitch < extent.widthInBytes) ||
      (extent.depth > 1 && side.height && side.height < extent.height))
    return CUDA_ERROR_INVALID_VALUE;
  auto *start = static_cast<char *>(host ? side.host : reinterpret_cast<void *>(side.device));
  region.base = start + side.xInBytes + side.y * region.pitch + side.z * region.slice;
  const DeviceMemory &memory = EmulatedContext::instance().memory;
  size_t span = spanOf(region, extent);
  bool valid =
      side.type == CU_MEMORYTYPE_DEVICE ? memory.isAccessible(region.base, span) : memory.isCopyable(region.base, span);
  return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void copyRegion(const CopyRegion &destination, const CopyRegion &source, const CopyExtent &extent) {
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y)
      memcpy(destination.base + z * destination.slice + y * destination.pitch,
             source.base + z * source.slice + y * source.pitch, extent.widthInBytes);
}

} // namespace cufort::rt::emulated
