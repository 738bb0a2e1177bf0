// What the regions of hlfir.where hold: masks, expressions and targets, which end with hlfir.yield.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// What `region` yields, or null if it does something else.
mlir::Value yieldedBy(mlir::Region &region);

/// Moves what `region` does in front of `where`, and the end of it behind; returns what the region yields.
mlir::Value evaluateBefore(mlir::Region &region, hlfir::WhereOp where);

/// Dissolves the operations of `where` that say that something is evaluated once: what makes kernels of its regions
/// evaluates each of them once.
void dissolveExactlyOnce(hlfir::WhereOp where);

/// Dissolves those in `where` that belong to an element of an array expression, such as an array constructor with an
/// implied DO: Flang says of them, too, that they are evaluated once, and fails when it takes them out.
void dissolveOnceInElements(hlfir::WhereOp where);

/// Where the statement `where` is: lowering gives the operation of a construct the place of what is before it.
mlir::Location locationOf(hlfir::WhereOp where);

/// True if the scalar `value` may be read from `array`.
bool isReadFrom(mlir::Value value, mlir::Value array);

} // namespace cufort::cufx
