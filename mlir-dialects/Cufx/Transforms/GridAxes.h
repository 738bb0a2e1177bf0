// The axes of the grid that loops of CUF kernels have.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include <array>

namespace cufort::cufx {

/// For each axis of `loops` the one of the grid: a grid extent of 1 is skipped, and the extents behind it move up (CUDA
/// Fortran guide 2.11.1, example 3). So with `(1,*)` the blocks of the loop over y are in x. -1 for an axis that is
/// skipped.
std::array<int, 3> gridAxesOf(KernelLoopsOp loops);

} // namespace cufort::cufx
