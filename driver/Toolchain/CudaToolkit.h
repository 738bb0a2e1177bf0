// Finding the CUDA toolkit. cufort needs none: with one it makes machine code (ptxas) and uses NVIDIA's device math
// library (libdevice).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cufort::driver {

/// One toolkit. Paths are absolute; what it lacks is empty.
struct CudaToolkit {
  std::string root;
  std::string foundBy;  ///< "CUDA_HOME", "PATH" ... for --print-toolchain
  unsigned version = 0; ///< 13000 for 13.0; 0: unknown
  std::string ptxas;
  std::string nvcc;
  std::string libdevice;
  std::vector<std::string> libraryDirs;

  /// Returns "13.0".
  std::string versionText() const;
};

/// Returns every toolkit of this machine, the preferred one first: CUFORT_CUDA_HOME, NVHPC_CUDA_HOME, CUDA_HOME,
/// CUDA_PATH, the nvcc and ptxas on PATH, /usr/local/cuda, /usr/local/cuda-*, /opt/cuda, /usr/lib/cuda.
/// Returns none if CUFORT_CUDA_HOME is "none".
std::vector<CudaToolkit> findCudaToolkits();

/// Returns the first of `toolkits` with version `wanted` (13000 for 13.0; with `anyMinor` any 13.x), or null.
const CudaToolkit *chooseToolkit(llvm::ArrayRef<CudaToolkit> toolkits, unsigned wanted, bool anyMinor);

/// Returns "13.0" for 13000.
std::string cudaVersionText(unsigned version);

} // namespace cufort::driver
