// Which arrays of a kernel nothing else can change.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::codegen {

/// Marks a parameter of a kernel, a descriptor, whose array nothing changes while the kernel runs; carries nothing.
inline constexpr llvm::StringLiteral readOnlyAttribute = "cufx.read_only";

/// Marks what nothing else changes among the arrays that `kernel`, which is in FIR, has as parameters: references
/// become LLVM noalias parameters, descriptors get readOnlyAttribute.
///
/// Fortran forbids that dummies overlap if one of them is changed (Fortran 2018 15.5.2.13), but noalias promises more:
/// that no other thread changes the memory either. So a reference qualifies if the kernel only reads what it refers to,
/// or if threads have no means to wait for each other: no barrier, fence, atomic or warp operation, and no call that
/// may hide one. A descriptor qualifies if the kernel only reads its array. Targets never do.
void markUnchangedArrays(mlir::func::FuncOp kernel);

} // namespace cufort::codegen
