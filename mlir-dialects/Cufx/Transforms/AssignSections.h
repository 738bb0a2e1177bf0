// Assignments between sections, and of records, in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns assignments of arrays that may overlap, and assignments of records, in device code into loops and copies where
/// Flang would call its runtime.
void assignSections(mlir::ModuleOp module);

} // namespace cufort::cufx
