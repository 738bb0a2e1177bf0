// The values of -gpu= and of its relatives -cuda=, -Mcuda= and -ta=.
#pragma once

#include "driver/Options/Messages.h"
#include "driver/Options/Settings.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// What the command line asks for before anyone has looked which GPUs and toolkits there are.
struct GpuRequest {
  DeviceSettings device;             ///< all but targets and toolkit
  std::vector<DeviceTarget> targets; ///< named architectures, in the order of the command line
  bool native = false;               ///< ccnative: the GPUs in this machine
  bool all = false;                  ///< ccall
  bool allMajor = false;             ///< ccall-major: the first of each generation
  unsigned toolkit = 0;              ///< cudaX.Y: 13000 for 13.0; 0: any
  bool toolkitAnyMinor = false;      ///< cuda13.x
  bool keep = false;                 ///< keep: intermediate files stay

  bool namesTargets() const { return native || all || allMajor || !targets.empty(); }
};

/// Adds the comma list `list` of `option` ("-gpu=", "-cuda=" or "-Mcuda=") to `request`. Unknown values are usage
/// errors; values whose effect cufort does not have yet are warnings.
llvm::Error addGpuValues(llvm::StringRef option, llvm::StringRef list, GpuRequest &request, Messages &messages);

/// The targets that -ta= names besides values of -gpu=.
struct TargetRequest {
  bool gpu = false;
  bool host = false;
  bool multicore = false;
};

/// Adds the list of -ta= to `request` and returns the targets it names.
llvm::Expected<TargetRequest> addTargetAccelerator(llvm::StringRef list, GpuRequest &request, Messages &messages);

/// Calls `print` with every value of -gpu= that --help shows, and its meaning.
void forEachGpuValue(llvm::function_ref<void(llvm::StringRef value, llvm::StringRef help)> print);

} // namespace cufort::driver
