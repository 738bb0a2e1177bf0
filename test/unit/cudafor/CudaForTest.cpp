#include "test/unit/cudafor/CudaForTest.h"
#include "runtime/Context/Context.h"
#include <cstring>

namespace cufort::rt::fake {

namespace {

constexpr int8_t integerType4 = 9, integerType8 = 10, structType = 42;

Recorded theRecord;
DriverTable recordingTable;

/// Calls the fake driver's own function after `note` has looked at the operands.
#define RECORD(function, parameters, arguments, note)                                                                  \
  recordingTable.function = [] parameters {                                                                            \
    note;                                                                                                              \
    return table().function arguments;                                                                                 \
  }

void recordStreamsAndEvents() {
  RECORD(streamCreate, (CUstream * stream, unsigned flags), (stream, flags), {
    theRecord.flags = flags;
    *stream = reinterpret_cast<CUstream>(uintptr_t(0x5000));
  });
  RECORD(streamCreateWithPriority, (CUstream * stream, unsigned flags, int priority), (stream, flags, priority), {
    theRecord.flags = flags;
    theRecord.priority = priority;
    *stream = reinterpret_cast<CUstream>(uintptr_t(0x5100));
  });
  RECORD(streamDestroy, (CUstream stream), (stream), theRecord.stream = stream);
  RECORD(streamQuery, (CUstream stream), (stream), theRecord.stream = stream);
  RECORD(streamGetPriority, (CUstream stream, int *priority), (stream, priority), {
    theRecord.stream = stream;
    *priority = -3;
  });
  RECORD(streamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags), {
    theRecord.stream = stream;
    theRecord.event = event;
    theRecord.flags = flags;
  });
  RECORD(streamAttachMemAsync, (CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags),
         (stream, address, bytes, flags), {
           theRecord.stream = stream;
           theRecord.dst = address;
           theRecord.bytes = bytes;
           theRecord.flags = flags;
         });
  RECORD(eventCreate, (CUevent * event, unsigned flags), (event, flags), {
    theRecord.flags = flags;
    *event = reinterpret_cast<CUevent>(uintptr_t(0x6000));
  });
  RECORD(eventRecord, (CUevent event, CUstream stream), (event, stream), {
    theRecord.event = event;
    theRecord.stream = stream;
  });
  RECORD(eventElapsedTime, (float *milliseconds, CUevent start, CUevent end), (milliseconds, start, end),
         *milliseconds = 1.5f);
}

void recordCopies() {
  RECORD(memcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes), (dst, src, bytes), {
    theRecord.dst = dst;
    theRecord.src = src;
    theRecord.bytes = bytes;
  });
  RECORD(memcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream), (dst, src, bytes, stream), {
    theRecord.bytes = bytes;
    theRecord.stream = stream;
  });
  RECORD(memcpy2DUnaligned, (const CUDA_MEMCPY2D *copy), (copy), theRecord.copy2D = *copy);
  RECORD(memcpy2DAsync, (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream), {
    theRecord.copy2D = *copy;
    theRecord.stream = stream;
  });
  RECORD(memcpyPeer, (CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes),
         (dst, dstContext, src, srcContext, bytes), {
           theRecord.dst = dst;
           theRecord.src = src;
           theRecord.dstContext = dstContext;
           theRecord.srcContext = srcContext;
           theRecord.bytes = bytes;
         });
  RECORD(memcpyPeerAsync,
         (CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes, CUstream stream),
         (dst, dstContext, src, srcContext, bytes, stream), {
           theRecord.bytes = bytes;
           theRecord.stream = stream;
         });
  RECORD(memPrefetchAsync, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
         (address, bytes, device, stream), {
           theRecord.dst = address;
           theRecord.bytes = bytes;
           theRecord.device = device;
           theRecord.stream = stream;
         });
  RECORD(memAdvise, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device),
         (address, bytes, advice, device), {
           theRecord.bytes = bytes;
           theRecord.advice = advice;
           theRecord.device = device;
         });
}

/// What the device and the page-locking allocator gave out is known; other addresses leave the values of ordinary host
/// memory.
void giveAttribute(CUpointer_attribute attribute, void *value, CUdeviceptr address) {
  bool known = device().holds(address, 1);
  Block block = known ? std::prev(device().memory.upper_bound(address))->second : Block{};
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(value) = !known ? 0 : block.pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(value) = known ? 1 : -2;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *static_cast<CUdeviceptr *>(value) = known ? address : 0;
    break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    *static_cast<CUdeviceptr *>(value) = block.managed || block.pinned ? address : 0;
    break;
  default:
    *static_cast<unsigned *>(value) = block.managed;
  }
}

