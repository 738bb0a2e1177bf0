// SUM and its like with DIM, of device arrays in host code.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/IR/Value.h"

namespace cufort::cufx {

/// A reduction whose every element is made from a line of an array: the elements that differ in one subscript.
struct LineReduction {
  ReductionKind kind;
  mlir::Value array;
  mlir::Value mask;   ///< an array, or null
  unsigned dimension; ///< of the array, counted from 0
  bool isCount;       ///< the array has truth values, of which those that are true count 1

  /// The reduction that `value` is; none if it is something else, or one that no kernel does.
  static std::optional<LineReduction> match(mlir::Value value);
};

} // namespace cufort::cufx
