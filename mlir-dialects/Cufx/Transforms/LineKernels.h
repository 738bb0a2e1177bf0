// Kernels for reductions with DIM.
#pragma once

#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"

namespace cufort::cufx {

/// Gives each element of `array` its value, if `expression` has reductions with DIM for which it makes a difference who
/// reads what: by kernels of which a warp reads a line, or part of one, where lines are long and lie in the first
/// dimension, or are few; else by `byElement`, which makes a kernel of which a thread reads a line. Which of them is
/// known when the program runs. Returns false, and does nothing, for other expressions.
bool evaluateLines(fir::FirOpBuilder &builder, mlir::Location loc, DeviceExpression &expression, hlfir::Entity array,
                   llvm::function_ref<void()> byElement);

} // namespace cufort::cufx
