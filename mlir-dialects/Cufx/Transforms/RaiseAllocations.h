// ALLOCATE, DEALLOCATE and derived types in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Replaces, in device code, allocations and deallocations by calls of the device library; and what Flang's runtime
/// does with derived types by code that sets, copies and frees their components.
mlir::LogicalResult raiseAllocations(mlir::ModuleOp module);

} // namespace cufort::cufx
