// Assignments of expressions to device arrays in host code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns the assignments to device arrays whose right side a kernel can evaluate into CUF kernels. All others are left
/// to the host, except that it is an error if lowering lets the host write to device memory.
llvm::LogicalResult assignDeviceExpressions(mlir::ModuleOp module);

} // namespace cufort::cufx
