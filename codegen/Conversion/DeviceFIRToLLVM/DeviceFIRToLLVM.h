// FIR of device code to the LLVM dialect.
#pragma once

#include "codegen/Device/DeviceModule.h"
#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that converts a whole device module for `target`. Kernels come out with nvvm.kernel, launch bounds, and
/// descriptors as byval parameters, so that they travel in the parameter space of the launch.
std::unique_ptr<mlir::Pass> createDeviceFIRToLLVM(DeviceTarget target);

} // namespace cufort::codegen
