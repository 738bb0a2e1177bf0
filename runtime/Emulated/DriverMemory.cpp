// Allocation, host memory, and questions about addresses.
#include "runtime/Emulated/EmulatedContext.h"
#include <cstring>

namespace cufort::rt::emulated {

static const void *pointer(CUdeviceptr address) { return reinterpret_cast<const void *>(address); }

static CUresult allocate(CUdeviceptr *address, size_t bytes, MemoryKind kind, unsigned flags) {
  CUFORT_EMULATED_ENTER(context);
  if (!address)
    return CUDA_ERROR_INVALID_VALUE;
  char *base = nullptr;
  CUresult result = context.memory.allocate(bytes, kind, flags, base);
  if (result == CUDA_SUCCESS)
    *address = reinterpret_cast<CUdeviceptr>(base);
  return result;
}

static CUresult memGetInfo(size_t *free, size_t *total) {
  CUFORT_EMULATED_ENTER(context);
  size_t used = context.memory.used(), all = DeviceMemory::total();
  if (free)
    *free = all > used ? all - used : 0;
  if (total)
    *total = all;
  return CUDA_SUCCESS;
}

static CUresult memAlloc(CUdeviceptr *address, size_t bytes) { return allocate(address, bytes, MemoryKind::Device, 0); }

static CUresult memAllocPitch(CUdeviceptr *address, size_t *pitch, size_t widthInBytes, size_t height,
                              unsigned elementSize) {
  if (!pitch || !widthInBytes || !height || (elementSize != 4 && elementSize != 8 && elementSize != 16))
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (widthInBytes + 511) / 512 * 512;
  return memAlloc(address, *pitch * height);
}

static CUresult memAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(address, bytes, MemoryKind::Managed, flags);
}

static CUresult memAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  if (!EmulatedContext::instance().knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  return memAlloc(address, bytes);
}

static CUresult memFree(CUdeviceptr address) {
  CUFORT_EMULATED_ENTER(context);
  return address ? context.memory.release(pointer(address), /*pinned=*/false) : CUDA_SUCCESS;
}

static CUresult memFreeAsync(CUdeviceptr address, CUstream stream) {
  if (!EmulatedContext::instance().knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  return memFree(address);
}

static CUresult memHostAlloc(void **address, size_t bytes, unsigned flags) {
  if (flags & ~unsigned(memHostAllocPortable | memHostAllocDeviceMap | memHostAllocWriteCombined))
    return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr base = 0;
  CUresult result = address ? allocate(&base, bytes, MemoryKind::PinnedHost, flags) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *address = reinterpret_cast<void *>(base);
  return result;
}

static CUresult memFreeHost(void *address) {
  CUFORT_EMULATED_ENTER(context);
  return context.memory.release(address, /*pinned=*/true);
}

static bool isHostMemory(MemoryKind kind) {
  return kind == MemoryKind::PinnedHost || kind == MemoryKind::RegisteredHost;
}

static CUresult memHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned flags) {
  CUFORT_EMULATED_ENTER(context);
  Allocation found;
  if (!address || flags || !context.memory.find(host, found) || !isHostMemory(found.kind))
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}

static CUresult memHostGetFlags(unsigned *flags, void *host) {
  CUFORT_EMULATED_ENTER(context);
  Allocation found;
  if (!flags || !context.memory.find(host, found) || !isHostMemory(found.kind))
    return CUDA_ERROR_INVALID_VALUE;
  *flags = found.flags | memHostAllocDeviceMap; // as with unified addressing on a GPU
  return CUDA_SUCCESS;
}

static CUresult memHostRegister(void *address, size_t bytes, unsigned flags) {
  CUFORT_EMULATED_ENTER(context);
  if (flags & ~unsigned(memHostRegisterPortable | memHostRegisterDeviceMap | memHostRegisterReadOnly))
    return CUDA_ERROR_INVALID_VALUE;
  return context.memory.enter(address, bytes, MemoryKind::RegisteredHost, flags);
}

static CUresult memHostUnregister(void *address) {
  CUFORT_EMULATED_ENTER(context);
  return context.memory.remove(address, MemoryKind::RegisteredHost) ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static CUresult memGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  CUFORT_EMULATED_ENTER(context);
  Allocation found;
  if (!context.memory.find(pointer(address), found))
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = reinterpret_cast<CUdeviceptr>(found.base);
  if (bytes)
    *bytes = found.bytes;
  return CUDA_SUCCESS;
}

