// What the regions of hlfir.where hold: masks, expressions and targets, which end with hlfir.yield.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// What `region` yields, or null if it does something else.
mlir::Value yieldedBy(mlir::Region &region);

/// Moves what `region` does in front of `where`, and the end of it behind; returns what the region yields.
mlir::Value evaluateBefore(mlir::Region &region, hlfir::WhereOp where);

/// Dissolves the operations in `whole` that say that something is evaluated once: what makes kernels of the regions of
/// hlfir.where evaluates each of them once.
void dissolveExactlyOnce(mlir::Operation *whole);

/// Where the statement `where` is: lowering gives the operation of a construct the place of what is before it.
mlir::Location locationOf(hlfir::WhereOp where);

/// True if the scalar `value` may be read from `array`.
bool isReadFrom(mlir::Value value, mlir::Value array);

} // namespace cufort::cufx
