// SPREAD of device arrays in host code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns the calls of the Fortran runtime for SPREAD of device arrays, which the runtime cannot read, into elemental
/// operations.
void raiseSpreads(mlir::ModuleOp module);

} // namespace cufort::cufx
