// Initial values of shared variables.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets one thread of a block give the components of a kernel's shared variables the initial values of their type, and
/// the others wait for it. Where threads may come at different times, no one does.
void initialiseSharedMemory(mlir::ModuleOp module);

} // namespace cufort::cufx
