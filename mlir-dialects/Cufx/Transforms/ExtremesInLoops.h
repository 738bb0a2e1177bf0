// MAXVAL, MINVAL, MAXLOC and MINLOC as loops.
#pragma once

#include "mlir/IR/Operation.h"

namespace cufort::cufx {

/// Replaces `op`, if it is one of the four with numbers that can be gone through, by a loop that makes each element
/// once and keeps none.
void computeExtremeInLoop(mlir::Operation *op);

} // namespace cufort::cufx
