// The derived types of module cudafor as C structs: frontend/Modules/cufort_cudafor_types.cuf declares the same.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include <cstddef>
#include <cstdint>

namespace cufort::rt {

/// type(dim3).
struct Dim3 {
  int32_t x, y, z;
};

/// type(cudaEvent).
struct Event {
  CUevent handle;
};

/// type(cudaDeviceProp). Clock rates in kHz, the bus width in bits, sizes in bytes.
struct DeviceProperties {
  char name[256]; ///< blank-padded
  int8_t uuid[16];
  int64_t totalGlobalMem;
#define CUFORT_PROPERTY_INT(component, attribute) int32_t component;
#define CUFORT_PROPERTY_SIZE(component, attribute) int64_t component;
#define CUFORT_PROPERTY_INTS(component, count, ...) int32_t component[count];
#include "runtime/CudaFor/DeviceProperties.def"
};

/// type(cudaFuncAttributes). Sizes in bytes, versions as 10 * major + minor.
struct FunctionAttributes {
  int64_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int32_t maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
  int32_t preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight;
  int32_t requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};

/// cudaMemoryType...: what cudaPointerAttributes%type holds.
enum MemoryType : int32_t { MemoryUnregistered = 0, MemoryHost = 1, MemoryDevice = 2, MemoryManaged = 3 };

/// type(cudaPointerAttributes).
struct PointerAttributes {
  int32_t type;       ///< MemoryType
  int32_t memoryType; ///< the same, where managed memory is device memory
  int32_t device;     ///< -2 if the address belongs to none
  int32_t isManaged;
  void *devicePointer; ///< null if the device cannot reach the memory
  void *hostPointer;   ///< null if the host cannot reach it, or it is not registered
};

/// type(cudaLaunchConfig).
struct ClusterConfig {
  Dim3 gridDim, blockDim, clusterDim;
  int64_t dynamicSmemBytes;
  int64_t stream;
};

/// type(cudaGraph).
struct Graph {
  CUgraph handle;
};

/// type(cudaGraphExec).
struct GraphExec {
  CUgraphExec handle;
};

/// type(cudaArrayPtr).
struct CudaArray {
  CUarray handle;
};

/// cudaChannelFormatKind...: what cudaChannelFormatDesc%kind holds.
enum ChannelKind : int32_t { ChannelSigned = 0, ChannelUnsigned = 1, ChannelFloat = 2 };

/// type(cudaChannelFormatDesc): bits of each channel.
struct ChannelFormat {
  int32_t x, y, z, w;
  int32_t kind; ///< ChannelKind
};

/// type(cudaPitchedPtr).
struct PitchedPointer {
  void *address;
  int64_t pitch, xsize; ///< bytes
  int64_t ysize;        ///< rows of a slice
};

/// type(cudaExtent).
struct Extent {
  int64_t width, height, depth;
};

/// type(cudaPos).
struct Position {
  int64_t x, y, z;
};

/// type(cudaMemcpy3DParms). Widths are in elements if an array takes part, else in bytes.
struct Copy3D {
  CudaArray srcArray;
  Position srcPosition;
  PitchedPointer srcMemory;
  CudaArray dstArray;
  Position dstPosition;
  PitchedPointer dstMemory;
  Extent extent;
  int32_t kind;
};

static_assert(sizeof(Event) == 8 && sizeof(FunctionAttributes) == 80 && sizeof(PointerAttributes) == 32 &&
                  sizeof(ClusterConfig) == 56 && sizeof(Copy3D) == 160,
              "layout is declared in cufort_cudafor_types.cuf too");
static_assert(offsetof(ClusterConfig, dynamicSmemBytes) == 40 && offsetof(DeviceProperties, totalGlobalMem) == 272,
              "Fortran aligns components as C does");

} // namespace cufort::rt
