// Vectors of the host that are subscripts of device arrays.
#pragma once

#include "mlir-dialects/Cufx/Transforms/DeviceAssignment.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets the expression of `assignment` have its vector subscripts from device memory: each one that the host has is
/// transferred before the statement, and the memory is freed behind it.
void copySubscripts(const DeviceAssignment &assignment, mlir::ModuleOp module);

} // namespace cufort::cufx
