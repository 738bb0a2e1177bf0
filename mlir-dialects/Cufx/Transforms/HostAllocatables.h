// Allocatable variables of the host in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets assignments in device code to whole allocatable variables that the host allocates be assignments to the memory
/// that these have. One that needs other memory ends the kernel with a message.
void keepHostAllocations(mlir::ModuleOp module);

} // namespace cufort::cufx
