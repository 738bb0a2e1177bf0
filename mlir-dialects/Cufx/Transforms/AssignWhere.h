// WHERE of host code on device arrays.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns WHERE statements and constructs of host code whose arrays are all on the device into CUF kernels.
void assignWhere(mlir::ModuleOp module);

} // namespace cufort::cufx
