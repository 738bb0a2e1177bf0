// MOD of real numbers in host code.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes MOD of single and double precision in host code the remainder of the C library, as
/// device code has it. Flang's runtime gives -0 for +0.
std::unique_ptr<mlir::Pass> createLowerMod();

} // namespace cufort::codegen
