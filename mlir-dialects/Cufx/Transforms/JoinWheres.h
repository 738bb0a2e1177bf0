// WHERE constructs and assignments on device arrays that one kernel does.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Turns WHERE statements and constructs of host code with the assignments, copies and others next to them into one CUF
/// kernel, if no element of one is needed for another element of the other and they have the same shape; and leaves
/// them for the case that variables have streams of their own when the program runs.
void joinWheres(mlir::ModuleOp module);

} // namespace cufort::cufx
