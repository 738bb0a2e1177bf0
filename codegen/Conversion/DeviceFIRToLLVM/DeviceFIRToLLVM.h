// FIR of device code to the LLVM dialect.
#pragma once

#include "codegen/Device/DeviceModule.h"
#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Options that change what is generated, not how it is arranged.
struct DeviceLoweringOptions {
  DeviceTarget target = DeviceTarget::NVVM;
  bool fastMath = false; ///< -gpu=fastmath: approximate intrinsics
};

/// Returns the pass that converts a whole device module. Kernels come out with nvvm.kernel, launch bounds, and
/// descriptors as byval parameters, so that they travel in the parameter space of the launch.
std::unique_ptr<mlir::Pass> createDeviceFIRToLLVM(const DeviceLoweringOptions &options);

} // namespace cufort::codegen
