// Assignments that derived types define for themselves.
#pragma once

#include "flang/Optimizer/Dialect/FIRType.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {

/// The type-bound ASSIGNMENT(=) of `type` from a value of the same type; if `forArrays`, of each element of an array.
/// Null if it has none. Of a procedure for both sides, it is what device code calls.
mlir::func::FuncOp definedAssignment(mlir::ModuleOp module, fir::RecordType type, bool forArrays);

/// True if a component of `type`, or a component of such a component, has a type with a defined assignment.
bool componentsDefineAssignment(mlir::ModuleOp module, fir::RecordType type);

} // namespace cufort::cufx
