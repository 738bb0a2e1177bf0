// Output lines of device code whose number of items is known at run time only.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// Replaces a list-directed output statement by calls of the device library, which puts the line together, and one
/// cufx.print. `items` are the calls that put out items; they may stand in loops and conditions. The calls themselves
/// are left for the caller to erase. Reports items that device code cannot put out.
mlir::LogicalResult printText(fir::CallOp begin, llvm::ArrayRef<fir::CallOp> items, fir::CallOp end);

} // namespace cufort::cufx
