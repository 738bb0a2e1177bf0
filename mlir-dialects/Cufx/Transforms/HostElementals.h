// Elementwise host expressions that read device arrays.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets elementwise expressions and array constructors of the host that read a device array, or a section of one, read
/// a host copy, which is made by one transfer before they are evaluated.
void copyArraysOfElementals(mlir::ModuleOp module);

} // namespace cufort::cufx
