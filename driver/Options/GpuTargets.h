// The GPU architectures that code can be made for, and their names.
#pragma once

#include "driver/Options/Settings.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace cufort::driver {

/// One architecture that cufort makes PTX for.
struct GpuArchitecture {
  unsigned arch;         ///< 90 for compute capability 9.0
  unsigned firstToolkit; ///< first CUDA version whose ptxas makes machine code for it, 11080 for 11.8
  unsigned lastToolkit;  ///< the last one, or 0 if none has dropped it
};

/// All of them, ascending.
llvm::ArrayRef<GpuArchitecture> gpuArchitectures();

/// Returns true if the ptxas of CUDA `cudaVersion` makes machine code for `arch`.
bool ptxasSupports(unsigned cudaVersion, unsigned arch);

/// What a name like "cc90" or "kepler" stands for.
struct GpuName {
  unsigned arch = 0;
  char suffix = 0;          ///< 'a' of cc90a, 'f' of cc100f
  bool tooOld = false;      ///< no CUDA version in use supports it: `arch` is the oldest that is supported instead
  bool oddSpelling = false; ///< understood, but not a name anyone documents, such as ccn87
};

/// Returns the meaning of "cc90", "cc90a", "sm_90", "compute_90", "cc3x", "kepler", "cc35+" ..., or nothing.
std::optional<GpuName> parseGpuName(llvm::StringRef name);

/// Returns true if `name` has the form of an architecture whatever the number is, as "cc33".
bool looksLikeGpuName(llvm::StringRef name);

/// Returns "cc50, cc52, ..." with all architectures.
std::string listOfGpuNames();

} // namespace cufort::driver
