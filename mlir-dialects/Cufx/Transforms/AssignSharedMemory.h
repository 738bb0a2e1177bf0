// Assignments of arrays to and from shared memory in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Makes loops of the assignments between shared memory and other arrays of device code. Flang's analysis does not know
/// shared memory, and would leave them to the runtime as those of arrays that may overlap.
void assignSharedMemory(mlir::ModuleOp module);

} // namespace cufort::cufx
