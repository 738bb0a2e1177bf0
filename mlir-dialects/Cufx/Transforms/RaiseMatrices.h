// The matrix products of module wmma.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// Replace a call of wmmaLoadMatrix, wmmaStoreMatrix or wmmaMatMul by the operation for the types of its submatrices.
/// Report leading dimensions and storage orders that are constant and wrong, and fail.
mlir::LogicalResult raiseMatrixLoad(fir::CallOp call);
mlir::LogicalResult raiseMatrixStore(fir::CallOp call);
mlir::LogicalResult raiseMatrixMultiply(fir::CallOp call);

} // namespace cufort::cufx
