// CUDA arrays: plain memory here, since there are no textures to lay it out for.
#include "runtime/CudaDriver/ArrayFormat.h"
#include "runtime/Emulated/EmulatedContext.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt::emulated {

static CUresult array3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  CUFORT_EMULATED_ENTER(context);
  if (!array || !descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  unsigned channels = descriptor->NumChannels;
  size_t element = channelBytes(descriptor->Format) * channels;
  if (element == 0 || (channels != 1 && channels != 2 && channels != 4) || descriptor->Width == 0 ||
      (descriptor->Depth && !descriptor->Height && !descriptor->Flags))
    return CUDA_ERROR_INVALID_VALUE;
  size_t bytes =
      descriptor->Width * element * std::max(descriptor->Height, size_t(1)) * std::max(descriptor->Depth, size_t(1));
  char *data = nullptr;
  if (CUresult result = context.memory.allocate(bytes, MemoryKind::Device, 0, data); result != CUDA_SUCCESS)
    return result;
  *array = context.arrays.add(std::make_unique<Array>(Array{*descriptor, element, data}));
  return CUDA_SUCCESS;
}

static CUresult arrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR full{descriptor->Width,  descriptor->Height,      0,
                               descriptor->Format, descriptor->NumChannels, 0};
  return array3DCreate(array, &full);
}

static CUresult array3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array) {
  CUFORT_EMULATED_ENTER(context);
  const Array *found = context.arrays.find(array);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  *descriptor = found->descriptor;
  return CUDA_SUCCESS;
}

static CUresult arrayDestroy(CUarray array) {
  CUFORT_EMULATED_ENTER(context);
  std::unique_ptr<Array> destroyed = context.arrays.remove(array);
  return destroyed ? context.memory.release(destroyed->data, /*pinned=*/false) : CUDA_ERROR_INVALID_HANDLE;
}

// Offsets and size are in bytes, of one-dimensional arrays.
static CUresult memcpyAtoA(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset, size_t bytes) {
  CUFORT_EMULATED_ENTER(context);
  const Array *to = context.arrays.find(dst), *from = context.arrays.find(src);
  if (!to || !from)
    return CUDA_ERROR_INVALID_HANDLE;
  auto tooFar = [&](const Array &array, size_t offset) {
    return !context.memory.isAccessible(array.data + offset, bytes);
  };
  if (tooFar(*to, dstOffset) || tooFar(*from, srcOffset))
    return CUDA_ERROR_INVALID_VALUE;
  DeviceAccess access;
  memmove(to->data + dstOffset, from->data + srcOffset, bytes);
  return CUDA_SUCCESS;
}

void addArrayFunctions(DriverTable &table) {
  table.arrayCreate = arrayCreate;
  table.array3DCreate = array3DCreate;
  table.array3DGetDescriptor = array3DGetDescriptor;
  table.arrayDestroy = arrayDestroy;
  table.memcpyAtoA = memcpyAtoA;
}

} // namespace cufort::rt::emulated
