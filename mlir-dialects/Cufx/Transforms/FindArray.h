// Which arrays an expression reads.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cufort::cufx {

/// An array that the expression or array `value` is or reads and for which `isMeant` holds, or null.
mlir::Value findArray(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isMeant);

} // namespace cufort::cufx
