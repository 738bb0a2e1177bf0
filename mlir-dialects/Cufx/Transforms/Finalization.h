// Finalization of derived types in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Device code calls no final procedures: says so where one would be due, and drops what asks for them for types that
/// have none.
mlir::LogicalResult dropFinalization(mlir::ModuleOp module);

} // namespace cufort::cufx
