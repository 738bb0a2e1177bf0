// Transfers of character data between host and device.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fir {
class FirOpBuilder;
}

namespace cufort::cufx {

/// Transfers `string`, one string in memory of the device, to a host temporary on the stack. Returns the temporary.
mlir::Value receiveString(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value string, mlir::ModuleOp module);

/// Lets `transfer`, if it moves strings, do what an assignment of them means: the target's length counts, shorter
/// values are padded with blanks and longer ones cut, and one string fills an array.
void repairStringTransfer(cuf::DataTransferOp transfer, mlir::ModuleOp module);

} // namespace cufort::cufx
