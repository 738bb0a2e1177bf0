// Values of one statement that are calculated twice, or twice but for a constant.
#pragma once

#include "mlir/IR/Value.h"
#include <optional>

namespace cufort::cufx {

/// True if `a` and `b`, which are calculated for one statement, are calculated by the same operations: a statement does
/// not change what its own subscripts and bounds are loaded from (Fortran 2023, 10.1.4).
bool isSameInStatement(mlir::Value a, mlir::Value b);

/// An integer: `variable`, unless that is null, and `constant`.
struct Sum {
  mlir::Value variable;
  int64_t constant;
};

/// The integer `value`, without constants that are added to it. The variable may be of a narrower type.
Sum sumOf(mlir::Value value);

/// By how much `a` is greater than `b`, both calculated for one statement, if that is constant.
std::optional<int64_t> constantDifference(mlir::Value a, mlir::Value b);

} // namespace cufort::cufx