void recordMemory() {
  RECORD(memAllocManaged, (CUdeviceptr * address, size_t bytes, unsigned flags), (address, bytes, flags), {
    theRecord.bytes = bytes;
    theRecord.flags = flags;
  });
  RECORD(memHostAlloc, (void **address, size_t bytes, unsigned flags), (address, bytes, flags), {
    theRecord.bytes = bytes;
    theRecord.flags = flags;
  });
  RECORD(memHostRegister, (void *address, size_t bytes, unsigned flags), (address, bytes, flags), {
    theRecord.dst = reinterpret_cast<CUdeviceptr>(address);
    theRecord.bytes = bytes;
    theRecord.flags = flags;
  });
  recordingTable.memAllocPitch = [](CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned unit) {
    theRecord.flags = unit;
    *pitch = (width + 511) / 512 * 512;
    CUresult result = table().memAllocPitch(address, pitch, width, height, unit);
    return result == CUDA_SUCCESS ? table().memAlloc(address, *pitch * height) : result;
  };
  recordingTable.pointerGetAttributes = [](unsigned count, CUpointer_attribute *attributes, void **values,
                                           CUdeviceptr address) {
    CUresult result = table().pointerGetAttributes(count, attributes, values, address);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; ++i)
      giveAttribute(attributes[i], values[i], address);
    return result;
  };
}

void recordKernelsAndDevices() {
  RECORD(occupancyMaxActiveBlocksWithFlags,
         (int *blocks, CUfunction function, int blockSize, size_t bytes, unsigned flags),
         (blocks, function, blockSize, bytes, flags), {
           theRecord.blockSize = blockSize;
           theRecord.bytes = bytes;
           theRecord.flags = flags;
           *blocks = 2048 / blockSize;
         });
  RECORD(occupancyMaxActiveClusters, (int *clusters, CUfunction function, const CUlaunchConfig *config),
         (clusters, function, config), {
           theRecord.launch = *config;
           theRecord.launchAttribute = *config->attrs;
           *clusters = 7;
         });
  RECORD(occupancyMaxPotentialClusterSize, (int *size, CUfunction function, const CUlaunchConfig *config),
         (size, function, config), {
           theRecord.launch = *config;
           *size = 8;
         });
  RECORD(devicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), (device, flags), theRecord.flags = flags);
  RECORD(ctxSetLimit, (CUlimit limit, size_t value), (limit, value), {
    theRecord.limit = limit;
    theRecord.bytes = value;
  });
}

} // namespace

Recorded &recorded() { return theRecord; }

CudaForTest::CudaForTest() {
  install();
  theRecord = {};
  recordingTable = table();
  recordStreamsAndEvents();
  recordCopies();
  recordMemory();
  recordKernelsAndDevices();
  installDriverForTest(&recordingTable);
  clearErrorState();
}

const FortranDescriptor &CudaForTest::wide(int64_t value) {
  values.push_back(value);
  descriptors.push_back(describe(&values.back(), 8, {}));
  descriptors.back().type = integerType8;
  return descriptors.back();
}

const FortranDescriptor &CudaForTest::narrow(int32_t value) {
  // The other half of the storage must not be read.
  values.push_back(0x7777777700000000 | static_cast<uint32_t>(value));
  descriptors.push_back(describe(&values.back(), 4, {}));
  descriptors.back().type = integerType4;
  return descriptors.back();
}

const FortranDescriptor &CudaForTest::addressArgument(const void *address, const char *type) {
  derived.emplace_back();
  DerivedScalar &scalar = derived.back();
  scalar.value = address;
  scalar.descriptor = describe(&scalar.value, sizeof scalar.value, {});
  scalar.descriptor.type = structType;
  scalar.descriptor.extra |= 1;
  const char *description = scalar.typeDescription;
  std::memcpy(&scalar.descriptor.dim[0], &description, sizeof description);
  FortranDescriptor name = describe(const_cast<char *>(type), std::strlen(type), {});
  std::memcpy(scalar.typeDescription + 64, &name, sizeof name);
  return scalar.descriptor;
}

} // namespace cufort::rt::fake
