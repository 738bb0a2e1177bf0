// MOD and MODULO of real numbers in host code.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes MOD of real numbers in host code the remainder of the C library, and MODULO what
/// follows from it, as device code has them. Flang's runtime gives -0 for MOD of +0, and ends the program where the
/// divisor is 0, of which this gives NaN.
std::unique_ptr<mlir::Pass> createLowerMod();

} // namespace cufort::codegen
