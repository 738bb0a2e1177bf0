// WHERE and FORALL of host code, and assignments to elements that vector subscripts name, that kernels cannot do.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets WHERE, FORALL and assignments with vector subscripts of host code work on host copies of the device data that they name. What they assign to is
/// transferred back. Statements that name device data in a way that cannot be copied before stay as they are.
void copyDataOfMaskedAssignments(mlir::ModuleOp module);

} // namespace cufort::cufx
