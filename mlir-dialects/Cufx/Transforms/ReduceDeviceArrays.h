// SUM and its like of device arrays in host code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns the reductions of device arrays that host code asks for into CUF kernels, where the result is one number and
/// such a kernel can combine it; all others work on a host copy of the array.
void reduceDeviceArrays(mlir::ModuleOp module);

} // namespace cufort::cufx
