// The GPUs in this machine, asked of the driver library, which may be missing, broken or slow.
#pragma once

#include <string>
#include <vector>

namespace cufort::driver {

/// One GPU.
struct NativeGpu {
  unsigned arch = 0; ///< 90 for compute capability 9.0
  std::string name;
};

/// Returns the GPUs that CUDA_VISIBLE_DEVICES leaves visible; none if there is no driver or it does not answer within
/// 20 seconds. The driver library is loaded in a child process: it cannot harm this one.
std::vector<NativeGpu> detectNativeGpus();

} // namespace cufort::driver
