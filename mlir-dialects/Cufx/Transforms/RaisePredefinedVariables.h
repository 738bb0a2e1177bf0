// threadidx, blockidx, blockdim and griddim as operations.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Replaces every read of a predefined variable (CUDA Fortran guide 2.8) in the device code of `module` by
/// cufx.extent. A use of a whole variable reads a private copy that is filled in at the start of the procedure.
void raisePredefinedVariables(mlir::ModuleOp module);

} // namespace cufort::cufx
