// From what the command line asks for to the architectures that code is made for.
#pragma once

#include "driver/Options/GpuOptions.h"
#include "driver/Options/Messages.h"
#include "driver/Toolchain/CudaToolkit.h"
#include "driver/Toolchain/NativeGpu.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace cufort::driver {

/// The CUDA version that is assumed when no toolkit is there.
constexpr unsigned assumedCudaVersion = 13000;

/// The architecture whose PTX every program has when the command line names none: what all GPUs since 2020 run.
constexpr unsigned defaultArchitecture = 80;

/// Returns the targets of `request`, ascending: machine code for each that the ptxas of `toolkit` (null: none) knows,
/// PTX for the highest and for each without machine code. `nativeGpus` is called only if the answer depends on it.
/// Warns when the GPUs in the machine were asked for and there are none.
std::vector<DeviceTarget> resolveTargets(const GpuRequest &request, const CudaToolkit *toolkit,
                                         llvm::function_ref<std::vector<NativeGpu>()> nativeGpus, Messages &messages);

} // namespace cufort::driver
