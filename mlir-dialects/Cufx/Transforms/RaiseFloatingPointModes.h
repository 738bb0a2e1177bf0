// The floating-point environment in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Takes from device code what it does with exceptions of floating-point arithmetic, which GPUs do not have: no flag is
/// ever set. Functions of module ieee_arithmetic that set a rounding mode for a moment call the device library instead;
/// statements that set one for longer are reported.
mlir::LogicalResult raiseFloatingPointModes(mlir::ModuleOp module);

} // namespace cufort::cufx
