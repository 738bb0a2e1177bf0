// Scalar reductions of CUF kernels: finding them, their neutral elements, and combining two values.
#pragma once

#include "flang/Optimizer/Dialect/FIRAttr.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"

namespace cufort::cufx {

/// How loops use a scalar variable of the code around them.
struct ScalarUse {
  std::optional<ReductionKind> reduction; ///< every store combines a load, by this operation
  bool isPrivate = false;                 ///< stored before it is loaded
};

/// What happens to the scalar at `reference` in `loops`.
ScalarUse classifyScalar(mlir::Value reference, mlir::Region &loops);

/// The kind that a reduce clause names for a variable of type `type`, or none if there is no such reduction.
std::optional<ReductionKind> reductionKind(fir::ReduceAttr clause, mlir::Type type);

/// The value that changes nothing when combined.
mlir::Value createNeutral(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Type type);

/// The value of MAXVAL and MINVAL for an empty array of `type`: the smallest or largest finite number (Fortran 2018
/// 16.9.133, 16.9.141); null if that of the reduction is right.
mlir::Value createValueForEmptyArray(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Type type);

/// `left` combined with `right`, both of FIR type `type`.
mlir::Value createCombine(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Value left,
                          mlir::Value right);

} // namespace cufort::cufx
