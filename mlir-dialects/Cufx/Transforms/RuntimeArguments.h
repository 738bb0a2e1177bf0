// Device data as arguments of functions of Flang's runtime.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets the functions of Flang's runtime that host code calls for TRANSFER, FINDLOC and their like, for array
/// constructors, and for ALLOCATE with SOURCE=, read host copies of what only the device can read. Of some intrinsics
/// the front end refuses such variables; their components come here.
void copyArgumentsOfRuntime(mlir::ModuleOp module);

} // namespace cufort::cufx
