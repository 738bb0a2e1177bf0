// Scalars of the host in which iterations of a CUF kernel would have to leave a value for each other.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// The first load of the variable at `reference` that, in a sequential loop, would find there what another iteration of
/// `loops` has assigned; null if there is none, or if that depends on conditions.
fir::LoadOp carriedRead(mlir::Value reference, mlir::Region &loops);

} // namespace cufort::cufx
