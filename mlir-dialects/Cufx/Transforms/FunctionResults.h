// Device pointers that functions return to host code.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Marks what host code gets from functions that return pointers with the device attribute as device data, and has the
/// host assign copies of it: lowering knows attributes of variables only.
void readDeviceResults(mlir::ModuleOp module);

} // namespace cufort::cufx
