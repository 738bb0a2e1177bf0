// Scalars of the host that the loops of a CUF kernel change, and that no reduction brings back.
#pragma once

#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"

namespace cufort::cufx {

/// Warns if the host, or another iteration, expects to find in the variable at `reference` what `loops` assign to it,
/// although it is no reduction: each thread has a copy of its own (CUDA Fortran guide 2.11.3).
void warnOfLostScalar(mlir::Value reference, mlir::Region &loops);

} // namespace cufort::cufx
