// Extents of array expressions that one operand tells and another does not.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Gives elemental expressions in device code, of which Flang takes the shape from one operand, the constant extents of
/// another: operands conform (Fortran 2023, 10.1.5). In `v(:, i) = v(:, i) + dt * a`, with `v` of assumed shape and
/// three elements in `a`, the loop has three rounds then, and is unrolled. Before HLFIR is lowered.
std::unique_ptr<mlir::Pass> createKnownExtents();

} // namespace cufort::codegen
