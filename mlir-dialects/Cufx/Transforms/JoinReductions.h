// SUM and its like of device arrays in host code that follow each other.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace cufort::cufx {

/// Turns those of `reductions`, operations in the order of the program, into CUF kernels that follow each other with
/// nothing between them but what evaluates them and what is made of their values: each such group into one kernel.
/// Returns the others, which are left as they are.
llvm::SmallVector<mlir::Operation *> joinReductions(llvm::ArrayRef<mlir::Operation *> reductions);

} // namespace cufort::cufx
