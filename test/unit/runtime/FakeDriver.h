// A device for unit tests: every driver function can be told to fail and counts its calls; memory is host memory.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace cufort::rt::fake {

/// The driver functions, named as the members of DriverTable.
enum class Call {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...) name,
#include "runtime/CudaDriver/DriverFunctions.def"
  count
};

struct Launch {
  std::string kernel;
  unsigned grid[3], block[3], cluster[3];
  unsigned sharedBytes;
  CUstream stream;
  bool cooperative;
  std::vector<uint32_t> parameters = {}; ///< as many as FakeDevice::parametersOf says, the first 32 bits of each
};

struct Function {
  std::string name;
  std::map<int, int> attributes;
};

/// A block of memory that the device or the page-locking allocator gave out.
struct Block {
  size_t bytes;
  bool managed, pinned;
  CUcontext owner; ///< null: all may use it
};

/// The stream that the runtime creates for its own work.
inline const CUstream createdStream = reinterpret_cast<CUstream>(0x57);

struct Device {
  std::array<std::atomic<int>, size_t(Call::count)> calls{};
  std::array<std::atomic<int>, size_t(Call::count)> results{}; ///< CUresult to return
  std::array<std::atomic<int>, size_t(Call::count)> grace{};   ///< calls that succeed before `results` holds

  int deviceCount = 2;
  std::map<int, int> attributes;       ///< overrides of device attributes
  std::set<std::string> missing;       ///< symbols that modules lack
  std::map<std::string, size_t> sizes; ///< bytes of module variables; 64 if not named
  std::string jitLog;                  ///< what the compiler says when loading a module fails
  std::vector<std::string> images;     ///< first bytes of what was loaded
  std::vector<const void *> imageAddresses;
  std::map<std::string, float> milliseconds; ///< that kernels take; empty: all events are 1.5 apart
  bool isBusy = false;                       ///< events are not done
  std::map<CUevent, double> events;          ///< live ones, with what the kernels took before they were recorded last
  double clock = 0;                          ///< milliseconds that launched kernels take
  std::set<std::string> refused;             ///< kernels whose launches fail
  bool recordLaunches = true;
  std::map<std::string, unsigned> parametersOf; ///< how many parameters of kernels launches record
  std::vector<Launch> launches;
  std::map<CUdeviceptr, Block> memory; ///< live blocks
  std::vector<std::pair<CUdeviceptr, CUstream>> streamFrees;
  std::vector<std::pair<CUdeviceptr, CUmem_advise>> advice;
  std::map<std::string, int>
      blocksAtOnce;       ///< on a multiprocessor, of kernels for which it is not their threads' number
  uint64_t poolKeeps = 0; ///< bytes, by CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
  std::map<std::string, CUdeviceptr> globals; ///< module variables that were looked up
  size_t outputBytes = 1 << 20;               ///< CU_LIMIT_PRINTF_FIFO_SIZE
  size_t memoryLimit = size_t(1) << 40;       ///< larger allocations are out of memory
  std::vector<CUstream> synchronized;         ///< but for `createdStream`
  unsigned contextFlags = CU_CTX_SCHED_AUTO;
  std::mutex mutex;

  int callsOf(Call call) const { return calls[size_t(call)]; }
  /// Lets `call` succeed `after` times and then return `result` always.
  void fail(Call call, CUresult result, int after = 0) {
    grace[size_t(call)] = after;
    results[size_t(call)] = result;
  }
  /// True if `bytes` bytes at `address` lie in one live block.
  bool holds(CUdeviceptr address, size_t bytes);
};

/// The device of the current test.
Device &device();

/// A table whose functions use device().
const DriverTable &table(bool loadsWholeImage = false);

/// Makes a new device() and the runtime use it. Call at the start of a test, with no other thread running.
void install(bool loadsWholeImage = false, int deviceCount = 2);

} // namespace cufort::rt::fake
