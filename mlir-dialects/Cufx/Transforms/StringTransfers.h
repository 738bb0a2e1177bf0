// Transfers of character data between host and device.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets `transfer`, if it moves strings, do what an assignment of them means: the target's length counts, shorter
/// values are padded with blanks and longer ones cut, and one string fills an array.
void repairStringTransfer(cuf::DataTransferOp transfer, mlir::ModuleOp module);

} // namespace cufort::cufx
