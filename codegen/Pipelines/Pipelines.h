// The order of all passes. No other file orders them.
#pragma once

#include "codegen/Conversion/DeviceFIRToLLVM/DeviceFIRToLLVM.h"
#include "codegen/Support/CodegenOptions.h"
#include "mlir/Pass/PassManager.h"

namespace cufort::codegen {

/// HLFIR as the front end makes it to FIR.
void addFIRPasses(mlir::PassManager &passes, const CodegenOptions &options);

/// FIR to FIR in which everything of CUDA is explicit in cufx: launches, mapped loops, shared memory, output.
void addCufxPasses(mlir::PassManager &passes, const CodegenOptions &options);

/// Makes kernels of mapped loops, and splits the module into a host part and a gpu.module.
void addSplitPasses(mlir::PassManager &passes);

/// A device module (codegen/Device/DeviceModule.h), as far as all targets go the same way.
void addDevicePasses(mlir::PassManager &passes, const CodegenOptions &options);

/// A copy of that module, made for `target`, to the LLVM dialect.
void addDeviceTargetPasses(mlir::PassManager &passes, DeviceTarget target, const CodegenOptions &options);

/// The host part, its gpu.module removed, to the LLVM dialect.
void addHostPasses(mlir::PassManager &passes, const CodegenOptions &options);

} // namespace cufort::codegen
