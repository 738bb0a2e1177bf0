// Array descriptors on the device that follow those of the host: those of managed variables, and with -gpu=mem:managed
// of all that device code names. What they hold is in managed memory; they stay on the host and change where no runtime
// sees it.
#pragma once

#include "runtime/Context/Context.h"
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace cufort::rt {

/// The descriptors of one image in one device.
class FollowedDescriptors {
public:
  /// What is at the device address `copy`, with `room` bytes, follows the `bytes` bytes at `host`. `strides` gets the
  /// version that the device has.
  void add(const void *host, size_t bytes, CUdeviceptr copy, size_t room, std::atomic<int32_t> &strides);

  /// Copies the descriptors that have changed since the last call to the device, behind all kernels that run there.
  /// Thread-safe.
  Result update(const Current &current);

private:
  struct Followed {
    const void *host;
    CUdeviceptr copy;
    size_t room;
    std::atomic<int32_t> *strides;
    std::vector<char> last; ///< what the device has of the host's bytes
    bool isKnown = false;
  };
  std::vector<Followed> all;
  std::mutex mutex;
};

} // namespace cufort::rt
