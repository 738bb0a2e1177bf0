// The device part of a source as a module of its own.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class TargetMachine;
}

namespace cufort::codegen {

/// What device code is compiled for.
enum class DeviceTarget {
  NVVM,    ///< a GPU, through PTX
  Emulated ///< x86-64
};

/// Marks kernels in a device module; carries nothing.
inline constexpr llvm::StringLiteral kernelAttribute = "cufx.kernel";

/// Marks a parameter of a kernel whose reference is to a copy in the parameter space; carries nothing.
inline constexpr llvm::StringLiteral byValueAttribute = "cufx.by_value";

/// Returns the contents of the gpu.module in `host` as a module with the data layout of `machine`, or null if the
/// source has no device code. `host` is not changed.
mlir::OwningOpRef<mlir::ModuleOp> cloneDeviceModule(mlir::ModuleOp host, llvm::TargetMachine &machine);

/// Gives a device module the triple and the data layout of `machine`.
void setDeviceTarget(mlir::ModuleOp device, llvm::TargetMachine &machine);

} // namespace cufort::codegen
