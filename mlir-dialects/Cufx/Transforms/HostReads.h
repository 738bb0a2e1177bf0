// Host expressions whose value is a variable of the device.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets host code read copies of records, strings and arrays of the device that it takes as values: in parentheses, for
/// VALUE, in constructors, and by MERGE.
void copyVariablesReadByHost(mlir::ModuleOp module);

} // namespace cufort::cufx
