// Mathematical functions of complex numbers in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns the calls of C's complex functions in device code, which Flang makes for sqrt, exp and others, and complex
/// powers into calls of the device library.
void raiseComplexFunctions(mlir::ModuleOp module);

} // namespace cufort::cufx
