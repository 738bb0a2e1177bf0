// Strings of the host in CUF kernels.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/IR/Builders.h"

namespace cufort::cufx {

/// The length of the string at `address`, which is not a constant; null if `address` is something else, or if the
/// length is not known here.
mlir::Value lengthOfString(mlir::Value address);

/// Copies the string of `length` characters at `address` to memory of the device, before `loops`, and frees that behind
/// them. Returns its address, as one of what `address` points to.
mlir::Value copyStringForLoops(KernelLoopsOp loops, mlir::Value address, mlir::Value length);

/// The same for the string that the descriptor at `reference` describes, which may be none. Returns a descriptor.
mlir::Value copyDescribedStringForLoops(KernelLoopsOp loops, mlir::Value reference);

} // namespace cufort::cufx
