// SPREAD in device code, and of device arrays in host code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns the calls of the Fortran runtime for SPREAD into elemental operations: in device code, which would have to
/// allocate memory for the result, and of device arrays in host code, which the runtime cannot read.
void raiseSpreads(mlir::ModuleOp module);

} // namespace cufort::cufx
