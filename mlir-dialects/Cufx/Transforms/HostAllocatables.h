// Allocatable variables of the host in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// True if the host allocates `variable`, which `op` of device code changes. Components may be of either side; of
/// dummies of device procedures, and of variables of a thread, the thread allocates the memory.
bool isAllocatedByHost(mlir::Operation *op, mlir::Value variable);

/// Lets assignments in device code to whole allocatable variables that the host allocates be assignments to the memory
/// that these have. One that needs other memory ends the kernel with a message.
void keepHostAllocations(mlir::ModuleOp module);

} // namespace cufort::cufx
