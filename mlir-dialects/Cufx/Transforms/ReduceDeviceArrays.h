// SUM and its like of device arrays in host code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns reductions of device arrays whose value is assigned to a device scalar, alone or in an expression of device
/// scalars, into CUF kernels that leave the value there.
void reduceIntoDeviceScalars(mlir::ModuleOp module);

/// Turns the other reductions of device arrays that host code asks for into CUF kernels, where the result is one number
/// and such a kernel can combine it; all others work on a host copy of the array.
void reduceDeviceArrays(mlir::ModuleOp module);

} // namespace cufort::cufx
