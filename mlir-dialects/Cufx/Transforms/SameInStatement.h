// Values of one statement that are calculated twice.
#pragma once

#include "mlir/IR/Value.h"

namespace cufort::cufx {

/// True if `a` and `b`, which are calculated for one statement, are calculated by the same operations: a statement does
/// not change what its own subscripts and bounds are loaded from (Fortran 2023, 10.1.4).
bool isSameInStatement(mlir::Value a, mlir::Value b);

} // namespace cufort::cufx
