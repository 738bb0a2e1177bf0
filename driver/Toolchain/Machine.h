// Everything the driver has found out about the machine it runs on.
#pragma once

#include "driver/Options/Invocation.h"
#include "driver/Options/Messages.h"
#include "driver/Toolchain/CudaToolkit.h"
#include "driver/Toolchain/HostTools.h"
#include "driver/Toolchain/NativeGpu.h"
#include "driver/Toolchain/RuntimeLibraries.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace cufort::driver {

/// Tools, libraries and GPUs. Questions whose answer takes time are asked when it is needed, once.
class Machine {
public:
  /// Looks around for the program at `executable`. Warns if the toolkit that `invocation` asks for is not installed.
  Machine(llvm::StringRef executable, const Invocation &invocation, Messages &messages);

  const std::string &executable() const { return program; }
  const HostTools &tools() const { return hostTools; }
  const RuntimeLibraries &runtime() const { return runtimeLibraries; }

  /// The CUDA toolkit in use, or null.
  const CudaToolkit *toolkit() const { return toolkitIndex ? &toolkits[*toolkitIndex] : nullptr; }

  const std::vector<NativeGpu> &nativeGpus();

  /// Returns the device settings of `request` with targets and toolkit filled in. Without `exact`, the default targets
  /// do not depend on the GPUs in the machine: good enough for an object that is finished when it is linked.
  DeviceSettings deviceSettings(const GpuRequest &request, bool exact, Messages &messages);

  /// Prints what was found, for --print-toolchain.
  void print(llvm::raw_ostream &os);

private:
  std::string program;
  HostTools hostTools;
  RuntimeLibraries runtimeLibraries;
  std::vector<CudaToolkit> toolkits;
  std::optional<size_t> toolkitIndex;
  std::optional<std::vector<NativeGpu>> gpus;
};

} // namespace cufort::driver