template <typename T>
static CUresult store(void *data, T value) {
  *static_cast<T *>(data) = value;
  return CUDA_SUCCESS;
}

static CUresult attributeOf(const Allocation &found, void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  bool host = isHostMemory(found.kind);
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return store(data, EmulatedContext::instance().handle());
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return store<unsigned>(data, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return store(data, address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!host && !found.isManaged())
      return CUDA_ERROR_INVALID_VALUE;
    return store(data, reinterpret_cast<void *>(address));
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return store<int>(data, 1);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return store<unsigned long long>(data, found.id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return store<int>(data, found.isManaged());
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return store<int>(data, 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return store(data, reinterpret_cast<CUdeviceptr>(found.base));
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    return store<size_t>(data, found.bytes);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult pointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  CUFORT_EMULATED_ENTER(context);
  Allocation found;
  if (!data || !context.memory.find(pointer(address), found))
    return CUDA_ERROR_INVALID_VALUE;
  return attributeOf(found, data, attribute, address);
}

static size_t attributeBytes(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return 4;
  default:
    return 8;
  }
}

// Unlike the function for one attribute, it answers for memory it knows nothing of: with zeros, and -2 for the device.
static CUresult pointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                     CUdeviceptr address) {
  CUFORT_EMULATED_ENTER(context);
  if (!attributes || !data)
    return CUDA_ERROR_INVALID_VALUE;
  Allocation found;
  bool known = context.memory.find(pointer(address), found);
  for (unsigned i = 0; i < count; ++i) {
    memset(data[i], 0, attributeBytes(attributes[i]));
    if (known)
      attributeOf(found, data[i], attributes[i], address);
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      store<int>(data[i], -2);
  }
  return CUDA_SUCCESS;
}

static CUresult checkManaged(CUdeviceptr address, size_t bytes) {
  CUFORT_EMULATED_ENTER(context);
  Allocation found;
  bool inside = bytes && context.memory.find(pointer(address), found) && found.isManaged() &&
                static_cast<const char *>(pointer(address)) + bytes <= found.base + found.bytes;
  return inside ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// Managed memory is attached as a whole allocation: the length is 0 or all of it.
static CUresult streamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
  CUFORT_EMULATED_ENTER(context);
  if (!context.knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  Allocation found;
  if (!context.memory.find(pointer(address), found) || !found.isManaged())
    return CUDA_ERROR_INVALID_VALUE;
  bool isWhole = bytes == 0 || bytes == found.bytes;
  bool isKnown = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE;
  // The default stream cannot have memory for itself.
  return isWhole && isKnown && (stream || flags != CU_MEM_ATTACH_SINGLE) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult memAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0 && device != cpuDevice)
    return CUDA_ERROR_INVALID_DEVICE;
  return checkManaged(address, bytes);
}

static CUresult memPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  if (device != 0 && device != cpuDevice)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!EmulatedContext::instance().knows(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  return checkManaged(address, bytes);
}

void addMemoryFunctions(DriverTable &table) {
  table.memGetInfo = memGetInfo;
  table.memAlloc = memAlloc;
  table.memAllocPitch = memAllocPitch;
  table.memAllocManaged = memAllocManaged;
  table.memAllocAsync = memAllocAsync;
  table.memFree = memFree;
  table.memFreeAsync = memFreeAsync;
  table.memHostAlloc = memHostAlloc;
  table.memFreeHost = memFreeHost;
  table.memHostGetDevicePointer = memHostGetDevicePointer;
  table.memHostGetFlags = memHostGetFlags;
  table.memHostRegister = memHostRegister;
  table.memHostUnregister = memHostUnregister;
  table.memGetAddressRange = memGetAddressRange;
  table.pointerGetAttribute = pointerGetAttribute;
  table.pointerGetAttributes = pointerGetAttributes;
  table.memAdvise = memAdvise;
  table.memPrefetchAsync = memPrefetchAsync;
  table.streamAttachMemAsync = streamAttachMemAsync;
}

} // namespace cufort::rt::emulated
