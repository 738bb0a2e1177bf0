// Statements of host code on device arrays that follow each other.
#pragma once

#include "mlir-dialects/Cufx/Transforms/DeviceAssignment.h"

namespace cufort::cufx {

/// True for an assignment that one kernel does without a temporary.
bool isByElement(const DeviceAssignment &assignment);

/// True for an operation that stands between statements if it does no more than to evaluate the next one, or to end
/// the value of the one before. What reads an expression as a whole may need what was assigned to it.
bool isEvaluation(mlir::Operation &op);

/// The operations before `op`, a statement, that evaluate what it needs.
llvm::iterator_range<mlir::Block::iterator> evaluationOf(mlir::Operation *op);

/// True if the evaluation of `second` alone is between the statements `first` and `second`.
bool isNextTo(mlir::Operation *first, mlir::Operation *second);

/// True if `load` loads the descriptor of `array`.
bool isDescriptorOf(fir::LoadOp load, mlir::Value array);

/// True if `statement`, or its evaluation, loads the descriptor of `array`.
bool asksForDescriptorOf(mlir::Operation *statement, mlir::Value array);

/// Gives the target of `assignment` the shape of what is assigned to it, where the statement stands.
void giveShapeInPlace(fir::FirOpBuilder &builder, const DeviceAssignment &assignment);

} // namespace cufort::cufx
