// What the emulated device says about itself.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include "runtime/Emulated/Kernel.h"
#include <string>

namespace cufort::rt::emulated {

constexpr uint32_t maxThreadsPerBlock = 1024;
constexpr uint32_t maxBlockExtent[3] = {1024, 1024, 64};
constexpr uint32_t maxGridExtent[3] = {2147483647, 65535, 65535};
constexpr int threadsPerMultiprocessor = 2048;
constexpr int blocksPerMultiprocessor = 32;
/// Blocks of a cluster: of every kernel, and of one that asks for more.
constexpr uint32_t portableClusterBlocks = 8;
constexpr uint32_t maxClusterBlocks = 16;
/// Bytes of shared memory: of a block as a matter of course, of a block that asks for more, of a multiprocessor, and
/// what each block needs besides.
constexpr int sharedPerBlock = 48 << 10;
constexpr int sharedPerBlockOptIn = 227 << 10;
constexpr int sharedPerMultiprocessor = 228 << 10;
constexpr int sharedReserved = 1 << 10;

/// Returns e.g. "cufort emulated device (8 x86-64 threads)".
std::string deviceName();

/// Returns one multiprocessor per host thread that runs blocks.
int multiprocessorCount();

/// Sets `value` to an attribute; false if there is no attribute of that number. What the device lacks is 0.
bool deviceAttribute(CUdevice_attribute attribute, int &value);

/// Returns the most blocks that a cluster of `kernel` may have.
uint32_t largestCluster(const Kernel &kernel);

/// Returns the extents of a cluster of `kernel` if the launch does not name them.
const uint32_t *clusterOf(const Kernel &kernel);

/// Returns how many blocks of `kernel` can be resident on one multiprocessor; 0 if not even one fits.
int residentBlocks(const Kernel &kernel, uint32_t threadsPerBlock, size_t dynamicShared);

} // namespace cufort::rt::emulated
