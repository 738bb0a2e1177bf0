// Host copies of device arrays, and the names that lowering gives to values on the host.
#pragma once

#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// The variable that `memory` is, with its bounds: a declared address stands for its declaration.
hlfir::Entity variableOf(mlir::Value memory);

/// The string with its length that `address` is the address of, if that is known; else `address`.
mlir::Value stringAt(mlir::Value address);

/// Transfers `array`, a variable of the device or a part of one, to a host array of its own. Returns it, with the
/// bounds of `array`, and the heap memory that it lies in.
std::pair<mlir::Value, mlir::Value> copyToHost(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value array);

/// Transfers `scalar`, a variable of the device or a part of one, to a host temporary on the stack. Returns that.
mlir::Value copyScalarToHost(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value scalar);

/// Lets `operand` be a host copy of the variable of the device that it is. Nothing needs the copy behind `end`.
void replaceByHostCopy(mlir::OpOperand &operand, mlir::Operation *end);

/// Where the value of `op` is not needed any more: where it is destroyed, or `op` itself if that cannot be seen.
mlir::Operation *endOfValue(mlir::Operation *op);

/// True if nothing but `op` uses the value that `associate` names.
bool isOnlyFor(hlfir::AssociateOp associate, mlir::Operation *op);

/// Erases `associate` and its end, where nothing uses it any more.
void eraseAssociation(hlfir::AssociateOp associate);

} // namespace cufort::cufx
