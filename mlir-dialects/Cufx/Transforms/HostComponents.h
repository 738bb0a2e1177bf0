// Components of host variables that the loops of a CUF kernel assign.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

namespace cufort::cufx {

/// Lets a component that the loops use in one way only, `x%a(2)` say, be a value from before the loops, so that it is
/// found as a reduction, or as private to a thread, like any other scalar. Fails after an error message if a value that
/// the loops give a component is neither used by them nor kept.
mlir::LogicalResult hoistHostComponents(cuf::KernelOp kernel);

} // namespace cufort::cufx
