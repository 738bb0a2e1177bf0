// Expressions of device arrays as arguments of module cutensorex's procedures.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Evaluates the expressions that host code passes to procedures of module cutensorex into device memory. It is an error
/// if the host would have to evaluate one.
llvm::LogicalResult passDeviceExpressions(mlir::ModuleOp module);

} // namespace cufort::cufx
