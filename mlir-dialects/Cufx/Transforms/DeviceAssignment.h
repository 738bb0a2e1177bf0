// An assignment of an array expression to a device array, in host code.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include <optional>

namespace cufort::cufx {

struct DeviceAssignment {
  mlir::Operation *op;
  mlir::Value expression, target;
  hlfir::AssociateOp associated; ///< the expression's value on the host, if it has a name

  /// `op` as an assignment to an array that a kernel has to write: cuf.data_transfer or hlfir.assign.
  static std::optional<DeviceAssignment> match(mlir::Operation *op);

  /// True if the target is an allocatable array that may need another shape. One that the expression reads in place has
  /// the shape of the expression.
  bool mayChangeShape() const;

  /// Erases the statement and what only it needs.
  void erase();
};

/// Gives an allocatable array the shape of what is assigned to it, unless it has it.
void giveShape(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value array, mlir::ValueRange extents);

} // namespace cufort::cufx
