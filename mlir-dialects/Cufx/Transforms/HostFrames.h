// Where host code has variables that are added to it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

namespace cufort::cufx {

/// The start of the code around `op` that gets memory of its own each time it is entered: of the procedure, or of what
/// each thread or task of OpenMP executes in it.
inline mlir::Block &startOfFrame(mlir::Operation *op) {
  if (auto construct = op->getParentOfType<mlir::omp::OutlineableOpenMPOpInterface>())
    return *construct.getAllocaBlock();
  return op->getParentOfType<mlir::func::FuncOp>().front();
}

} // namespace cufort::cufx
