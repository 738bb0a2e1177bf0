// Which dummy arrays of a kernel nothing else can change.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::codegen {

/// True if argument `index` of `kernel`, a reference, may be an LLVM noalias parameter.
///
/// Fortran forbids that dummies overlap if one of them is changed (Fortran 2018 15.5.2.13), but noalias promises more:
/// that no other thread changes the memory either. So an argument qualifies if the kernel only reads it, or if threads
/// have no means to wait for each other: no barrier, fence, atomic or warp operation, and no call that may hide one.
bool isUnsharedArgument(mlir::func::FuncOp kernel, unsigned index);

} // namespace cufort::codegen
