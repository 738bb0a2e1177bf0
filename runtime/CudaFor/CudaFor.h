// The C functions behind module cudafor, with the signatures by which frontend/Modules calls them. They are named so
// that a program may link CUDA's own runtime library too. All return a code of the CUDA runtime API, never end the
// program, and are thread-safe. Counts are in elements of an array, in bytes of an address (see Argument.h); pitches,
// widths and heights likewise. Dummies that Fortran may leave out are null then.
#pragma once

#include "runtime/CudaFor/Types.h"
#include "runtime/FlangEntries/FortranDescriptor.h"

namespace cufort::rt {

/// A TYPE(*) or an integer of any kind.
using Any = const FortranDescriptor &;
/// The same, if the argument is optional.
using Optional = const FortranDescriptor *;
/// The host stub of a kernel.
using Kernel = void (*)();

extern "C" {

// Devices (guide 4.2, 4.3).
int cufort_cudaGetDeviceCount(int *count);
int cufort_cudaGetDevice(int *device);
int cufort_cudaSetDevice(int device);
int cufort_cudaGetDeviceProperties(DeviceProperties *properties, int device);
int cufort_cudaChooseDevice(int *device, const DeviceProperties *wanted);
int cufort_cudaSetValidDevices(const int *devices, int count);
int cufort_cudaSetDeviceFlags(int flags);
int cufort_cudaDeviceGetAttribute(int *value, int attribute, int device);
int cufort_cudaDeviceGetCacheConfig(int *config);
int cufort_cudaDeviceSetCacheConfig(int config);
int cufort_cudaDeviceGetSharedMemConfig(int *config);
int cufort_cudaDeviceSetSharedMemConfig(int config);
int cufort_cudaDeviceGetLimit(int64_t *value, int limit);
int cufort_cudaDeviceSetLimit(int limit, Any value);
int cufort_cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cufort_cudaDeviceReset();
int cufort_cudaDeviceSynchronize();
int cufort_cudaThreadExit();
int cufort_cudaThreadSynchronize();

// Peers, versions, profiler (guide 4.10 to 4.12).
int cufort_cudaDeviceCanAccessPeer(int *canAccess, int device, int peer);
int cufort_cudaDeviceEnablePeerAccess(int peer, int flags);
int cufort_cudaDeviceDisablePeerAccess(int peer);
int cufort_cudaMemcpyPeer(Any dst, int dstDevice, Any src, int srcDevice, Any count);
int cufort_cudaMemcpyPeerAsync(Any dst, int dstDevice, Any src, int srcDevice, Any count, Optional stream);
int cufort_cudaDriverGetVersion(int *version);
int cufort_cudaRuntimeGetVersion(int *version);
int cufort_cudaProfilerStart();
int cufort_cudaProfilerStop();

// Errors (guide 4.4).
int cufort_cudaGetLastError();
int cufort_cudaPeekAtLastError();
/// Returns the length of the text for `code`; never fails.
int cudaforErrorTextLength(int code);
/// Stores the text for `code` into the character variable `text`, padded with blanks.
void cudaforCopyErrorText(int code, FortranDescriptor *text);

// Streams (guide 4.5).
int cufort_cudaStreamCreate(int64_t *stream);
int cufort_cudaStreamCreateWithFlags(int64_t *stream, int flags);
int cufort_cudaStreamCreateWithPriority(int64_t *stream, int flags, int priority);
int cufort_cudaStreamDestroy(Any stream);
int cufort_cudaStreamGetPriority(Any stream, int *priority);
int cufort_cudaStreamQuery(Any stream);
int cufort_cudaStreamSynchronize(Optional stream);
int cufort_cudaStreamWaitEvent(Any stream, const Event *event, const int *flags);
int cufort_cudaStreamAttachMemAsync(Any stream, Any memory, Optional length, const int *flags);
/// Returns a stream, not a code.
int64_t cufort_cudaforGetDefaultStream(Optional variable);
int cudaforSetThreadDefaultStream(Any stream);
int cudaforSetVariableDefaultStream(Any variable, Any stream);

// The queues of module openacc.
/// The stream of `queue` of the thread's device, which is created for its first use; -1 is the thread's default queue,
/// and lower numbers have stream 0.
int cufort_queueStream(int queue, int64_t *stream);
int cufort_setQueueStream(int queue, int64_t stream);
/// cudaErrorNotReady while a queue of the thread's device, or stream 0, has work.
int cufort_queryQueues();
int cufort_defaultQueue(int *queue);
int cufort_setDefaultQueue(int queue);

// Events (guide 4.6).
int cufort_cudaEventCreate(Event *event);
int cufort_cudaEventCreateWithFlags(Event *event, int flags);
int cufort_cudaEventDestroy(const Event *event);
int cufort_cudaEventElapsedTime(float *milliseconds, const Event *start, const Event *end);
int cufort_cudaEventQuery(const Event *event);
int cufort_cudaEventRecord(const Event *event, Optional stream);
int cufort_cudaEventSynchronize(const Event *event);

// Graphs (guide 4.13).
int cufort_cudaStreamBeginCapture(Any stream, int mode);
int cufort_cudaStreamEndCapture(Any stream, Graph *graph);
int cufort_cudaStreamIsCapturing(Any stream, int *status);
int cufort_cudaGraphCreate(Graph *graph, int flags);
int cufort_cudaGraphDestroy(const Graph *graph);
int cufort_cudaGraphInstantiate(GraphExec *executable, const Graph *graph, int flags);
int cufort_cudaGraphLaunch(const GraphExec *executable, Any stream);
int cufort_cudaGraphExecDestroy(const GraphExec *executable);

// Kernels (guide 4.7, 4.8).
int cufort_cudaFuncGetAttributes(FunctionAttributes *attributes, Kernel kernel);
int cufort_cudaFuncSetAttribute(Kernel kernel, int attribute, int value);
int cufort_cudaFuncSetCacheConfig(Kernel kernel, int config);
int cufort_cudaFuncSetSharedMemConfig(Kernel kernel, int config);
int cudaforSetNamedCacheConfig(Any name, int config);
int cudaforSetNamedSharedMemConfig(Any name, int config);
int cufort_cudaSetDoubleForDevice(double *value);
int cufort_cudaSetDoubleForHost(double *value);
int cufort_cudaOccupancyMaxActiveBlocks(int *blocks, Kernel kernel, int blockSize, Any sharedBytes);
int cufort_cudaOccupancyMaxActiveBlocksWithFlags(int *blocks, Kernel kernel, int blockSize, Any sharedBytes, int flags);
int cufort_cudaOccupancyMaxPotentialClusterSize(int *clusterSize, Kernel kernel, const ClusterConfig *config);
int cufort_cudaOccupancyMaxActiveClusters(int *clusters, Kernel kernel, const ClusterConfig *config);

// Allocation (guide 4.9). The ...Array forms set the descriptor of an allocatable array and keep its allocator.
int cufort_cudaMallocArray(FortranDescriptor *array, Any count);
int cufort_cudaMallocAddress(void **address, Any count);
int cufort_cudaMallocAsyncArray(FortranDescriptor *array, Any count, Any stream);
int cufort_cudaMallocAsyncAddress(void **address, Any count, Any stream);
int cufort_cudaMallocManagedArray(FortranDescriptor *array, Any count, const int *flags);
int cufort_cudaMallocManagedAddress(void **address, Any count, const int *flags);
/// The array's first extent is the pitch, because the elements of an allocatable array follow one another.
int cufort_cudaMallocPitchArray(FortranDescriptor *array, int64_t *pitch, Any width, Any height);
int cufort_cudaMallocPitchAddress(void **address, int64_t *pitch, Any width, Any height);
/// Pitched memory of three dimensions; a width is in bytes, or in elements of the array.
int cufort_cudaMalloc3DPitched(PitchedPointer *memory, const Extent *extent);
int cufort_cudaMalloc3DArray(FortranDescriptor *array, const Extent *extent);
int cufort_cudaFreeArray(FortranDescriptor *array);
int cufort_cudaFreeAddress(void *const *address);
int cufort_cudaFreeAsyncArray(FortranDescriptor *array, Any stream);
int cufort_cudaFreeAsyncAddress(void *const *address, Any stream);
/// c_f_pointer: makes `array` the memory at `*address`. Ends the program if the shape does not fit the rank.
void cufort_cFPointer(void *const *address, FortranDescriptor *array, Optional shape);

// Page-locked memory, sizes in bytes.
int cufort_cudaHostAlloc(void **memory, Any bytes, int flags);
int cufort_cudaMallocHost(void **memory, Any bytes);
int cufort_cudaFreeHost(void *const *memory);
int cufort_cudaHostRegister(void *const *memory, Any bytes, int flags);
int cufort_cudaHostUnregister(void *const *memory);
int cufort_cudaHostGetDevicePointer(void **address, void *const *memory, int flags);
int cufort_cudaHostGetFlags(int *flags, void *const *memory);

// Copies and fills. Directions are checked to be one, and otherwise left to the addresses.
int cufort_cudaMemcpy(Any dst, Any src, Any count, const int *direction);
int cufort_cudaMemcpyAsync(Any dst, Any src, Any count, const int64_t *stream);
int cufort_cudaMemcpyAsyncDirected(Any dst, Any src, Any count, const int *direction, Optional stream);
int cufort_cudaMemcpy2D(Any dst, Any dstPitch, Any src, Any srcPitch, Any width, Any height, const int *direction);
int cufort_cudaMemcpy2DAsync(Any dst, Any dstPitch, Any src, Any srcPitch, Any width, Any height,
                             const int64_t *stream);
int cufort_cudaMemcpy2DAsyncDirected(Any dst, Any dstPitch, Any src, Any srcPitch, Any width, Any height,
                                     const int *direction, Optional stream);
int cufort_cudaMemset(Any memory, Any value, Any count);
int cufort_cudaMemsetAsync(Any memory, Any value, Any count, Optional stream);
int cufort_cudaMemset2D(Any memory, Any pitch, Any value, Any width, Any height);

int cufort_cudaMemcpy3D(const Copy3D *copy);
int cufort_cudaMemcpy3DAsync(const Copy3D *copy, Optional stream);
int cufort_cudaMemset3D(const PitchedPointer *memory, int value, const Extent *extent);

// CUDA arrays. A height or depth of 0: an array of fewer dimensions.
int cufort_cudaMallocCudaArray(CudaArray *array, const ChannelFormat *channels, Any width, Any height);
int cufort_cudaMalloc3DCudaArray(CudaArray *array, const ChannelFormat *channels, const Extent *extent);
int cufort_cudaFreeCudaArray(const CudaArray *array);
int cufort_cudaMemcpyToArray(const CudaArray *dst, Any dstX, Any dstY, Any src, Any count, const int *direction);
int cufort_cudaMemcpyFromArray(Any dst, const CudaArray *src, Any srcX, Any srcY, Any count, const int *direction);
int cufort_cudaMemcpyArrayToArray(const CudaArray *dst, Any dstX, Any dstY, const CudaArray *src, Any srcX, Any srcY,
                                  Any count, const int *direction);
int cufort_cudaMemcpy2DToArray(const CudaArray *dst, Any dstX, Any dstY, Any src, Any srcPitch, Any width, Any height,
                               const int *direction);
int cufort_cudaMemcpy2DFromArray(Any dst, Any dstPitch, const CudaArray *src, Any srcX, Any srcY, Any width, Any height,
                                 const int *direction);
int cufort_cudaMemcpy2DArrayToArray(const CudaArray *dst, Any dstX, Any dstY, const CudaArray *src, Any srcX, Any srcY,
                                    Any width, Any height, const int *direction);

// Module variables by name. A symbol is a character string or a c_ptr that one was assigned to.
void cufort_symbolOfName(const void **symbol, Any name);
int cufort_cudaGetSymbolAddress(void **address, Any symbol);
int cufort_cudaGetSymbolSize4(int *size, Any symbol);
int cufort_cudaGetSymbolSize8(int64_t *size, Any symbol);
int cufort_cudaMemcpyToSymbol(Any symbol, Any src, Any count, Optional offset, const int *direction);
int cufort_cudaMemcpyToSymbolAsync(Any symbol, Any src, Any count, Optional offset, const int *direction,
                                   Optional stream);
int cufort_cudaMemcpyFromSymbol(Any dst, Any symbol, Any count, Optional offset, const int *direction, Optional stream);
int cufort_cudaMemcpyFromSymbolAsync(Any dst, Any symbol, Any count, Optional offset, const int *direction,
                                     Optional stream);

// Managed memory, and what is known of memory.
int cufort_cudaMemPrefetchAsync(Any memory, Any count, int device, Optional stream);
int cufort_cudaMemAdvise(Any memory, Any count, int advice, int device);
int cufort_cudaMemGetInfo(int64_t *freeBytes, int64_t *totalBytes);
int cufort_cudaPointerGetAttributes(PointerAttributes *attributes, Any memory);

// What module curandex needs (guide 3.9.4.12).
/// Takes `groups` of random numbers from the process's sequence, for the caller alone. Returns where they begin.
int64_t cufort_takeRandomGroups(int64_t groups);
int cufort_hasCurand();
/// Has a generator of cuRAND write numbers to device memory, and ends the program if it does not.
void cufort_drawByCurand(void *generator, void *numbers, int64_t count, int isDouble, int64_t stream);

} // extern "C"

} // namespace cufort::rt
